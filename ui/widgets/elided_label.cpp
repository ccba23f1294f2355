// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/elided_label.h"

#include <QEvent>
#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include "ui/widgets/theme.h"

namespace octet::ui {
namespace {

constexpr int kFewestLetters = 3;

QColor colourOf(ElidedLabel::Ink ink, const Theme& theme) {
    if (ink == ElidedLabel::Ink::Bad) return theme.bad;
    return ink == ElidedLabel::Ink::Dim ? theme.dim : theme.ink;
}

}  // namespace

ElidedLabel::ElidedLabel(const QString& text, Ink ink, QWidget* parent) : QWidget(parent), m_ink(ink) {
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setText(text);
}

void ElidedLabel::setText(const QString& text) {
    if (m_text == text && !accessibleName().isEmpty()) return;
    m_text = text;
    setAccessibleName(text);
    updateGeometry();
    update();
}

void ElidedLabel::setInk(Ink ink) {
    m_ink = ink;
    update();
}

void ElidedLabel::setElideMode(Qt::TextElideMode mode) {
    m_mode = mode;
    update();
}

QSize ElidedLabel::sizeHint() const {
    return {fontMetrics().horizontalAdvance(m_text) + 1, fontMetrics().height()};
}

QSize ElidedLabel::minimumSizeHint() const {
    const QString shortest = m_text.left(kFewestLetters) + QChar(0x2026);
    return {qMin(sizeHint().width(), fontMetrics().horizontalAdvance(shortest)), fontMetrics().height()};
}

void ElidedLabel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setPen(colourOf(m_ink, themeOf(this)));
    painter.drawText(rect(), Qt::AlignLeft | Qt::AlignVCenter, fontMetrics().elidedText(m_text, m_mode, width()));
}

bool ElidedLabel::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip && toolTip().isEmpty()) {
        const bool cut = fontMetrics().horizontalAdvance(m_text) > width();
        QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), cut ? m_text : QString(), this);
        return true;
    }
    return QWidget::event(event);
}

}  // namespace octet::ui
