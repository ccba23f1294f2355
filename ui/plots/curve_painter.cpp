// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/curve_painter.h"

#include <QPolygonF>
#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/plots/column_slice.h"
#include "ui/plots/value_text.h"

namespace octet::ui {
namespace {

constexpr double kFarOutside = 20000;  // pixels; keeps slopes right without giant coordinates

// Collects points and draws them as one antialiased line; a point alone becomes a dot.
class LinePen {
public:
    LinePen(QCPPainter* painter, const CurveLook& look) : m_painter(painter), m_look(look) {
        painter->setAntialiasing(true);
        QPen pen(look.colour, look.width, Qt::SolidLine, Qt::FlatCap, Qt::BevelJoin);
        if (look.style == Qt::DashLine) pen.setDashPattern({5, 3});
        if (look.style == Qt::DotLine) pen.setDashPattern({2, 2});
        if (look.style == Qt::DashDotLine) pen.setDashPattern({6, 3, 2, 3});
        painter->setPen(pen);
    }
    ~LinePen() {
        lift();
        m_painter->setAntialiasing(false);
    }
    LinePen(const LinePen&) = delete;
    LinePen& operator=(const LinePen&) = delete;

    void to(double x, double y) { m_points.append(QPointF(x, y)); }

    void lift() {
        if (m_points.size() > 1) m_painter->drawPolyline(m_points);
        if (m_points.size() == 1) dot(m_points.first());
        if (m_look.dots)
            for (const QPointF& point : m_points)
                dot(point);
        m_points.clear();
    }

private:
    void dot(const QPointF& at) {
        const QPen pen = m_painter->pen();
        m_painter->setPen(Qt::NoPen);
        m_painter->setBrush(m_look.colour);
        m_painter->drawEllipse(at, 2.25, 2.25);
        m_painter->setBrush(Qt::NoBrush);
        m_painter->setPen(pen);
    }

