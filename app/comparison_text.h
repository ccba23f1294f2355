// SPDX-License-Identifier: Apache-2.0
// A comparison as a table with plain sentences under it, and as the JSON that scripts rely on.
#pragma once

#include <string>

#include "engine/analysis/experiment_comparison.h"

namespace octet::app {

[[nodiscard]] std::string comparisonText(const analysis::ExperimentComparison& compared);
/// One Markdown table, a line for each recipe with its seeds together; the baseline's own line says its noise.
[[nodiscard]] std::string comparisonMarkdown(const analysis::ExperimentComparison& compared);
[[nodiscard]] Json comparisonJson(const analysis::ExperimentComparison& compared);

}  // namespace octet::app
