// SPDX-License-Identifier: GPL-3.0-or-later
// Times of drawing, for `octet --bench`. Needs a QApplication; draws into an offscreen widget.
#pragma once

#include <QString>
#include <cstdint>
#include <vector>

namespace octet::ui {

struct PlotFigure {
    QString name;       // "frame.scale1", "frame.scale2", "overview"
    double median = 0;  // ms
    double worst = 0;   // ms
    double budget = 0;  // ms; DESIGN section 7
    QString what;       // one line for people
};

/// Twelve curves at scale 1 and 2: as recorded, averaged, and as lines.
[[nodiscard]] std::vector<PlotFigure> benchFrames();
/// @param samples  length of the one long curve; 12 bytes of memory each
[[nodiscard]] std::vector<PlotFigure> benchOverview(int64_t samples);

}  // namespace octet::ui
