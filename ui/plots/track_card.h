// SPDX-License-Identifier: GPL-3.0-or-later
// A track as it is drawn: its curves with their samples, its axis rect and the y range that a person gave it.
#pragma once

#include <QRectF>
#include <memory>
#include <optional>
#include <vector>

#include "ui/plots/plot_series.h"
#include "ui/plots/qcp.h"
#include "ui/plots/track_stack.h"
#include "ui/widgets/theme.h"

namespace octet::ui {

struct Curve {
    store::RunId run;
    QString name;
    int colourIndex = 0;
    double smoothing = 0;
    bool faint = false, dashed = false, dots = false;
    std::shared_ptr<PlotSeries> series;     // null: nothing recorded yet
    std::shared_ptr<PlotSeries> low, high;  // edges of its band, or null

    [[nodiscard]] const series::Pyramid& values() const { return series->values(smoothing); }
    [[nodiscard]] bool hasBand() const { return low && high && low->size() > 0 && high->size() > 0; }
    [[nodiscard]] int64_t size() const { return series ? std::min(series->size(), values().size()) : 0; }
};

/// An entry of a card's legend.
struct LegendEntry {
    QRectF area;
    store::RunId run;
    QString name;
};

struct TrackCard {
    Track track;  // without its curves
    std::vector<Curve> curves;
    QCPAxisRect* rect = nullptr;        // owned by the plot's layout
    std::optional<QCPRange> userRange;  // y, in axis units
    std::vector<LegendEntry> legend;    // as drawn last
};

/// What all cards share while they are drawn.
struct StackScene {
    const Selection* selection = nullptr;
    const Theme* theme = nullptr;
    std::vector<TrackCard> cards;
    std::vector<StackMarker> markers;
    QRectF rubberBand;
    int currentCard = 0;  // takes the y keys
    bool focused = false;

    [[nodiscard]] bool shows(const Curve& curve) const { return selection->isVisible(curve.run); }
};

[[nodiscard]] QColor mixed(const QColor& ground, const QColor& colour, double share);

}  // namespace octet::ui
