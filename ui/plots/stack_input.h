// SPDX-License-Identifier: GPL-3.0-or-later
// Gestures and keys on the stack. Mouse: left drag zooms a box (a flat one x only, a narrow one y only), wheel zooms x
// at the cursor (over a y axis: that axis), Shift or middle drag pans, double click follows again, legend entries
// click. Keys: Left/Right sample by sample (Shift: ten), Up/Down card, Home/End, +/- zoom x (Ctrl: the card's y), F
// follows, Alt+Left/Right history, Esc drops a box, then the crosshair.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QPointF>

#include "ui/plots/stack_plot.h"

namespace octet::ui {

class StackInput final : public QObject {
    Q_OBJECT

public:
    explicit StackInput(StackPlot* plot);

    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    enum class Drag { None, Box, Pan };
    enum class Region { Outside, Head, Plot, XAxis, YAxis };
    struct Place {
        int card = -1;
        Region region = Region::Outside;
    };

    [[nodiscard]] Place placeOf(const QPointF& at) const;
    [[nodiscard]] const TrackCard& card(int index) const { return m_plot->scene().cards[static_cast<size_t>(index)]; }
    [[nodiscard]] const LegendEntry* legendAt(const QPointF& at) const;

    bool press(QMouseEvent* event);
    bool move(QMouseEvent* event);
    bool release(QMouseEvent* event);
    bool doubleClick(QMouseEvent* event);
    bool wheel(QWheelEvent* event);
    bool key(QKeyEvent* event);
    bool zoomKey(QKeyEvent* event);
    void showFocus(Qt::FocusReason reason);
    bool toolTip(QHelpEvent* event);
    [[nodiscard]] static bool isOurKey(const QKeyEvent* event);

    void zoomBox();
    void pan(const QPointF& to);
    void zoomX(double centre, double by, StackPlot::Step step);
    void zoomY(int card, double centre, double by, StackPlot::Step step);
    void pointAt(double x);
    void moveCursor(int samples);
    void showCursor(double x);
    [[nodiscard]] StackPlot::Step burst();

    StackPlot* m_plot;
    Drag m_drag = Drag::None;
    bool m_moved = false;
    int m_card = -1;
    QPointF m_from, m_to;
    StackView m_before;  // when a pan began
    QCPRange m_xBefore, m_yBefore;
    QElapsedTimer m_sinceZoom;
};

}  // namespace octet::ui
