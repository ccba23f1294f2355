// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of a list with a name and a dim second line below it.
#pragma once

#include <QStyledItemDelegate>

namespace octet::ui {

class TwoLineDelegate final : public QStyledItemDelegate {
    Q_OBJECT

public:
    /// @param detailRole  the second line
    explicit TwoLineDelegate(int detailRole, QObject* parent = nullptr)
        : QStyledItemDelegate(parent), m_detailRole(detailRole) {}

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    int m_detailRole;
};

}  // namespace octet::ui
