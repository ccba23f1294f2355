// SPDX-License-Identifier: GPL-3.0-or-later
// The three layers of the stack: frames and bands below the grid, curves and marks above it, and on top what follows
// the mouse (heads with the values at the crosshair, the crosshair itself, the zoom box).
#pragma once

#include "ui/plots/track_card.h"

namespace octet::ui {

inline constexpr int kHeadHeight = 36, kMarkerStrip = 14;

void paintFrames(QCPPainter* painter, const StackScene& scene);
void paintCurves(QCPPainter* painter, const StackScene& scene);
/// Fills TrackCard::legend.
void paintOverlay(QCPPainter* painter, StackScene& scene);

/// Where the heads' values are read: the crosshair, else the last sample of what is shown.
[[nodiscard]] std::optional<double> readingPosition(const StackScene& scene);
/// "hybrid-16 1.8341, e4m3-16 1.8482 at step 640": a card's values in words, for screen readers.
[[nodiscard]] QString spokenValues(const StackScene& scene, const TrackCard& card);
/// What stands in a card instead of curves; empty when there is something to see.
[[nodiscard]] QString emptyText(const StackScene& scene, const TrackCard& card);

}  // namespace octet::ui
