// SPDX-License-Identifier: GPL-3.0-or-later
// Samples next to a place on the x axis, over everything that is shown.
#pragma once

#include <optional>

#include "ui/plots/track_card.h"

namespace octet::ui {

[[nodiscard]] std::optional<double> lastSampleAt(const StackScene& scene, double x);    // at or before
[[nodiscard]] std::optional<double> previousSample(const StackScene& scene, double x);  // before
[[nodiscard]] std::optional<double> nextSample(const StackScene& scene, double x);      // after

}  // namespace octet::ui
