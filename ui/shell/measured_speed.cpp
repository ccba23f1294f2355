// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/measured_speed.h"

#include <algorithm>
#include <ranges>

#include "engine/series/comparison.h"
#include "ui/recipe/run_estimate.h"

namespace octet::ui {
namespace {

constexpr int64_t kLeastSteps = 10, kMostSteps = 200;

/// Multiplications of one step; 0 when the spec can't be read.
double flopsOf(const Project& project, store::ExperimentId id) {
    const auto found = std::ranges::find(project.experiments(), id, &store::ExperimentInfo::id);
    if (found == project.experiments().end()) return 0;
    const auto spec = recipe::runSpecFromJson(found->spec, "spec of experiment " + found->name);
    if (!spec) return 0;
    const auto estimate = runEstimate(*spec, true, assumedThroughput());
    return estimate ? estimate->flopsPerStep : 0;
}

bool isOnProcessor(const store::RunInfo& run) {
    const Json& environment = run.environment;
    return environment.is_object() && environment.contains("device") && environment["device"] == "cpu";
}

}  // namespace

std::optional<double> measuredGflops(Project& project) {
    for (const store::RunInfo& run : std::vector(project.runs()) | std::views::reverse) {
        if (run.steps < kLeastSteps || !isOnProcessor(run)) continue;
        const auto times = project.series(run.id, {"", "", "", "step_ms", ""});
        if (!times || times->size() < kLeastSteps) continue;
        std::vector<double> newest;
        for (int64_t i = std::max<int64_t>(1, times->size() - kMostSteps); i < times->size(); ++i)
            newest.push_back(static_cast<double>(times->values.at(i)));
        const auto ms = series::median(std::move(newest));
        const double flops = flopsOf(project, run.experiment);
        if (ms && *ms > 0 && flops > 0) return flops / *ms / 1e6;
    }
    return {};
}

}  // namespace octet::ui
