// SPDX-License-Identifier: GPL-3.0-or-later
// The head of a card: title, how to read it, and at the right one legend entry a curve with its value at the crosshair.
// When room runs out, names go first (the run list has them), then the samples' own steps, then entries.
#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

#include "ui/plots/card_painter.h"
#include "ui/plots/curve_painter.h"
#include "ui/plots/sample_steps.h"
#include "ui/plots/stack_ranges.h"
#include "ui/plots/value_text.h"

namespace octet::ui {
namespace {

constexpr double kSide = 12, kSwatch = 9, kGap = 5, kBetween = 14;

struct Reading {
    const Curve* curve = nullptr;
    bool shown = true;
    QString value, ownPosition, notFinite;
    bool isBad = false;  // the value itself is not finite
};

// The step of a sample is named where it is not the crosshair's: another cadence, or a run that ended before.
QString ownPosition(const StackScene& scene, double sampleX, double position, double span) {
    const XAxis axis = scene.selection->xAxis();
    const double near = axis == XAxis::Step ? 0.5 : 0.01 * span;
    if (position - sampleX <= near) return {};
    return StackWords::tr("at %1").arg(positionTickText(axis, sampleX, axis == XAxis::Step ? 1 : span / 1000));
}

Reading readingOf(const StackScene& scene, const TrackCard& card, const Curve& curve, double position) {
    const QCPRange x = card.rect->axis(QCPAxis::atBottom)->range(), y = card.rect->axis(QCPAxis::atLeft)->range();
    Reading reading{&curve, scene.shows(curve), QStringLiteral("\u2013"), {}, {}, false};
    if (!curve.series) return reading;
    const auto& series = *curve.series;
    reading.notFinite = nonFiniteText(series.count(NonFinite::NaN),
                                      series.count(NonFinite::PlusInf) + series.count(NonFinite::MinusInf));
    const XAxis axis = scene.selection->xAxis();
    const int64_t index = std::min(series.lastAtOrBefore(axis, position), curve.size() - 1);
    if (index < 0) return reading;
    const double value = curve.values().at(index);
    reading.value = valueText(card.track.scale, value, headDecimals(card.track.scale, y.size()));
    reading.isBad = !std::isfinite(value);
    reading.ownPosition = ownPosition(scene, series.x(axis)[static_cast<size_t>(index)], position, x.size());
    return reading;
}

// One entry a curve; raw values behind a line of the same run have none.
std::vector<Reading> readingsOf(const StackScene& scene, const TrackCard& card, double position) {
    std::vector<Reading> readings;
    for (const Curve& curve : card.curves) {
        const bool behind = curve.faint && std::any_of(card.curves.begin(), card.curves.end(), [&](const Curve& other) {
                                return !other.faint && other.run == curve.run;
                            });
        if (!behind) readings.push_back(readingOf(scene, card, curve, position));
    }
    return readings;
}

struct HeadFonts {
    QFont title = captionFont(), words = textFont(), numbers = numberFont();
    HeadFonts() { words.setPixelSize(12); }
};

enum class Detail { Names, OwnPositions, Values };

double entryWidth(const Reading& reading, const HeadFonts& fonts, Detail detail) {
    const QFontMetricsF words(fonts.words), numbers(fonts.numbers);
    double width = kSwatch + kGap + numbers.horizontalAdvance(reading.value);
    if (detail == Detail::Names) width += words.horizontalAdvance(reading.curve->name) + kGap + 1;
    if (detail != Detail::Values && !reading.ownPosition.isEmpty())
        width += kGap + words.horizontalAdvance(reading.ownPosition);
    if (!reading.notFinite.isEmpty() && reading.shown) width += kGap + words.horizontalAdvance(reading.notFinite);
    return width;
}

double entriesWidth(const std::vector<Reading>& readings, const HeadFonts& fonts, Detail detail) {
    double width = 0;
    for (const Reading& reading : readings)
        width += entryWidth(reading, fonts, detail) + kBetween;
    return width;
}

void paintSwatch(QCPPainter* painter, const Reading& reading, const Theme& theme, const QPointF& at) {
    const QColor colour = runColour(reading.curve->colourIndex, theme);
    const QRectF square(at.x(), at.y() - kSwatch / 2, kSwatch, kSwatch);
    painter->setAntialiasing(true);
    painter->setBrush(Qt::NoBrush);
    if (!reading.shown) {
        painter->setPen(QPen(theme.dim, 1));
        painter->drawRoundedRect(square.adjusted(0.5, 0.5, -0.5, -0.5), 2, 2);
    } else if (reading.curve->dashed || runPenStyle(reading.curve->colourIndex) != Qt::SolidLine) {
        painter->fillRect(QRectF(square.left(), at.y() - 1, 4, 2), colour);
        painter->fillRect(QRectF(square.left() + 6, at.y() - 1, 4, 2), colour);
    } else {
        painter->setPen(Qt::NoPen);
        painter->setBrush(colour);
        painter->drawRoundedRect(square, 2, 2);
    }
    painter->setBrush(Qt::NoBrush);
    painter->setAntialiasing(false);
}

// Writes a piece and moves `at` behind it.
void write(QCPPainter* painter, QPointF& at, const QFont& font, const QColor& colour, const QString& piece) {
    painter->setFont(font);
    painter->setPen(colour);
    const QFontMetricsF metrics(font);
    painter->drawText(QPointF(at.x(), at.y() + metrics.capHeight() / 2), piece);
    at.rx() += metrics.horizontalAdvance(piece) + kGap;
}

void paintEntry(QCPPainter* painter, const Reading& reading, const HeadFonts& fonts, Detail detail, const Theme& theme,
                QPointF at) {
    paintSwatch(painter, reading, theme, at);
    at.rx() += kSwatch + kGap;
    const QColor quiet = theme.dim;
    if (detail == Detail::Names) {
        write(painter, at, fonts.words, quiet, reading.curve->name);
        at.rx() += 1;
    }
    const QColor loud = reading.isBad ? theme.bad : theme.ink;
    write(painter, at, fonts.numbers, reading.shown ? loud : quiet, reading.value);
    if (detail != Detail::Values && !reading.ownPosition.isEmpty())
        write(painter, at, fonts.words, quiet, reading.ownPosition);
    if (!reading.notFinite.isEmpty() && reading.shown) write(painter, at, fonts.words, theme.bad, reading.notFinite);
}

struct HeadRoom {
    double left = 0, right = 0, middle = 0;
};

// Entries right-aligned in `room`, the reading's position last. @return the left end of what was drawn
double paintEntries(QCPPainter* painter, const StackScene& scene, TrackCard& card, const HeadFonts& fonts,
                    HeadRoom room, double captionWidth) {
    card.legend.clear();
    const auto position = readingPosition(scene);
    auto readings = readingsOf(scene, card, position.value_or(0));
    const QString where = position && !readings.empty() ? positionText(scene.selection->xAxis(), *position) : QString();
    const double whereWidth = where.isEmpty() ? 0 : QFontMetricsF(fonts.words).horizontalAdvance(where);
    const double available = room.right - room.left - whereWidth;
    Detail detail = Detail::Names;
    if (entriesWidth(readings, fonts, detail) > available - captionWidth) detail = Detail::OwnPositions;
    if (entriesWidth(readings, fonts, detail) > available) detail = Detail::Values;
    while (!readings.empty() && entriesWidth(readings, fonts, detail) > available)
        readings.pop_back();

    double x = room.right - whereWidth;
    QPointF end(x, room.middle);
    write(painter, end, fonts.words, scene.theme->dim, where);
    x -= entriesWidth(readings, fonts, detail);
    const double left = x;
    for (const Reading& reading : readings) {
        const double width = entryWidth(reading, fonts, detail);
        paintEntry(painter, reading, fonts, detail, *scene.theme, QPointF(x, room.middle));
        card.legend.push_back(
            {QRectF(x - kGap, room.middle - 12, width + 2 * kGap, 24), reading.curve->run, reading.curve->name});
        x += width + kBetween;
    }
    return left;
}

// How to read the card, with the names of its thin bands.
QString captionOf(const Track& track) {
    QStringList parts;
    if (!track.caption.isEmpty()) parts << track.caption;
    for (const TrackBand& band : track.bands)
        if (band.meaning != TrackBand::Meaning::Overflow && !band.label.isEmpty()) parts << band.label;
    return parts.join(QStringLiteral(" \u00b7 "));
}

void paintHead(QCPPainter* painter, StackScene& scene, TrackCard& card) {
    const HeadFonts fonts;
    const QRectF outer = card.rect->outerRect();
    HeadRoom room{outer.left() + kSide, outer.right() - kSide, outer.top() + kHeadHeight / 2.0};
    painter->setClipRect(outer);
    QPointF at(room.left, room.middle);
    write(painter, at, fonts.title, scene.theme->dim, card.track.title);
    room.left = at.x() + 5;
    const QFontMetricsF words(fonts.words);
    const QString caption = captionOf(card.track);
    const double captionWidth = words.horizontalAdvance(caption) + 20;
    const double end = paintEntries(painter, scene, card, fonts, room, captionWidth);
    at.setX(room.left);
    if (end - room.left > 60)
        write(painter, at, fonts.words, scene.theme->dim,
              words.elidedText(caption, Qt::ElideRight, end - room.left - 8));
}

void paintCrosshair(QCPPainter* painter, const StackScene& scene, const TrackCard& card) {
    const auto cursor = scene.selection->cursor();
    const PlotArea area = plotAreaOf(card, scene.selection->xAxis());
    if (!cursor || !(*cursor >= area.xLower && *cursor <= area.xUpper)) return;
    painter->setClipRect(area.rect);
    painter->setAntialiasing(false);
    QPen pen(scene.theme->dim, 1, Qt::CustomDashLine, Qt::FlatCap);
    pen.setDashPattern({3, 3});
    painter->setPen(pen);
    const double x = std::clamp(std::floor(area.pixelX(*cursor)), area.rect.left(), area.rect.right() - 1);
    painter->drawLine(QPointF(x, area.rect.top()), QPointF(x, area.rect.bottom()));
}

}  // namespace

std::optional<double> readingPosition(const StackScene& scene) {
    const XAxis axis = scene.selection->xAxis();
    const auto extent = dataExtent(scene, axis);
    if (!extent) return scene.selection->cursor();
    double upper = extent->upper;
    if (const auto cursor = scene.selection->cursor())
        upper = *cursor;
    else if (!scene.cards.empty())
        upper = std::min(upper, scene.cards.front().rect->axis(QCPAxis::atBottom)->range().upper);
    const auto sample = lastSampleAt(scene, upper);
    return sample ? sample : scene.selection->cursor();
}

QString spokenValues(const StackScene& scene, const TrackCard& card) {
    const auto position = readingPosition(scene);
    QStringList parts;
    for (const Reading& reading : readingsOf(scene, card, position.value_or(0)))
        if (reading.shown)
            parts
                << QStringList{reading.curve->name, reading.value, reading.notFinite}.join(QLatin1Char(' ')).trimmed();
    if (parts.isEmpty()) return card.track.title + QStringLiteral(": ") + emptyText(scene, card);
    const QString where = position ? positionText(scene.selection->xAxis(), *position) : QString();
    return StackWords::tr("%1 at %2: %3").arg(card.track.title, where, parts.join(QStringLiteral(", ")));
}

void paintOverlay(QCPPainter* painter, StackScene& scene) {
    for (TrackCard& card : scene.cards) {
        painter->setClipping(false);
        paintHead(painter, scene, card);
        paintCrosshair(painter, scene, card);
    }
    painter->setClipping(false);
    if (scene.rubberBand.isEmpty()) return;
    QColor inside = scene.theme->accent;
    inside.setAlphaF(0.12F);
    painter->fillRect(scene.rubberBand, inside);
    painter->setPen(QPen(scene.theme->accent, 1));
    painter->drawRect(scene.rubberBand);
}

}  // namespace octet::ui
