// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/run_source.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/core/text.h"

namespace octet::analysis {
namespace {

Error noSuchRun(const std::string& reference, const std::vector<store::RunInfo>& runs) {
    std::vector<std::string> names;
    for (const store::RunInfo& run : runs)
        names.push_back(run.name);
    const auto nearest = nearestWord(reference, names);
    return {ErrorCode::NotFound, fmt::format("There is no run \"{}\" in this store.", reference),
            nearest ? fmt::format("Did you mean \"{}\"? `octet-engine runs` lists them.", *nearest)
                    : "`octet-engine runs` lists them with their ids."};
}

}  // namespace

Result<store::SeriesData> StoreSource::samples(const store::SeriesInfo& series, double fromStep) {
    if (fromStep == kFromStart) return m_reader.samples(series.id);
    const auto key = std::make_pair(series.run, series.cadence);
    const auto known = m_first.find(key);
    if (known != m_first.end() && known->second.fromStep == fromStep)
        return m_reader.samples(series.id, known->second.index);
    auto data = m_reader.samples(series.id);
    if (!data) return data;
    const auto first = std::lower_bound(data->step.begin(), data->step.end(), fromStep) - data->step.begin();
    m_first[key] = {fromStep, first};
    for (std::vector<double>* axis : {&data->step, &data->tokens, &data->wallTime})
        axis->erase(axis->begin(), axis->begin() + first);
    data->value.erase(data->value.begin(), data->value.begin() + first);
    return data;
}

Result<store::RunInfo> findRun(RunSource& source, const std::string& reference) {
    const auto runs = source.runs();
    if (!runs) return runs.error();
    const auto id = parseInteger(reference);
    const store::RunInfo* found = nullptr;
    for (const store::RunInfo& run : *runs) {
        const bool isNewer = !found || run.id > found->id;
        if (run.name == reference && !run.hidden && isNewer) found = &run;
    }
    for (const store::RunInfo& run : *runs)
        if (id && run.id.value == *id) found = &run;
    if (!found) return noSuchRun(reference, *runs);
    return *found;
}

std::string seriesName(const store::SeriesKey& key) {
    if (key.layer.empty()) return key.statistic;
    return fmt::format("{}/{}/{}", key.layer, key.operand.empty() ? key.gemm : key.operand, key.statistic);
}

Result<store::SeriesData> samplesOf(RunSource& source, store::RunId run, const std::string& name) {
    const auto all = source.series(run);
    if (!all) return all.error();
    for (const store::SeriesInfo& one : *all)
        if (seriesName(one.key) == name) return source.samples(one, RunSource::kFromStart);
    return store::SeriesData{};
}

}  // namespace octet::analysis
