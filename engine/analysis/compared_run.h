// SPDX-License-Identifier: Apache-2.0
// A recorded run as the comparison of series/ takes it: its loss, and the facts that must agree.
#pragma once

#include "engine/analysis/run_source.h"
#include "engine/series/comparison.h"

namespace octet::analysis {

/// What a comparison needs of `run`. The caller may change group and baseline.
/// @param spec  of the run's experiment: the optimiser, steps and activations must agree too
[[nodiscard]] Result<series::ComparedRun> comparedRun(RunSource& source, const store::RunInfo& run, const Json& spec);

/// What must agree before two losses are compared, the seed apart: {"data hash", "9f2c"}, ...
[[nodiscard]] std::vector<series::Fact> comparedFacts(const Json& environment, const Json& spec);

}  // namespace octet::analysis
