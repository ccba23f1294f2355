// SPDX-License-Identifier: GPL-3.0-or-later
// How much of a layer's operands FP8 loses, as one number to sort by. Means over the last steps: a cold start, or one
// spike long ago, does not mark a layer for ever.
#pragma once

#include <memory>
#include <optional>

#include "ui/documents/project.h"

namespace octet::ui {

inline constexpr int64_t kRecentSteps = 10;

/// Mean of the newest samples that are finite; NaN when none of them is; nullopt when there is no sample.
[[nodiscard]] std::optional<double> recentMean(const SeriesView* series);

// Shares from which a number is marked. Underflow of a tenth of dy is what tells E4M3 from E5M2 in practice; saturated
// values are rare in a healthy recipe.
inline constexpr double kUnderflowWarn = 5, kUnderflowBad = 25, kSaturatedWarn = 0.01, kSaturatedBad = 1;

/// 0: nothing is lost; 1: one of the two shares is bad; infinite where one is NaN. Percentages, where known.
[[nodiscard]] double badness(std::optional<double> underflow, std::optional<double> saturated);

}  // namespace octet::ui
