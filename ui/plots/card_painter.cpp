// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/card_painter.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

#include "ui/plots/curve_painter.h"
#include "ui/plots/value_text.h"

namespace octet::ui {
namespace {

XAxis axisOf(const StackScene& scene) {
    return scene.selection->xAxis();
}

QFont smallFont() {
    QFont font = numberFont();
    font.setPixelSize(11);
    return font;
}

void clipTo(QCPPainter* painter, const QRectF& rect) {
    painter->setClipRect(rect);
}

QColor fillOf(TrackBand::Meaning meaning, const Theme& theme) {
    const double strength = theme.dark ? 0.13 : 0.10;
    if (meaning == TrackBand::Meaning::Overflow) return theme.badSoft;
    return mixed(theme.card, theme.accent, meaning == TrackBand::Meaning::Bar ? strength : 2.1 * strength);
}

QRectF bandRect(const PlotArea& area, const TrackBand& band) {
    const double top = std::isinf(band.high) ? area.rect.top() - 1 : area.pixelY(band.high);
    const double bottom = std::isinf(band.low) ? area.rect.bottom() + 1 : area.pixelY(band.low);
    return QRectF(area.rect.left(), top, area.rect.width(), bottom - top).intersected(area.rect);
}

void paintBandsOf(QCPPainter* painter, const StackScene& scene, const TrackCard& card) {
    const PlotArea area = plotAreaOf(card, axisOf(scene));
    clipTo(painter, area.rect);
    for (const auto meaning : {TrackBand::Meaning::Overflow, TrackBand::Meaning::Bar, TrackBand::Meaning::Noise})
        for (const TrackBand& band : card.track.bands)
            if (band.meaning == meaning) painter->fillRect(bandRect(area, band), fillOf(meaning, *scene.theme));
}

// What overflows is named in its place; noise and bar are thin and stand in the head.
void paintOverflowLabels(QCPPainter* painter, const StackScene& scene, const PlotArea& area, const TrackCard& card) {
    painter->setFont(smallFont());
    painter->setPen(scene.theme->bad);
    for (const TrackBand& band : card.track.bands) {
        if (band.meaning != TrackBand::Meaning::Overflow) continue;
        const QRectF rect = bandRect(area, band);
        const QRectF room(rect.left() + 8, rect.top() + 1, rect.width() - 16, std::min(rect.height() - 1, 16.0));
        if (rect.height() >= 12) painter->drawText(room, Qt::AlignLeft | Qt::AlignVCenter, band.label);
    }
}

CurveLook lookOf(const Curve& curve, const Theme& theme) {
    CurveLook look;
    look.colour = runColour(curve.colourIndex, theme);
    if (curve.faint) look.colour = mixed(theme.card, look.colour, theme.dark ? 0.42 : 0.36);
    if (curve.dashed) look.colour = mixed(theme.card, look.colour, 0.8);  // as a band it has no dashes
    look.style = curve.dashed ? Qt::DashLine : runPenStyle(curve.colourIndex);
    look.width = curve.smoothing > 0 ? 1.5 : 1;
    look.dots = curve.dots;
    return look;
}

// Opaque: an alpha fill costs forty times as much.
QColor spreadColour(const Curve& curve, const Theme& theme) {
    return mixed(theme.card, runColour(curve.colourIndex, theme), theme.dark ? 0.26 : 0.18);
}

QColor markerColour(const StackMarker& marker, const Theme& theme) {
    switch (marker.kind) {
        case StackMarker::Kind::ColdStart:
            return theme.warn;
        case StackMarker::Kind::RecipeChange:
            return runColour(marker.colourIndex, theme);
        case StackMarker::Kind::NotFinite:
            return theme.bad;
        case StackMarker::Kind::Paused:
        case StackMarker::Kind::Note:
            break;
    }
    return theme.dim;
}

void paintMarkerLines(QCPPainter* painter, const StackScene& scene, const PlotArea& area) {
    painter->setAntialiasing(false);
    for (const StackMarker& marker : scene.markers) {
        if (!(marker.x >= area.xLower && marker.x <= area.xUpper)) continue;
        QPen pen(markerColour(marker, *scene.theme), 1, Qt::CustomDashLine, Qt::FlatCap);
        pen.setDashPattern({2, 3});
        painter->setPen(pen);
        const double x = std::clamp(std::floor(area.pixelX(marker.x)), area.rect.left() + 1, area.rect.right() - 1);
        painter->drawLine(QPointF(x, area.rect.top()), QPointF(x, area.rect.bottom()));
    }
}

// Labels stand in a strip above the top card's plot, left to right; one that would run into its neighbour is left out,
// its line stays.
void paintMarkerLabels(QCPPainter* painter, const StackScene& scene, const PlotArea& area) {
    std::vector<const StackMarker*> order;
    for (const StackMarker& marker : scene.markers)
        if (marker.x >= area.xLower && marker.x <= area.xUpper && !marker.label.isEmpty()) order.push_back(&marker);
    std::stable_sort(order.begin(), order.end(), [](auto* left, auto* right) { return left->x < right->x; });
    painter->setClipping(false);
    painter->setFont(smallFont());
    const QFontMetricsF metrics(painter->font());
    double taken = area.rect.left();
    for (const StackMarker* marker : order) {
        const double width = metrics.horizontalAdvance(marker->label);
        const double left = std::min(area.pixelX(marker->x), area.rect.right() - width);
        if (left < taken) continue;
        painter->setPen(markerColour(*marker, *scene.theme));
        painter->drawText(QPointF(left, area.rect.top() - 4), marker->label);
        taken = left + width + 12;
    }
}

void paintEmptyText(QCPPainter* painter, const StackScene& scene, const TrackCard& card, const PlotArea& area) {
    const QString words = emptyText(scene, card);
    if (words.isEmpty()) return;
    painter->setFont(textFont());
    painter->setPen(scene.theme->dim);
    painter->drawText(area.rect.adjusted(16, 8, -16, -8), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextWordWrap, words);
}

void paintCurvesOf(QCPPainter* painter, const StackScene& scene, const TrackCard& card) {
    const PlotArea area = plotAreaOf(card, axisOf(scene));
    clipTo(painter, area.rect);
    paintMarkerLines(painter, scene, area);
    for (const Curve& curve : card.curves)
        if (scene.shows(curve)) paintSpread(painter, area, curve, spreadColour(curve, *scene.theme));
    for (const bool faint : {true, false})
        for (const Curve& curve : card.curves)
            if (curve.faint == faint && curve.series && scene.shows(curve))
                paintCurve(painter, area, curve, lookOf(curve, *scene.theme));
    for (const Curve& curve : card.curves)
        if (curve.series && scene.shows(curve)) paintNonFinite(painter, area, *curve.series, scene.theme->bad);
    paintOverflowLabels(painter, scene, area, card);
    paintEmptyText(painter, scene, card, area);
    if (&card == &scene.cards.front()) paintMarkerLabels(painter, scene, area);
}

}  // namespace

QColor mixed(const QColor& ground, const QColor& colour, double share) {
    const auto channel = [share](float from, float to) { return from + static_cast<float>(share) * (to - from); };
    return QColor::fromRgbF(channel(ground.redF(), colour.redF()), channel(ground.greenF(), colour.greenF()),
                            channel(ground.blueF(), colour.blueF()));
}

void paintFrames(QCPPainter* painter, const StackScene& scene) {
    const Theme& theme = *scene.theme;
    for (size_t index = 0; index < scene.cards.size(); ++index) {
        const TrackCard& card = scene.cards[index];
        painter->setClipping(false);
        painter->setAntialiasing(true);
        const bool current = scene.focused && static_cast<int>(index) == scene.currentCard;
        painter->setPen(QPen(current ? theme.accent : theme.line, 1));
        painter->setBrush(theme.card);
        painter->drawRoundedRect(QRectF(card.rect->outerRect()).adjusted(0, 0, -1, -1), 8, 8);
        painter->setAntialiasing(false);
        painter->setBrush(Qt::NoBrush);
        paintBandsOf(painter, scene, card);
        painter->setClipping(false);
        painter->setPen(QPen(theme.line, 1));
        painter->drawRect(QRectF(card.rect->rect()).adjusted(-1, -1, 0, 0));
    }
}

void paintCurves(QCPPainter* painter, const StackScene& scene) {
    for (const TrackCard& card : scene.cards)
        paintCurvesOf(painter, scene, card);
}

QString emptyText(const StackScene& scene, const TrackCard& card) {
    int64_t samples = 0, hidden = 0, notFinite = 0, inRange = 0;
    int64_t nans = 0;
    const QCPRange x = card.rect->axis(QCPAxis::atBottom)->range();
    for (const Curve& curve : card.curves) {
        if (curve.size() == 0) continue;
        if (!scene.shows(curve)) {
            ++hidden;
            continue;
        }
        samples += curve.series->size();
        nans += curve.series->count(NonFinite::NaN);
        for (const auto kind : {NonFinite::NaN, NonFinite::PlusInf, NonFinite::MinusInf})
            notFinite += curve.series->count(kind);
        const auto [first, last] = curve.series->indices(axisOf(scene), x.lower, x.upper);
        const bool crosses = first > 0 && last < curve.series->size();
        inRange += crosses ? 1 : last - first;
    }
    if (samples == 0) {
        if (hidden > 0)
            return StackWords::tr("Every run drawn here is hidden: click its name above, or its eye in the list.");
        return card.track.emptyText;
    }
    if (notFinite == samples) return StackWords::tr("no finite values (%1)").arg(nonFiniteText(nans, notFinite - nans));
    if (inRange == 0) return StackWords::tr("Nothing was recorded in this range. F shows everything.");
    return {};
}

}  // namespace octet::ui
