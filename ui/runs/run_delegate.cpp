// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/run_delegate.h"

#include <QAbstractItemView>
#include <QKeyEvent>
#include <QPainter>

#include "ui/models/run_list_model.h"
#include "ui/widgets/theme.h"

namespace octet::ui {
namespace {

constexpr int kCaptionHeight = 28, kRunHeight = 43, kSide = 12, kSquare = 11, kTextLeft = 34;

bool isExperiment(const QModelIndex& index) {
    return index.data(RunListModel::IsExperimentRole).toBool();
}

QRect squareIn(const QRect& row) {
    return {row.left() + kSide, row.top() + (row.height() - kSquare) / 2, kSquare, kSquare};
}

void paintCaption(QPainter& painter, const QRect& row, const QModelIndex& index, const Theme& theme) {
    painter.setFont(captionFont());
    painter.setPen(theme.dim);
    const QRect place = row.adjusted(kSide, 6, -kSide, 0);
    const QString count = QStringLiteral("  \u00b7  ") + index.data(RunListModel::DetailRole).toString().toUpper();
    const int countWidth = painter.fontMetrics().horizontalAdvance(count);
    const QString name =
        painter.fontMetrics().elidedText(index.data().toString().toUpper(), Qt::ElideRight, place.width() - countWidth);
    painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter, name + count);
}

void paintSquare(QPainter& painter, const QRect& place, const QModelIndex& index, const Theme& theme) {
    const QColor colour = runColour(index.data(RunListModel::ColourIndexRole).toInt(), theme);
    const bool isVisible = index.data(RunListModel::VisibleRole).toBool();
    painter.setPen(QPen(isVisible ? colour : theme.faint, 1));
    painter.setBrush(isVisible ? QBrush(colour) : Qt::NoBrush);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.drawRoundedRect(QRectF(place).adjusted(0.5, 0.5, -0.5, -0.5), 2, 2);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void paintProgress(QPainter& painter, const QRect& row, const QModelIndex& index, const Theme& theme) {
    const double progress = index.data(RunListModel::ProgressRole).toDouble();
    const auto tone = static_cast<Tone>(index.data(RunListModel::PillToneRole).toInt());
    if (tone != Tone::Accent || progress <= 0 || progress >= 1) return;
    const QRect track(row.left() + kTextLeft, row.bottom() - 3, row.width() - kTextLeft - kSide, 2);
    painter.fillRect(track, theme.line);
    painter.fillRect(QRect(track.topLeft(), QSize(static_cast<int>(track.width() * progress), 2)), theme.accent);
}

void paintRun(QPainter& painter, const QRect& row, const QModelIndex& index, const Theme& theme) {
    paintSquare(painter, squareIn(row), index, theme);
    const QString pill = index.data(RunListModel::PillTextRole).toString();
    const QSize pillRoom = pillSize(pill);
    const QRect pillPlace(row.right() - kSide - pillRoom.width() + 1, row.top(), pillRoom.width(), row.height());
    paintPill(painter, pillPlace, pill, static_cast<Tone>(index.data(RunListModel::PillToneRole).toInt()), theme);

    const int width = pillPlace.left() - 8 - (row.left() + kTextLeft);
    const QRect name(row.left() + kTextLeft, row.top() + 4, width, 18);
    painter.setFont(textFont());
    painter.setPen(index.data(RunListModel::VisibleRole).toBool() ? theme.ink : theme.dim);
    painter.drawText(name, Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(index.data().toString(), Qt::ElideMiddle, width));
    QFont small = textFont();
    small.setPixelSize(11);
    painter.setFont(small);
    painter.setPen(theme.dim);
    const QString detail = index.data(RunListModel::DetailRole).toString();
    painter.drawText(name.translated(0, 17), Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(detail, Qt::ElideRight, width));
    paintProgress(painter, row, index, theme);
}

}  // namespace

QSize RunDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    return {option.rect.width(), isExperiment(index) ? kCaptionHeight : kRunHeight};
}

void RunDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const Theme& theme = themeOf(option.widget);
    painter->save();
    if (option.state & QStyle::State_Selected)
        painter->fillRect(option.rect, theme.accentSoft);
    else if (option.state & QStyle::State_MouseOver && !isExperiment(index))
        painter->fillRect(option.rect, theme.hover);
    if (isExperiment(index))
        paintCaption(*painter, option.rect, index, theme);
    else
        paintRun(*painter, option.rect, index, theme);
    painter->restore();
}

bool RunDelegate::editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem&,
                              const QModelIndex& index) {
    if (isExperiment(index)) return false;
    const auto toggle = [&] {
        return model->setData(index, !index.data(RunListModel::VisibleRole).toBool(), RunListModel::VisibleRole);
    };
    if (event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Space) return toggle();
    return false;
}

bool RunDelegate::isEye(const QRect& row, const QPoint& at) {
    return QRect(row.left(), row.top(), kTextLeft - 2, row.height()).contains(at);
}

}  // namespace octet::ui
