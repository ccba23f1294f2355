// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/figure_table.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

#include "ui/widgets/theme.h"

namespace octet::ui {
namespace {

constexpr int kRowHeight = 22, kGap = 8, kNameShare = 29;

QFont headFont() {
    QFont font = textFont();
    font.setPixelSize(12);
    return font;
}

}  // namespace

FigureTable::FigureTable(const QString& accessibleName, QWidget* parent) : QWidget(parent) {
    setAccessibleName(accessibleName);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void FigureTable::setTable(const FigureTableText& table) {
    if (m_table == table) return;
    const bool isResized = m_table.rows.size() != table.rows.size();
    m_table = table;
    setAccessibleDescription(spoken());
    if (isResized) updateGeometry();
    update();
}

QSize FigureTable::sizeHint() const {
    return {260, kRowHeight * (static_cast<int>(m_table.rows.size()) + 1)};
}

QSize FigureTable::minimumSizeHint() const {
    return {160, sizeHint().height()};
}

QRect FigureTable::cell(int row, int column) const {
    const auto columns = static_cast<int>(m_table.columns.size());
    const int names = columns == 0 ? width() : std::max(width() * kNameShare / 100, 86);
    const int top = (row + 1) * kRowHeight;
    if (column < 0) return {0, top, names, kRowHeight};
    const int each = (width() - names) / columns;
    return {names + column * each + kGap, top, each - kGap, kRowHeight};
}

QString FigureTable::textAt(int row, int column) const {
    if (row < 0) return column < 0 ? m_table.corner : m_table.columns[static_cast<size_t>(column)].title;
    const FigureTableText::Row& line = m_table.rows[static_cast<size_t>(row)];
    return column < 0 ? line.name : line.values.value(column);
}

void FigureTable::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = themeOf(this);
    const auto rows = static_cast<int>(m_table.rows.size()), columns = static_cast<int>(m_table.columns.size());
    for (int row = -1; row < rows; ++row) {
        for (int column = -1; column < columns; ++column) {
            painter.setFont(column < 0 ? textFont() : row < 0 ? headFont() : numberFont());
            const int colour = column < 0 ? -1 : m_table.columns[static_cast<size_t>(column)].colourIndex;
            painter.setPen(row >= 0     ? (column < 0 ? theme.dim : theme.ink)
                           : colour < 0 ? theme.dim
                                        : runColour(colour, theme));
            const QRect place = cell(row, column);
            const QString text = painter.fontMetrics().elidedText(textAt(row, column), Qt::ElideRight, place.width());
            painter.drawText(place, (column < 0 ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter, text);
        }
        painter.setPen(theme.grid);
        const int bottom = (row + 2) * kRowHeight - 1;
        painter.drawLine(0, bottom, width(), bottom);
    }
}

bool FigureTable::event(QEvent* event) {
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) update();
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    for (int row = -1; row < static_cast<int>(m_table.rows.size()); ++row) {
        for (int column = -1; column < static_cast<int>(m_table.columns.size()); ++column)
            if (cell(row, column).contains(help->pos())) {
                QToolTip::showText(help->globalPos(), textAt(row, column), this);
                return true;
            }
    }
    return QWidget::event(event);
}

/// "loss: hybrid-16 1.7325, e4m3-16 1.7370; ..."
QString FigureTable::spoken() const {
    QStringList lines;
    for (const FigureTableText::Row& row : m_table.rows) {
        QStringList parts;
        for (size_t i = 0; i < m_table.columns.size(); ++i)
            parts << m_table.columns[i].title + QLatin1Char(' ') + row.values.value(static_cast<int>(i));
        lines << row.name + QStringLiteral(": ") + parts.join(QStringLiteral(", "));
    }
    return lines.join(QStringLiteral("; "));
}

}  // namespace octet::ui
