// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/project_source.h"

#include <algorithm>

namespace octet::ui {
namespace {

std::vector<store::SeriesKey> comparedKeys(const std::vector<store::LayerInfo>& layers) {
    std::vector<store::SeriesKey> keys{{"", "", "", "loss", ""}, {"", "", "", "step_ms", ""}};
    for (const store::LayerInfo& layer : layers) {
        if (!layer.converted) continue;
        keys.push_back({layer.name, "grad_output", "", "underflows%", ""});
        for (const char* operand : {"input", "weight", "grad_output"})
            keys.push_back({layer.name, operand, "", "saturated%", ""});
    }
    return keys;
}

}  // namespace

Result<std::vector<store::SeriesInfo>> ProjectSource::series(store::RunId run) {
    std::vector<store::SeriesInfo> found;
    for (const store::SeriesKey& key : comparedKeys(m_project.layers(run)))
        if (const auto view = m_series.recorded(run, key)) found.push_back(view->info);
    return found;
}

Result<store::SeriesData> ProjectSource::samples(const store::SeriesInfo& series, double fromStep) {
    store::SeriesData data;
    const auto view = m_series.recorded(series.run, series.key);
    if (!view) return data;
    const int64_t size = view->size();
    const auto begin = view->axes->step.begin(), end = begin + size;
    const auto first = std::lower_bound(begin, end, fromStep);
    data.step.assign(first, end);
    data.value.reserve(data.step.size());
    for (int64_t i = first - begin; i < size; ++i)
        data.value.push_back(view->values.at(i));
    return data;
}

}  // namespace octet::ui
