// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/stack_input.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "ui/plots/sample_steps.h"

namespace octet::ui {
namespace {

constexpr double kClickPixels = 5, kFlatPixels = 12, kNotch = 0.82;
constexpr int kBurstMs = 700;

QCPRange zoomed(const QCPRange& range, double centre, double by) {
    return {centre - (centre - range.lower) * by, centre + (range.upper - centre) * by};
}

double valueAt(const QCPRange& range, double share) {
    return range.lower + share * range.size();
}

}  // namespace

StackInput::StackInput(StackPlot* plot) : QObject(plot), m_plot(plot) {
    plot->installEventFilter(this);
}

bool StackInput::eventFilter(QObject* watched, QEvent* event) {
    switch (event->type()) {
        case QEvent::MouseButtonPress:
            return press(static_cast<QMouseEvent*>(event));
        case QEvent::MouseMove:
            return move(static_cast<QMouseEvent*>(event));
        case QEvent::MouseButtonRelease:
            return release(static_cast<QMouseEvent*>(event));
        case QEvent::MouseButtonDblClick:
            return doubleClick(static_cast<QMouseEvent*>(event));
        case QEvent::Wheel:
            return wheel(static_cast<QWheelEvent*>(event));
        case QEvent::KeyPress:
            return key(static_cast<QKeyEvent*>(event));
        case QEvent::ToolTip:
            return toolTip(static_cast<QHelpEvent*>(event));
        case QEvent::ShortcutOverride:  // the window's shortcuts give way to ours
            if (!isOurKey(static_cast<QKeyEvent*>(event))) break;
            event->accept();
            return true;
        case QEvent::FocusIn:
            showFocus(static_cast<QFocusEvent*>(event)->reason());
            break;
        case QEvent::FocusOut:
            m_plot->setFocused(false);
            break;
        default:
            break;
    }
    return QObject::eventFilter(watched, event);
}

// The frame of the current card shows where keys go; a mouse knows by itself.
void StackInput::showFocus(Qt::FocusReason reason) {
    m_plot->setFocused(reason == Qt::TabFocusReason || reason == Qt::BacktabFocusReason ||
                       reason == Qt::ShortcutFocusReason);
}

StackInput::Place StackInput::placeOf(const QPointF& at) const {
    for (int index = 0; index < static_cast<int>(m_plot->scene().cards.size()); ++index) {
        const QCPAxisRect* rect = card(index).rect;
        if (!rect->outerRect().contains(at.toPoint())) continue;
        if (at.y() < rect->top()) return {index, Region::Head};
        if (at.x() < rect->left()) return {index, Region::YAxis};
        return {index, at.y() > rect->bottom() ? Region::XAxis : Region::Plot};
    }
    return {};
}

const LegendEntry* StackInput::legendAt(const QPointF& at) const {
    for (const TrackCard& each : m_plot->scene().cards)
        for (const LegendEntry& entry : each.legend)
            if (entry.area.contains(at)) return &entry;
    return nullptr;
}

bool StackInput::press(QMouseEvent* event) {
    const Place place = placeOf(event->position());
    m_from = m_to = event->position();
    m_moved = false;
    m_card = place.card;
    m_plot->setCurrentCard(place.card);
    if (const LegendEntry* entry = legendAt(m_from); entry && event->button() == Qt::LeftButton) {
        emit m_plot->legendClicked(entry->run, false);
        return true;
    }
    if (place.region == Region::Outside || place.region == Region::Head) return true;
    const bool shift = event->modifiers().testFlag(Qt::ShiftModifier);
    const bool pans = event->button() == Qt::MiddleButton || (event->button() == Qt::LeftButton && shift);
    if (pans) {
        m_drag = Drag::Pan;
        m_before = m_plot->view();
        m_xBefore = m_plot->xRange();
        m_yBefore = card(m_card).rect->axis(QCPAxis::atLeft)->range();
        m_plot->setCursor(Qt::ClosedHandCursor);
    } else if (event->button() == Qt::LeftButton && place.region == Region::Plot) {
        m_drag = Drag::Box;
    }
    return true;
}

bool StackInput::move(QMouseEvent* event) {
    m_to = event->position();
    if (m_drag != Drag::None && (m_to - m_from).manhattanLength() >= kClickPixels) m_moved = true;
    if (m_drag == Drag::Pan) {
        if (m_moved) pan(m_to);
        return true;
    }
    if (m_drag == Drag::Box) {
        const QRectF plot = card(m_card).rect->rect();
        m_to =
            QPointF(std::clamp(m_to.x(), plot.left(), plot.right()), std::clamp(m_to.y(), plot.top(), plot.bottom()));
        QRectF box = QRectF(m_from, m_to).normalized();
        if (box.height() < kFlatPixels) box = QRectF(box.left(), plot.top(), box.width(), plot.height());
        if (m_moved) m_plot->setRubberBand(box);
        return true;
    }
    const Place place = placeOf(m_to);
    m_plot->setCursor(legendAt(m_to) ? Qt::PointingHandCursor : Qt::ArrowCursor);
    if (place.region == Region::Plot) {
        const QCPAxisRect* rect = card(place.card).rect;
        pointAt(valueAt(m_plot->xRange(), (m_to.x() - rect->left()) / rect->width()));
    }
    return true;
}

bool StackInput::release(QMouseEvent*) {
    if (m_drag == Drag::Box && m_moved) zoomBox();
    m_drag = Drag::None;
    m_plot->setRubberBand({});
    m_plot->setCursor(Qt::ArrowCursor);
    return true;
}

bool StackInput::doubleClick(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return true;
    const Place place = placeOf(event->position());
    if (const LegendEntry* entry = legendAt(event->position())) {
        emit m_plot->legendClicked(entry->run, true);
    } else if (place.region == Region::YAxis) {
        StackView view = m_plot->view();
        view.y.erase(card(place.card).track.key);
        m_plot->changeView(view, StackPlot::Step::New);
    } else if (place.region != Region::Outside) {
        m_plot->follow();
    }
    return true;
}

bool StackInput::wheel(QWheelEvent* event) {
    const Place place = placeOf(event->position());
    const double notches = event->angleDelta().y() / 120.0;
    if (notches == 0 || place.region == Region::Outside || place.region == Region::Head) return false;
    const double by = std::pow(kNotch, notches);
    const QCPAxisRect* rect = card(place.card).rect;
    if (place.region == Region::YAxis) {
        const QCPRange y = rect->axis(QCPAxis::atLeft)->range();
        zoomY(place.card, valueAt(y, (rect->bottom() + 1 - event->position().y()) / rect->height()), by, burst());
    } else {
        zoomX(valueAt(m_plot->xRange(), (event->position().x() - rect->left()) / rect->width()), by, burst());
    }
    return true;
}

bool StackInput::isOurKey(const QKeyEvent* event) {
    const auto held = event->modifiers() & ~(Qt::KeypadModifier | Qt::ShiftModifier);
    switch (event->key()) {
        case Qt::Key_Left:
        case Qt::Key_Right:
            return held == Qt::NoModifier || held == Qt::AltModifier;
        case Qt::Key_Plus:
        case Qt::Key_Equal:
        case Qt::Key_Minus:
            return held == Qt::NoModifier || held == Qt::ControlModifier;
        case Qt::Key_Up:
        case Qt::Key_Down:
        case Qt::Key_Home:
        case Qt::Key_End:
        case Qt::Key_F:
            return held == Qt::NoModifier;
        default:
            return false;
    }
}

bool StackInput::key(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape) {
        if (m_drag == Drag::None && !m_plot->selection()->cursor()) return false;
        if (m_drag == Drag::None) m_plot->selection()->setCursor(std::nullopt);
        m_drag = Drag::None;
        m_plot->setRubberBand({});
        return true;
    }
    if (!isOurKey(event)) return false;
    m_plot->setFocused(true);
    const bool alt = event->modifiers().testFlag(Qt::AltModifier);
    const int stride = event->modifiers().testFlag(Qt::ShiftModifier) ? 10 : 1;
    const auto& extent = m_plot->extent();
    switch (event->key()) {
        case Qt::Key_Left:
            alt ? m_plot->back() : moveCursor(-stride);
            break;
        case Qt::Key_Right:
            alt ? m_plot->forward() : moveCursor(stride);
            break;
        case Qt::Key_Up:
            m_plot->setCurrentCard(m_plot->scene().currentCard - 1);
            break;
        case Qt::Key_Down:
            m_plot->setCurrentCard(m_plot->scene().currentCard + 1);
            break;
        case Qt::Key_Home:
            if (extent) showCursor(extent->lower);
            break;
        case Qt::Key_End:
            if (extent) showCursor(extent->upper);
            break;
        case Qt::Key_F:
            m_plot->follow();
            break;
        default:
            return zoomKey(event);
    }
    return true;
}

