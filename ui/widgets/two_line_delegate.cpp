// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/two_line_delegate.h"

#include <QPainter>

#include "ui/widgets/theme.h"

namespace octet::ui {
namespace {

constexpr int kHeightPx = 42, kSidePx = 6, kRadiusPx = 6;

QFont detailFont() {
    QFont font = textFont();
    font.setPixelSize(11);
    return font;
}

}  // namespace

void TwoLineDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const Theme& theme = themeOf(option.widget);
    const bool selected = option.state.testFlag(QStyle::State_Selected);
    const bool hovered = option.state.testFlag(QStyle::State_MouseOver);
    const QRect room = option.rect.adjusted(kSidePx, 4, -kSidePx, -4);
    const QRect upper(room.left(), room.top(), room.width(), room.height() / 2);
    const QRect lower(room.left(), upper.bottom() + 1, room.width(), room.height() - upper.height());
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    if (selected || hovered) {
        painter->setPen(Qt::NoPen);
        painter->setBrush(selected ? theme.accentSoft : theme.hover);
        painter->drawRoundedRect(option.rect, kRadiusPx, kRadiusPx);
    }
    const auto line = [&](const QRect& place, const QFont& font, const QColor& colour, const QString& text) {
        painter->setFont(font);
        painter->setPen(colour);
        painter->drawText(place, Qt::AlignLeft | Qt::AlignVCenter,
                          painter->fontMetrics().elidedText(text, Qt::ElideRight, place.width()));
    };
    line(upper, textFont(), theme.ink, index.data(Qt::DisplayRole).toString());
    line(lower, detailFont(), theme.dim, index.data(m_detailRole).toString());
    painter->restore();
}

QSize TwoLineDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const {
    return {120, kHeightPx};
}

}  // namespace octet::ui
