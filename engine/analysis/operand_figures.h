// SPDX-License-Identifier: Apache-2.0
// Throughput of a run, and how much of its FP8 operands is lost to zero or saturated.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/analysis/run_source.h"

namespace octet::analysis {

/// Elements of one operand of one update: tokens x in, out x in, tokens x out. @param tokens  of one update
[[nodiscard]] double elementsOf(const store::LayerInfo& layer, const std::string& operand, double tokens);

struct OperandFigures {
    std::optional<double> tokensPerSecond;
    std::optional<double> dyUnderflowPercent;
    std::optional<double> saturatedPercent;
};

/// @param commonSteps  of the comparison; the last tenth of them counts for the percentages
[[nodiscard]] Result<OperandFigures> operandFigures(RunSource& source, const store::RunInfo& run,
                                                    const std::vector<double>& commonSteps);

}  // namespace octet::analysis
