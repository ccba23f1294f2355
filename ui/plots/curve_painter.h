// SPDX-License-Identifier: GPL-3.0-or-later
// Draws one curve into a plot area: an antialiased line while samples are much fewer than pixels, else exact range
// bands (one filled column from minimum to maximum per device pixel; soft edges for averages). A QCPGraph is 2 to 4
// times slower on noise, a wide pen a thousand times.
#pragma once

#include <QColor>
#include <QRectF>

#include "ui/plots/track_card.h"

namespace octet::ui {

/// A card's plot rectangle and what it shows; ranges are finite and not empty.
struct PlotArea {
    QRectF rect;
    double xLower = 0, xUpper = 1, yLower = 0, yUpper = 1;  // y in axis units
    ValueScale scale = ValueScale::Linear;
    XAxis axis = XAxis::Step;

    [[nodiscard]] double pixelX(double x) const {
        return rect.left() + (x - xLower) / (xUpper - xLower) * rect.width();
    }
    /// @param value  in the track's units, finite. What a log axis can't show lies on the lower edge.
    [[nodiscard]] double pixelY(double value) const;
};

[[nodiscard]] PlotArea plotAreaOf(const TrackCard& card, XAxis axis);

struct CurveLook {
    QColor colour;
    Qt::PenStyle style = Qt::SolidLine;
    double width = 1;
    bool dots = false;
};

void paintCurve(QCPPainter* painter, const PlotArea& area, const Curve& curve, const CurveLook& look);
/// Fills between the edges of a curve's band, exactly: least of one edge and most of the other per pixel column.
void paintSpread(QCPPainter* painter, const PlotArea& area, const Curve& curve, const QColor& colour);
/// Red ticks where samples are not finite: NaN and +Inf hang from the top edge, -Inf stands on the bottom edge.
void paintNonFinite(QCPPainter* painter, const PlotArea& area, const PlotSeries& series, const QColor& colour);

}  // namespace octet::ui
