// SPDX-License-Identifier: GPL-3.0-or-later
// A small table with one column a run: names on the left, figures right-aligned in tabular digits, hairlines between.
// Text that doesn't fit ends in "...", and is whole in the tool tip.
#pragma once

#include <QWidget>

#include "ui/runs/verdict_texts.h"

namespace octet::ui {

class FigureTable final : public QWidget {
    Q_OBJECT

public:
    explicit FigureTable(const QString& accessibleName, QWidget* parent = nullptr);

    void setTable(const FigureTableText& table);
    [[nodiscard]] const FigureTableText& table() const { return m_table; }
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    [[nodiscard]] QRect cell(int row, int column) const;  // row -1: the head; column -1: the names
    [[nodiscard]] QString textAt(int row, int column) const;
    [[nodiscard]] QString spoken() const;

    FigureTableText m_table;
};

}  // namespace octet::ui
