// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/shown_runs.h"

#include <algorithm>

#include "engine/analysis/compared_run.h"
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

QString guestName(const store::RunInfo& run, const std::vector<store::ExperimentInfo>& experiments) {
    const auto own = std::ranges::find(experiments, run.experiment, &store::ExperimentInfo::id);
    const QString name = QString::fromStdString(run.name);
    return own == experiments.end() ? name : QStringLiteral("%1 (%2)").arg(name, QString::fromStdString(own->name));
}

/// A gap across experiments is drawn only where it is like for like.
store::RunId guestBaseline(const store::RunInfo& run, const Project& project, const ShownExperiment& shown) {
    const store::RunId baseline = baselineFor(run, project.runs(), shown.baseline);
    const store::RunInfo* other = project.run(baseline);
    const auto own = std::ranges::find(project.experiments(), run.experiment, &store::ExperimentInfo::id);
    if (!other || own == project.experiments().end()) return {};
    const auto comparable = [](const store::RunInfo& one, const Json& spec) {
        series::ComparedRun compared;
        compared.seed = one.seed;
        compared.facts = analysis::comparedFacts(one.environment, spec);
        return compared;
    };
    const bool isAlike = series::unlikeness(comparable(*other, shown.info.spec), comparable(run, own->spec)).empty();
    return isAlike ? baseline : store::RunId{};
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
    const ColourScheme colours{project.runs(), shown.info.id, selection.overlaid()};
    for (const store::RunInfo& run : project.runs()) {
        if (run.experiment != shown.info.id || run.hidden) continue;
        shown.runs.push_back({run, QString::fromStdString(run.name), colours.indexOf(run.id),
                              selection.isVisible(run.id), castsToFp8(run),
                              baselineFor(run, project.runs(), shown.baseline)});
    }
    for (const store::RunInfo& run : project.runs()) {
        if (run.experiment == shown.info.id || run.hidden || !selection.isOverlaid(run.id)) continue;
        shown.runs.push_back({run, guestName(run, experiments), colours.indexOf(run.id), selection.isVisible(run.id),
                              castsToFp8(run), guestBaseline(run, project, shown), true});
    }
    return shown;
}

std::vector<SeedGroup> seedGroups(const ShownExperiment& shown) {
    std::vector<SeedGroup> groups;
    for (const ShownRun& run : shown.runs) {
        const auto known = std::ranges::find_if(groups, [&](const SeedGroup& group) {
            const store::RunInfo& first = group.members.front()->info;
            return first.experiment == run.info.experiment && first.recipeName == run.info.recipeName;
        });
        SeedGroup& group = known == groups.end() ? groups.emplace_back() : *known;
        if (group.members.empty()) group.name = QString::fromStdString(run.info.recipeName);
        group.members.push_back(&run);
        if (run.isVisible) group.visible.push_back(&run);
    }
    return groups;
}

bool isLive(store::RunState state) {
    return state == store::RunState::Queued || state == store::RunState::Running || state == store::RunState::Paused;
}

}  // namespace octet::ui