bool StackInput::zoomKey(QKeyEvent* event) {
    const double by = event->key() == Qt::Key_Minus ? 1 / kNotch : kNotch;
    const int current = m_plot->scene().currentCard;
    if (event->modifiers().testFlag(Qt::ControlModifier)) {
        if (current < static_cast<int>(m_plot->scene().cards.size()))
            zoomY(current, card(current).rect->axis(QCPAxis::atLeft)->range().center(), by, burst());
        return true;
    }
    const QCPRange x = m_plot->xRange();
    const auto cursor = m_plot->selection()->cursor();
    zoomX(cursor && x.contains(*cursor) ? *cursor : x.center(), by, burst());
    return true;
}

bool StackInput::toolTip(QHelpEvent* event) {
    const LegendEntry* entry = legendAt(event->pos());
    if (!entry) {
        QToolTip::hideText();
        return true;
    }
    const QString hint = tr("%1\nClick hides or shows it, double click shows it alone.").arg(entry->name);
    QToolTip::showText(event->globalPos(), hint, m_plot, entry->area.toRect());
    return true;
}

StackPlot::Step StackInput::burst() {
    const bool goesOn = m_sinceZoom.isValid() && m_sinceZoom.elapsed() < kBurstMs;
    m_sinceZoom.start();
    return goesOn ? StackPlot::Step::Continued : StackPlot::Step::New;
}

