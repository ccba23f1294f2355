// SPDX-License-Identifier: GPL-3.0-or-later
// Paints the run list: experiments as captions; runs with a colour square that is their eye, name, a dim second line,
// a state pill and a thin progress line while they train.
#pragma once

#include <QStyledItemDelegate>

namespace octet::ui {

class RunDelegate final : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;

    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    /// The colour square with room around it, for the mouse.
    [[nodiscard]] static bool isEye(const QRect& row, const QPoint& at);
    /// Space toggles the eye.
    bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                     const QModelIndex& index) override;
};

}  // namespace octet::ui
