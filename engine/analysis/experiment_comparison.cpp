// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/experiment_comparison.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/analysis/compared_run.h"
#include "engine/analysis/operand_figures.h"

namespace octet::analysis {
namespace {

struct Selected {
    store::RunInfo run;
    bool baseline = false;
};

struct Selection {
    std::vector<Selected> runs;  // hidden twins among them
    store::ExperimentId experiment;
};

bool contains(const Selection& selection, store::RunId run) {
    return std::any_of(selection.runs.begin(), selection.runs.end(),
                       [run](const Selected& one) { return one.run.id == run; });
}

bool hasSeedOf(const Selection& selection, int64_t seed) {
    return std::any_of(selection.runs.begin(), selection.runs.end(),
                       [seed](const Selected& one) { return one.run.seed == seed; });
}

Result<Selection> newestExperiment(RunSource& source, const std::vector<store::RunInfo>& all) {
    const auto experiments = source.experiments();
    if (!experiments) return experiments.error();
    Selection selection;
    for (const store::ExperimentInfo& experiment : *experiments)
        selection.experiment = std::max(selection.experiment, experiment.id);
    for (const store::RunInfo& run : all)
        if (run.experiment == selection.experiment) selection.runs.push_back({run, run.baseline});
    if (!selection.runs.empty()) return selection;
    return Error{ErrorCode::NotFound, "The store holds no run to compare.",
                 "`octet-engine train --help` shows how to make some."};
}

Result<Selection> namedRuns(RunSource& source, const std::vector<std::string>& references) {
    Selection selection;
    for (const std::string& reference : references) {
        const auto run = findRun(source, reference);
        if (!run) return run.error();
        if (!contains(selection, run->id)) selection.runs.push_back({*run, false});
    }
    selection.experiment = selection.runs.front().run.experiment;
    return selection;
}

/// The experiment's own baselines of the seeds in question, and their twins.
void joinBaselines(Selection& selection, const std::vector<store::RunInfo>& all) {
    for (Selected& one : selection.runs)
        one.baseline = one.run.baseline && one.run.experiment == selection.experiment;
    for (const store::RunInfo& run : all) {
        const bool isWanted = run.experiment == selection.experiment && (run.baseline || run.hidden);
        if (!isWanted || contains(selection, run.id) || !hasSeedOf(selection, run.seed)) continue;
        selection.runs.push_back({run, run.baseline});
    }
}

/// Another run as the baseline, with the other seeds of its recipe; the A/A twin belongs to the old one and goes.
Result<void> replaceBaseline(Selection& selection, RunSource& source, const std::vector<store::RunInfo>& all,
                             const std::string& reference) {
    const auto chosen = findRun(source, reference);
    if (!chosen) return chosen.error();
    selection.experiment = chosen->experiment;
    std::erase_if(selection.runs, [](const Selected& one) { return one.run.hidden; });
    for (const store::RunInfo& run : all) {
        const bool isSeed = run.experiment == chosen->experiment && run.recipeName == chosen->recipeName && !run.hidden;
        const bool isNeeded = run.id == chosen->id || hasSeedOf(selection, run.seed);
        if (isSeed && isNeeded && !contains(selection, run.id)) selection.runs.push_back({run, false});
    }
    for (Selected& one : selection.runs)
        one.baseline = one.run.experiment == chosen->experiment && one.run.recipeName == chosen->recipeName;
    return {};
}

Result<Selection> select(RunSource& source, const CompareRequest& request) {
    const auto all = source.runs();
    if (!all) return all.error();
    auto selection = request.runs.empty() ? newestExperiment(source, *all) : namedRuns(source, request.runs);
    if (!selection) return selection;
    if (!request.baseline.empty()) {
        const auto replaced = replaceBaseline(*selection, source, *all, request.baseline);
        if (!replaced) return replaced.error();
    } else if (!request.runs.empty()) {
        joinBaselines(*selection, *all);
    }
    return selection;
}

const store::ExperimentInfo* experimentOf(const std::vector<store::ExperimentInfo>& experiments,
                                          store::ExperimentId id) {
    const auto found = std::find_if(experiments.begin(), experiments.end(),
                                    [id](const store::ExperimentInfo& experiment) { return experiment.id == id; });
    return found == experiments.end() ? nullptr : &*found;
}

Result<std::vector<series::ComparedRun>> readRuns(RunSource& source, const Selection& selection,
                                                  const std::vector<store::ExperimentInfo>& experiments) {
    std::vector<series::ComparedRun> runs;
    for (const auto& [run, isBaseline] : selection.runs) {
        const store::ExperimentInfo* experiment = experimentOf(experiments, run.experiment);
        auto compared = comparedRun(source, run, experiment ? experiment->spec : Json());
        if (!compared) return compared.error();
        compared->baseline = isBaseline;
        // Runs of the same recipe name but of other experiments are no seeds of one another.
        if (run.experiment != selection.experiment) compared->group += fmt::format(" #{}", run.experiment.value);
        runs.push_back(std::move(*compared));
    }
    return runs;
}

Result<ComparedFigures> figuresOf(RunSource& source, const store::RunInfo& run, const series::RunGap& gap,
                                  const std::vector<double>& commonSteps) {
    ComparedFigures figures;
    figures.run = run;
    figures.gap = gap;
    auto events = source.events(run.id);
    if (!events) return events.error();
    figures.events = std::move(*events);
    auto operands = operandFigures(source, run, commonSteps);
    if (!operands) return operands.error();
    figures.tokensPerSecond = operands->tokensPerSecond;
    figures.dyUnderflowPercent = operands->dyUnderflowPercent;
    figures.saturatedPercent = operands->saturatedPercent;
    return figures;
}

}  // namespace

Result<ExperimentComparison> compareExperiment(RunSource& source, const CompareRequest& request) {
    const auto selection = select(source, request);
    if (!selection) return selection.error();
    const auto experiments = source.experiments();
    if (!experiments) return experiments.error();
    const auto runs = readRuns(source, *selection, *experiments);
    if (!runs) return runs.error();

    ExperimentComparison result;
    if (const auto* experiment = experimentOf(*experiments, selection->experiment)) {
        result.experiment = *experiment;
        result.barPercent = experiment->barPercent;
    }
    result.comparison = series::compareRuns(*runs, result.barPercent);
    size_t shown = 0;
    for (const auto& [run, isBaseline] : selection->runs) {
        result.hasTwin = result.hasTwin || run.hidden;
        if (run.hidden) continue;
        if (isBaseline && !result.baseline) result.baseline = run.id;
        auto figures = figuresOf(source, run, result.comparison.runs[shown++], result.comparison.commonSteps);
        if (!figures) return figures.error();
        result.runs.push_back(std::move(*figures));
    }
    if (!result.baseline) {  // nothing is unlike anything: there is only nothing to compare with
        for (ComparedFigures& one : result.runs)
            if (one.gap.words.find("no baseline") != std::string::npos) one.gap.words = "no baseline";
    }
    return result;
}

}  // namespace octet::analysis