void StackInput::zoomBox() {
    const QRectF box = QRectF(m_from, m_to).normalized();
    const QCPAxisRect* rect = card(m_card).rect;
    const QCPRange x = m_plot->xRange(), y = rect->axis(QCPAxis::atLeft)->range();
    StackView view = m_plot->view();
    if (box.width() >= kClickPixels)
        view.x = QCPRange(valueAt(x, (box.left() - rect->left()) / rect->width()),
                          valueAt(x, (box.right() - rect->left()) / rect->width()));
    if (box.height() >= kFlatPixels)
        view.y[card(m_card).track.key] = QCPRange(valueAt(y, (rect->bottom() + 1 - box.bottom()) / rect->height()),
                                                  valueAt(y, (rect->bottom() + 1 - box.top()) / rect->height()));
    m_plot->changeView(view, StackPlot::Step::New);
}

// Up and down only where a person chose the y range; else it follows what is visible.
void StackInput::pan(const QPointF& to) {
    const QCPAxisRect* rect = card(m_card).rect;
    StackView view = m_before;
    const double x = (m_from.x() - to.x()) / rect->width() * m_xBefore.size();
    view.x = QCPRange(m_xBefore.lower + x, m_xBefore.upper + x);
    if (const auto chosen = view.y.find(card(m_card).track.key); chosen != view.y.end()) {
        const double y = (to.y() - m_from.y()) / rect->height() * m_yBefore.size();
        chosen->second = QCPRange(m_yBefore.lower + y, m_yBefore.upper + y);
    }
    const bool first = m_plot->view() == m_before;
    m_plot->changeView(view, first ? StackPlot::Step::New : StackPlot::Step::Continued);
}

void StackInput::zoomX(double centre, double by, StackPlot::Step step) {
    StackView view = m_plot->view();
    view.x = zoomed(m_plot->xRange(), centre, by);
    m_plot->changeView(view, step);
}

void StackInput::zoomY(int index, double centre, double by, StackPlot::Step step) {
    StackView view = m_plot->view();
    view.y[card(index).track.key] = zoomed(card(index).rect->axis(QCPAxis::atLeft)->range(), centre, by);
    m_plot->changeView(view, step);
}

// The crosshair stands on a sample: the last one at or before the mouse.
void StackInput::pointAt(double x) {
    const auto sample = lastSampleAt(m_plot->scene(), x);
    m_plot->selection()->setCursor(sample ? *sample : x);
}

void StackInput::moveCursor(int samples) {
    const auto& extent = m_plot->extent();
    if (!extent) return;
    double at = m_plot->selection()->cursor().value_or(samples > 0 ? m_plot->xRange().lower : m_plot->xRange().upper);
    for (int step = 0; step < std::abs(samples); ++step) {
        const auto next = samples > 0 ? nextSample(m_plot->scene(), at) : previousSample(m_plot->scene(), at);
        if (!next) break;
        at = *next;
    }
    showCursor(at);
}

// Moves the view along when the crosshair leaves it.
void StackInput::showCursor(double x) {
    m_plot->selection()->setCursor(x);
    const QCPRange range = m_plot->xRange();
    if (range.contains(x)) return;
    StackView view = m_plot->view();
    const double shift = x < range.lower ? x - range.lower - 0.1 * range.size() : x - range.upper + 0.1 * range.size();
    view.x = QCPRange(range.lower + shift, range.upper + shift);
    m_plot->changeView(view, burst());
}

}  // namespace octet::ui
