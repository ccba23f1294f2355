// SPDX-License-Identifier: Apache-2.0
// A comparison of runs with their baseline, as command line and window show it: which runs, the figures of each, and
// what may be said about them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/analysis/run_source.h"
#include "engine/series/comparison.h"

namespace octet::analysis {

struct ComparedFigures {
    store::RunInfo run;
    series::RunGap gap;
    std::optional<double> tokensPerSecond;     // tokens of a step / median step time
    std::optional<double> dyUnderflowPercent;  // over the last tenth of the common steps, weighted by elements
    std::optional<double> saturatedPercent;    // the same over all FP8 operands
    std::vector<store::Event> events;
};

struct ExperimentComparison {
    std::optional<store::ExperimentInfo> experiment;  // of the baseline
    std::optional<store::RunId> baseline;
    std::optional<double> barPercent;
    bool hasTwin = false;
    std::vector<ComparedFigures> runs;
    series::Comparison comparison;  // its runs are in the order of `runs`
};

struct CompareRequest {
    std::vector<std::string> runs;  // ids or names; empty: the newest experiment
    std::string baseline;           // id or name; empty: the one that the experiment was made with
};

/// With runs named, their experiment's baseline of the same seeds joins in, unless `baseline` names another.
[[nodiscard]] Result<ExperimentComparison> compareExperiment(RunSource& source, const CompareRequest& request);

}  // namespace octet::analysis
