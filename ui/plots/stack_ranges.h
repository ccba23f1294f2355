// SPDX-License-Identifier: GPL-3.0-or-later
// Axis ranges from the data: always finite and never empty, whatever the samples hold.
#pragma once

#include <optional>

#include "ui/plots/track_card.h"

namespace octet::ui {

/// From the first to the last sample of what is shown; nullopt without samples.
[[nodiscard]] std::optional<QCPRange> dataExtent(const StackScene& scene, XAxis axis);
/// A range to show for `extent`: widened where it is a single point.
[[nodiscard]] QCPRange followRange(const std::optional<QCPRange>& extent);

/// The y range that shows the finite values of a card's shown curves in an x range, its noise and bar bands, and a near
/// overflow band, with a margin. A constant stands in the middle.
[[nodiscard]] QCPRange fitRange(const StackScene& scene, const TrackCard& card, XAxis axis, const QCPRange& x);

/// Whether QCustomPlot may be given this range.
[[nodiscard]] bool isUsable(const QCPRange& range);

}  // namespace octet::ui
