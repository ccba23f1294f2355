// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/stack_ranges.h"

#include <algorithm>
#include <cmath>

#include "ui/plots/value_text.h"

namespace octet::ui {
namespace {

constexpr double kMargin = 0.06;

struct Span {
    double lower = std::numeric_limits<double>::infinity();
    double upper = -std::numeric_limits<double>::infinity();
    [[nodiscard]] bool isEmpty() const { return lower > upper; }
    void reach(double at) {
        if (!std::isfinite(at)) return;
        lower = std::min(lower, at);
        upper = std::max(upper, at);
    }
};

// A log axis needs the least positive value, which a pyramid does not keep: the columns' minima come near enough, and
// what lies below stands on the lower edge.
double leastPositive(const series::Pyramid& values, int64_t first, int64_t last, double most) {
    constexpr int kColumns = 256;
    double least = most;
    for (const auto& column : values.columns(first, last - first, kColumns))
        if (column.hasFinite() && column.min > 0) least = std::min(least, static_cast<double>(column.min));
    return least;
}

void reachValues(Span& span, const PlotSeries& series, const series::Pyramid& values, ValueScale scale, XAxis axis,
                 const QCPRange& x) {
    auto [first, last] = series.indices(axis, x.lower, x.upper);
    if (first == last) {  // only a segment that crosses the area, or nothing
        first = std::max<int64_t>(first - 1, 0);
        ++last;
    }
    last = std::min(last, values.size());
    if (first >= last) return;
    const auto extremes = values.range(first, last);
    if (!extremes.hasFinite()) return;
    double least = extremes.min;
    if (scale == ValueScale::Log2 && least <= 0)
        least = leastPositive(values, first, last, static_cast<double>(extremes.max));
    span.reach(toAxis(scale, least));
    span.reach(toAxis(scale, static_cast<double>(extremes.max)));
}

void reachCurve(Span& span, const Curve& curve, ValueScale scale, XAxis axis, const QCPRange& x) {
    reachValues(span, *curve.series, curve.values(), scale, axis, x);
    if (!curve.hasBand()) return;
    for (const PlotSeries* edge : {curve.low.get(), curve.high.get()})
        reachValues(span, *edge, edge->values(0), scale, axis, x);
}

void reachBands(Span& span, const TrackCard& card) {
    const double height = span.isEmpty() ? 0 : span.upper - span.lower;
    for (const TrackBand& band : card.track.bands) {
        const double low = toAxis(card.track.scale, band.low), high = toAxis(card.track.scale, band.high);
        if (band.meaning != TrackBand::Meaning::Overflow) {
            span.reach(low);
            span.reach(high);
        } else if (low > span.upper && low - span.upper <= 1.5 * height) {
            span.reach(low + 0.08 * (low - span.lower));
        } else if (high < span.lower && span.lower - high <= 1.5 * height) {
            span.reach(high - 0.08 * (span.upper - high));
        }
    }
}

QCPRange widened(const Span& span, ValueScale scale) {
    if (span.isEmpty()) return scale == ValueScale::Log2 ? QCPRange(-4, 4) : QCPRange(0, 1);
    const double size = std::max(std::fabs(span.lower), std::fabs(span.upper));
    const double height = span.upper - span.lower;
    if (height <= size * 1e-6 || height == 0) {  // a constant
        const double room = scale == ValueScale::Log2 ? 1 : size > 0 ? 0.1 * size : 1;
        return {span.lower - room, span.upper + room};
    }
    // Less than an octave of difference says nothing about FP8: a log axis shows two at least.
    constexpr double kFewestOctaves = 2;
    if (scale == ValueScale::Log2 && height < kFewestOctaves) {
        const double middle = (span.lower + span.upper) / 2;
        return {middle - kFewestOctaves / 2, middle + kFewestOctaves / 2};
    }
    const bool fromZero = scale == ValueScale::Percent && span.lower >= 0 && span.lower < kMargin * height;
    return {fromZero ? -0.03 * height : span.lower - kMargin * height, span.upper + kMargin * height};
}

}  // namespace

std::optional<QCPRange> dataExtent(const StackScene& scene, XAxis axis) {
    Span span;
    for (const TrackCard& card : scene.cards)
        for (const Curve& curve : card.curves)
            if (curve.series && curve.series->size() > 0 && scene.shows(curve)) {
                const auto x = curve.series->x(axis);
                span.reach(x.front());
                span.reach(x.back());
            }
    if (span.isEmpty()) return std::nullopt;
    return QCPRange(span.lower, span.upper);
}

QCPRange followRange(const std::optional<QCPRange>& extent) {
    if (!extent) return {0, 1};
    if (extent->size() > 1e-9 * std::max(1.0, std::fabs(extent->upper))) return *extent;
    return {extent->lower - 0.5, extent->upper + 0.5};
}

QCPRange fitRange(const StackScene& scene, const TrackCard& card, XAxis axis, const QCPRange& x) {
    const auto reachAll = [&](const QCPRange& part) {
        Span reached;
        for (const Curve& curve : card.curves)
            if (curve.size() > 0 && scene.shows(curve)) reachCurve(reached, curve, card.track.scale, axis, part);
        return reached;
    };
    const bool isCut = card.track.fitFrom > x.lower && card.track.fitFrom < x.upper;
    Span span = reachAll(isCut ? QCPRange(card.track.fitFrom, x.upper) : x);
    reachBands(span, card);
    return widened(span, card.track.scale);
}

bool isUsable(const QCPRange& range) {
    const double size = range.upper - range.lower;
    const double about = std::max(std::fabs(range.lower), std::fabs(range.upper));
    return std::isfinite(range.lower) && std::isfinite(range.upper) && std::isfinite(size) && size > 0 &&
           size > about * 1e-12 && size > 1e-40 && about < 1e200;
}

}  // namespace octet::ui