    QCPPainter* m_painter;
    const CurveLook& m_look;
    QPolygonF m_points;
};

// Every sample of [first, last), and one beyond each side so that lines enter and leave the area.
void paintSamples(QCPPainter* painter, const PlotArea& area, const Curve& curve, const CurveLook& look, int64_t first,
                  int64_t last) {
    const auto x = curve.series->x(area.axis);
    const auto& values = curve.values();
    LinePen line(painter, look);
    for (int64_t index = std::max<int64_t>(first - 1, 0); index < std::min(last + 1, curve.size()); ++index) {
        const double value = values.at(index);
        if (std::isfinite(value))
            line.to(area.pixelX(x[static_cast<size_t>(index)]), area.pixelY(value));
        else
            line.lift();
    }
}

struct Indices {
    int64_t first = 0, last = 0;
};

// A polygon for each stretch whose edges are finite.
void paintSpreadCorners(QCPPainter* painter, const PlotArea& area, const Curve& curve, const QColor& colour,
                        Indices range) {
    const auto x = curve.low->x(area.axis);
    QPolygonF upper, lower;
    const auto fill = [&] {
        std::reverse(lower.begin(), lower.end());
        painter->setPen(Qt::NoPen);
        painter->setBrush(colour);
        painter->drawPolygon(upper + lower);
        painter->setBrush(Qt::NoBrush);
        upper.clear();
        lower.clear();
    };
    for (int64_t index = range.first; index < range.last; ++index) {
        const double low = curve.low->values(0).at(index), high = curve.high->values(0).at(index);
        if (!std::isfinite(low) || !std::isfinite(high)) {
            fill();
            continue;
        }
        const double at = area.pixelX(x[static_cast<size_t>(index)]);
        upper.append(QPointF(at, area.pixelY(high)));
        lower.append(QPointF(at, area.pixelY(low)));
    }
    fill();
}

// One or two points a column: for vector files.
void paintColumnLine(QCPPainter* painter, const PlotArea& area, const CurveLook& look,
                     const std::vector<Column>& slice) {
    LinePen line(painter, look);
    const double width = area.rect.width() / static_cast<double>(slice.size());
    double before = area.rect.center().y();
    for (size_t column = 0; column < slice.size(); ++column) {
        if (slice[column].isEmpty()) continue;
        if (!slice[column].extremes.hasFinite()) {
            line.lift();
            continue;
        }
        const double x = area.rect.left() + (static_cast<double>(column) + 0.5) * width;
        double from = area.pixelY(slice[column].extremes.min), to = area.pixelY(slice[column].extremes.max);
        if (std::fabs(to - before) < std::fabs(from - before)) std::swap(from, to);
        if (std::fabs(to - from) < 1.2)
            line.to(x, (from + to) / 2);
        else {
            line.to(x, from);
            line.to(x, to);
        }
        before = to;
    }
}

struct Band {
    double top = 0, bottom = -1;  // pixels
    bool joined = false;          // to a neighbour
    [[nodiscard]] bool isDrawn() const { return top <= bottom; }
    void reach(double y) {
        top = std::min(top, y);
        bottom = std::max(bottom, y);
    }
};

// Neighbouring columns meet half way between the last sample of one and the first of the next, so that a steep edge has
// no gap. Where columns between them hold no sample (an axis with pauses), a line crosses them.
void joinBands(QCPPainter* painter, const PlotArea& area, const Curve& curve, const std::vector<Column>& slice,
               std::vector<Band>& bands) {
    const auto& values = curve.values();
    const double width = area.rect.width() / static_cast<double>(slice.size());
    const auto centre = [&](size_t column) { return area.rect.left() + (static_cast<double>(column) + 0.5) * width; };
    size_t before = slice.size();
    for (size_t column = 0; column < slice.size(); ++column) {
        if (slice[column].isEmpty()) continue;
        const size_t from = std::exchange(before, column);
        if (from == slice.size()) continue;
        const double last = values.at(slice[from].last - 1), first = values.at(slice[column].first);
        if (!std::isfinite(last) || !std::isfinite(first)) continue;
        bands[from].joined = bands[column].joined = true;
        const double lastY = area.pixelY(last), firstY = area.pixelY(first);
        if (column == from + 1) {
            bands[from].reach((lastY + firstY) / 2);
            bands[column].reach((lastY + firstY) / 2);
        } else {
            painter->drawLine(QPointF(centre(from), lastY), QPointF(centre(column), firstY));
        }
    }
}

std::vector<Band> bandsOf(QCPPainter* painter, const PlotArea& area, const Curve& curve, const CurveLook& look,
                          const std::vector<Column>& slice) {
    std::vector<Band> bands(slice.size());
    for (size_t column = 0; column < slice.size(); ++column) {
        const auto& extremes = slice[column].extremes;
        if (extremes.hasFinite()) bands[column] = {area.pixelY(extremes.max), area.pixelY(extremes.min), false};
    }
    painter->setAntialiasing(false);
    painter->setPen(QPen(look.colour, 0));
    joinBands(painter, area, curve, slice, bands);
    return bands;
}

// A column that nothing joins becomes a dot, and none is thinner than the line.
Band thickened(const PlotArea& area, const std::vector<Band>& bands, size_t column, double width) {
    Band band = bands[column];
    const double least = band.joined ? width : 3;
    band.top = std::max(band.top, area.rect.top() - 2);
    band.bottom = std::min(band.bottom, area.rect.bottom() + 2);
    if (band.bottom - band.top >= least) return band;
    const double middle = (band.top + band.bottom) / 2;
    band.top = middle - least / 2;
    band.bottom = middle + least / 2;
    return band;
}

void paintBands(QCPPainter* painter, const PlotArea& area, const Curve& curve, const CurveLook& look,
                const std::vector<Column>& slice) {
    const auto bands = bandsOf(painter, area, curve, look, slice);
    const double width = area.rect.width() / static_cast<double>(slice.size());
    for (size_t column = 0; column < bands.size(); ++column) {
        if (!bands[column].isDrawn()) continue;
        const Band band = thickened(area, bands, column, look.width);
        painter->fillRect(
            QRectF(area.rect.left() + static_cast<double>(column) * width, band.top, width, band.bottom - band.top),
            look.colour);
    }
}

// The same with the covered share of the first and last pixel as opacity: a smooth line without a path, so that the
// cost does not grow with noise (an antialiased polyline of 12 noisy averages took 150 ms, this a tenth).
void paintSoftBands(QCPPainter* painter, const PlotArea& area, const Curve& curve, const CurveLook& look,
                    const std::vector<Column>& slice) {
    const auto bands = bandsOf(painter, area, curve, look, slice);
    const double pixel = area.rect.width() / static_cast<double>(slice.size());
    const auto fill = [&](size_t column, double from, double to, double coverage) {
        QColor colour = look.colour;
        if (coverage < 1) colour.setAlphaF(static_cast<float>(coverage));
        if (to > from && coverage > 0.02)
            painter->fillRect(QRectF(area.rect.left() + static_cast<double>(column) * pixel, from * pixel, pixel,
                                     (to - from) * pixel),
                              colour);
    };
    for (size_t column = 0; column < bands.size(); ++column) {
        if (!bands[column].isDrawn()) continue;
        const Band band = thickened(area, bands, column, look.width);
        const double top = band.top / pixel, bottom = band.bottom / pixel;
        const double first = std::ceil(top), last = std::floor(bottom);
        if (last < first) {  // within one pixel
            fill(column, last, first, bottom - top);
            continue;
        }
        fill(column, first - 1, first, first - top);
        fill(column, first, last, 1);
        fill(column, last, last + 1, bottom - last);
    }
}

}  // namespace

double PlotArea::pixelY(double value) const {
    const double at = toAxis(scale, value);
    if (std::isinf(at)) return rect.bottom() - 0.5;
    const double y = rect.bottom() - (at - yLower) / (yUpper - yLower) * rect.height();
    return std::clamp(y, rect.top() - kFarOutside, rect.bottom() + kFarOutside);
}

PlotArea plotAreaOf(const TrackCard& card, XAxis axis) {
    const QCPRange x = card.rect->axis(QCPAxis::atBottom)->range(), y = card.rect->axis(QCPAxis::atLeft)->range();
    return {QRectF(card.rect->rect()), x.lower, x.upper, y.lower, y.upper, card.track.scale, axis};
}

void paintCurve(QCPPainter* painter, const PlotArea& area, const Curve& curve, const CurveLook& look) {
    if (curve.size() == 0) return;
    const auto [first, last] = curve.series->indices(area.axis, area.xLower, area.xUpper);
    const bool vector = painter->modes().testFlag(QCPPainter::pmVectorized);
    const double ratio = vector ? 1 : painter->deviceTransform().m11();
    const int columns = std::max(1, static_cast<int>(std::lround(area.rect.width() * ratio)));
    if (last - first <= 2 * columns / 3) {
        paintSamples(painter, area, curve, look, first, std::min(last, curve.size()));
        return;
    }
    const auto x = curve.series->x(area.axis);
    const auto slice = sliceColumns(x, curve.values(), area.xLower, area.xUpper, columns);
    if (vector)
        paintColumnLine(painter, area, look, slice);
    else if (curve.smoothing > 0)
        paintSoftBands(painter, area, curve, look, slice);
    else
        paintBands(painter, area, curve, look, slice);
}

void paintSpread(QCPPainter* painter, const PlotArea& area, const Curve& curve, const QColor& colour) {
    if (!curve.hasBand()) return;
    const auto x = curve.low->x(area.axis).first(static_cast<size_t>(std::min(curve.low->size(), curve.high->size())));
    painter->setAntialiasing(false);
    const auto [first, last] = curve.low->indices(area.axis, area.xLower, area.xUpper);
    const int columns = std::max(1, static_cast<int>(std::lround(area.rect.width())));
    if (last - first <= columns / 2) {  // few samples: corners
        paintSpreadCorners(painter, area, curve, colour,
                           {std::max<int64_t>(first - 1, 0), std::min(last + 1, static_cast<int64_t>(x.size()))});
        return;
    }
    const auto low = sliceColumns(x, curve.low->values(0), area.xLower, area.xUpper, columns);
    const auto high = sliceColumns(x, curve.high->values(0), area.xLower, area.xUpper, columns);
    const double width = area.rect.width() / columns;
    for (size_t column = 0; column < low.size(); ++column) {
        if (low[column].isEmpty() || !low[column].extremes.hasFinite() || !high[column].extremes.hasFinite()) continue;
        const double top = area.pixelY(high[column].extremes.max), bottom = area.pixelY(low[column].extremes.min);
        painter->fillRect(QRectF(area.rect.left() + static_cast<double>(column) * width, top, width, bottom - top),
                          colour);
    }
}

void paintNonFinite(QCPPainter* painter, const PlotArea& area, const PlotSeries& series, const QColor& colour) {
    const auto x = series.x(area.axis);
    const auto [first, last] = series.indices(area.axis, area.xLower, area.xUpper);
    const auto runs = series.nonFinite();
    painter->setAntialiasing(false);
    auto run = std::partition_point(runs.begin(), runs.end(), [&](const auto& each) { return each.last <= first; });
    for (; run != runs.end() && run->first < last; ++run) {
        const bool bottom = run->kind == NonFinite::MinusInf;
        int64_t index = std::max(run->first, first);
        while (index < std::min(run->last, last)) {
            const double at = area.pixelX(x[static_cast<size_t>(index)]);
            const double y = bottom ? area.rect.bottom() - 7 : area.rect.top();
            const double left = std::clamp(std::floor(at), area.rect.left(), area.rect.right() - 2);
            painter->fillRect(QRectF(left, y, 2, 7), colour);
            // The next sample that is a pixel further on.
            const double next =
                area.xLower + (std::floor(at) + 1 - area.rect.left()) / area.rect.width() * (area.xUpper - area.xLower);
            const auto begin = x.begin() + index + 1;
            index = std::lower_bound(begin, x.end(), next) - x.begin();
        }
    }
}

}  // namespace octet::ui
