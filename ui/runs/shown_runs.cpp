// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/shown_runs.h"

#include <algorithm>

#include "ui/models/run_texts.h"

namespace octet::ui {
namespace {

bool castsToFp8(const store::RunInfo& run) {
    const Json& effective = run.effective;
    if (effective.is_object() && effective.contains("fp8") && effective["fp8"].is_boolean())
        return effective["fp8"].get<bool>();
    return !isBaselineRecipe(run);
}

/// The run of the baseline's recipe with this seed; the baseline itself when there is none.
store::RunId baselineFor(const store::RunInfo& run, const std::vector<store::RunInfo>& all, store::RunId baseline) {
    const auto chosen = std::ranges::find(all, baseline, &store::RunInfo::id);
    if (chosen == all.end()) return {};
    for (const store::RunInfo& one : all) {
        const bool isSeed = one.experiment == chosen->experiment && one.recipeName == chosen->recipeName && !one.hidden;
        if (isSeed && one.seed == run.seed) return one.id;
    }
    return baseline;
}

}  // namespace

const ShownRun* ShownExperiment::find(store::RunId run) const {
    const auto found = std::ranges::find(runs, run, [](const ShownRun& one) { return one.info.id; });
    return found == runs.end() ? nullptr : &*found;
}

ShownExperiment shownExperiment(const Project& project, const Selection& selection) {
    ShownExperiment shown;
    const auto& experiments = project.experiments();
    const auto chosen = std::ranges::find(experiments, selection.experiment(), &store::ExperimentInfo::id);
    if (chosen != experiments.end())
        shown.info = *chosen;
    else if (!experiments.empty())
        shown.info = *std::ranges::max_element(experiments, {}, &store::ExperimentInfo::id);
    shown.baseline = baselineOf(project.runs(), shown.info.id, selection.baseline());
    for (const store::RunInfo& run : project.runs()) {
        if (run.experiment != shown.info.id || run.hidden) continue;
        shown.runs.push_back({run, QString::fromStdString(run.name), colourIndexOf(project.runs(), run.id),
                              selection.isVisible(run.id), castsToFp8(run),
                              baselineFor(run, project.runs(), shown.baseline)});
    }
    return shown;
}

bool isLive(store::RunState state) {
    return state == store::RunState::Queued || state == store::RunState::Running || state == store::RunState::Paused;
}

}  // namespace octet::ui
