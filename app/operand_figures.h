// SPDX-License-Identifier: Apache-2.0
// Throughput of a run, and how much of its FP8 operands is lost to zero or saturated.
#pragma once

#include <optional>
#include <vector>

#include "engine/store/reader.h"

namespace octet::app {

struct OperandFigures {
    std::optional<double> tokensPerSecond;
    std::optional<double> dyUnderflowPercent;
    std::optional<double> saturatedPercent;
};

/// @param commonSteps  of the comparison; the last tenth of them counts for the percentages
[[nodiscard]] Result<OperandFigures> operandFigures(store::Reader& reader, const store::RunInfo& run,
                                                    const std::vector<double>& commonSteps);

}  // namespace octet::app
