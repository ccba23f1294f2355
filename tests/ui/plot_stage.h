// SPDX-License-Identifier: GPL-3.0-or-later
// A track stack on a stage: shown, drawn, and played like a person plays it; how much ink of a colour a picture has.
#pragma once

#include <QtTest>

#include "tests/ui/plot_samples.h"
#include "ui/plots/stack_plot.h"
#include "ui/widgets/theme.h"

namespace octet::ui {

inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

struct Stage {
    Selection selection;
    TrackStack stack{&selection};
    StackPlot* plot = stack.findChild<StackPlot*>();

    explicit Stage(std::vector<Track> tracks, std::vector<StackMarker> markers = {}, QSize size = {900, 500}) {
        stack.resize(size);
        stack.setTracks(std::move(tracks), std::move(markers));
        stack.show();
        [[maybe_unused]] const bool shown = QTest::qWaitForWindowExposed(&stack);
        draw();
    }

    void draw() { [[maybe_unused]] const double ms = stack.redrawNow(); }
    QImage grab() {
        draw();
        return plot->grab().toImage().convertToFormat(QImage::Format_RGB32);
    }
    QRect area(size_t card = 0) const { return plot->scene().cards[card].rect->rect(); }
    QCPRange yRange(size_t card = 0) const { return plot->scene().cards[card].rect->axis(QCPAxis::atLeft)->range(); }
    QPoint at(double x, double share, size_t card = 0) const {
        const QCPRange range = plot->xRange();
        const QRect rect = area(card);
        return {rect.left() + static_cast<int>((x - range.lower) / range.size() * rect.width()),
                rect.top() + static_cast<int>(share * rect.height())};
    }
    QColor ink(int run) const { return runColour(run - 1, themeOf(plot)); }
    void key(int key, Qt::KeyboardModifiers modifiers = {}) {
        QTest::keyClick(plot, static_cast<Qt::Key>(key), modifiers);
    }
    void wheel(QPoint where, int notches) {
        QWheelEvent event(QPointF(where), plot->mapToGlobal(QPointF(where)), {}, {0, 120 * notches}, Qt::NoButton,
                          Qt::NoModifier, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(plot, &event);
    }
    void drag(QPoint from, QPoint to, Qt::MouseButton button = Qt::LeftButton, Qt::KeyboardModifiers modifiers = {}) {
        QTest::mousePress(plot, button, modifiers, from);
        QMouseEvent move(QEvent::MouseMove, QPointF(to), plot->mapToGlobal(QPointF(to)), Qt::NoButton, button,
                         modifiers);
        QCoreApplication::sendEvent(plot, &move);
        QTest::mouseRelease(plot, button, modifiers, to);
    }
};

inline bool isNear(QRgb pixel, const QColor& colour, int tolerance = 40) {
    return std::abs(qRed(pixel) - colour.red()) + std::abs(qGreen(pixel) - colour.green()) +
               std::abs(qBlue(pixel) - colour.blue()) <=
           tolerance;
}

inline int inkIn(const QImage& image, const QRect& where, const QColor& colour, int tolerance = 40) {
    int count = 0;
    for (int y = where.top(); y <= where.bottom(); ++y)
        for (int x = where.left(); x <= where.right(); ++x)
            count += isNear(image.pixel(x, y), colour, tolerance);
    return count;
}

inline std::vector<float> ramp(int samples) {
    std::vector<float> values(static_cast<size_t>(samples));
    for (size_t index = 0; index < values.size(); ++index)
        values[index] = static_cast<float>(index) / static_cast<float>(samples);
    return values;
}

}  // namespace octet::ui
