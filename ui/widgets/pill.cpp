// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/pill.h"

#include <QFontMetrics>
#include <QPainter>

#include "ui/widgets/theme.h"

namespace octet::ui {
namespace {

constexpr int kSidePx = 7, kHeightPx = 17;

QFont pillFont() {
    QFont font = textFont();
    font.setPixelSize(11);
    return font;
}

struct PillColours {
    QColor back, ink;
};

PillColours coloursOf(Tone tone, const Theme& theme) {
    switch (tone) {
        case Tone::Ok:
            return {theme.okSoft, theme.ok};
        case Tone::Warn:
            return {theme.warnSoft, theme.warn};
        case Tone::Bad:
            return {theme.badSoft, theme.bad};
        case Tone::Accent:
            return {theme.accentSoft, theme.accent};
        case Tone::Neutral:
            break;
    }
    return {theme.hover, theme.dim};
}

}  // namespace

QSize pillSize(const QString& text) {
    return {QFontMetrics(pillFont()).horizontalAdvance(text) + 2 * kSidePx, kHeightPx};
}

void paintPill(QPainter& painter, const QRect& rect, const QString& text, Tone tone, const Theme& theme) {
    if (text.isEmpty()) return;
    const QSize size = pillSize(text);
    const QRect place(rect.left(), rect.top() + (rect.height() - size.height()) / 2, qMin(size.width(), rect.width()),
                      size.height());
    const PillColours colours = coloursOf(tone, theme);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colours.back);
    painter.drawRoundedRect(place, kHeightPx / 2.0, kHeightPx / 2.0);
    painter.setPen(colours.ink);
    painter.setFont(pillFont());
    const QString shown = painter.fontMetrics().elidedText(text, Qt::ElideRight, place.width() - 2 * kSidePx + 1);
    painter.drawText(place, Qt::AlignCenter, shown);
    painter.restore();
}

Pill::Pill(const QString& text, Tone tone, QWidget* parent) : QWidget(parent), m_tone(tone) {
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setText(text, tone);
}

void Pill::setText(const QString& text, Tone tone) {
    m_text = text;
    m_tone = tone;
    setAccessibleName(text);
    updateGeometry();
    update();
}

QSize Pill::sizeHint() const {
    return pillSize(m_text);
}

void Pill::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    paintPill(painter, rect(), m_text, m_tone, themeOf(this));
}

}  // namespace octet::ui
