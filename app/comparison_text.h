// SPDX-License-Identifier: Apache-2.0
// A comparison as a table with plain sentences under it, and as the JSON that scripts rely on.
#pragma once

#include <string>

#include "app/experiment_comparison.h"

namespace octet::app {

[[nodiscard]] std::string comparisonText(const ExperimentComparison& compared);
[[nodiscard]] Json comparisonJson(const ExperimentComparison& compared);

}  // namespace octet::app
