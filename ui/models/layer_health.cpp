// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/layer_health.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace octet::ui {

std::optional<double> recentMean(const SeriesView* series) {
    if (!series || series->size() == 0) return {};
    double sum = 0;
    int64_t count = 0;
    for (int64_t i = std::max<int64_t>(0, series->size() - kRecentSteps); i < series->size(); ++i) {
        const auto value = static_cast<double>(series->values.at(i));
        if (!std::isfinite(value)) continue;
        sum += value;
        ++count;
    }
    return count > 0 ? sum / static_cast<double>(count) : std::numeric_limits<double>::quiet_NaN();
}

double badness(std::optional<double> underflow, std::optional<double> saturated) {
    const auto share = [](std::optional<double> value, double bad) {
        if (!value) return 0.0;
        return std::isnan(*value) ? std::numeric_limits<double>::infinity() : *value / bad;
    };
    return std::max(share(underflow, kUnderflowBad), share(saturated, kSaturatedBad));
}

}  // namespace octet::ui
