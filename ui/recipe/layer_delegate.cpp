// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/recipe/layer_delegate.h"

#include <QLineEdit>
#include <QPainter>

#include "ui/recipe/layer_model.h"
#include "ui/recipe/rule_model.h"
#include "ui/widgets/pill.h"
#include "ui/widgets/theme.h"

namespace octet::ui {
namespace {

Tone toneOf(LayerModel::Precision precision) {
    switch (precision) {
        case LayerModel::Precision::Fp8:
            return Tone::Accent;
        case LayerModel::Precision::HighByRule:
            return Tone::Warn;
        case LayerModel::Precision::High:
            break;
    }
    return Tone::Neutral;
}

}  // namespace

void LayerDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const QVariant precision = index.data(LayerModel::PrecisionRole);
    if (!precision.isValid()) {
        QStyledItemDelegate::paint(painter, option, index);
        return;
    }
    QStyleOptionViewItem background = option;
    initStyleOption(&background, index);
    background.text.clear();
    const QWidget* widget = option.widget;
    widget->style()->drawControl(QStyle::CE_ItemViewItem, &background, painter, widget);
    paintPill(*painter, option.rect.adjusted(6, 0, -2, 0), index.data().toString(),
              toneOf(static_cast<LayerModel::Precision>(precision.toInt())), themeOf(widget));
}

QSize LayerDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    if (!index.data(LayerModel::PrecisionRole).isValid()) return QStyledItemDelegate::sizeHint(option, index);
    return pillSize(index.data().toString()) + QSize(12, 4);
}

void LayerDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
    QStyledItemDelegate::initStyleOption(option, index);
    if (index.column() == LayerModel::Name) option->textElideMode = Qt::ElideMiddle;
    if (index.column() != LayerModel::Why) return;
    const Theme& theme = themeOf(option->widget);
    const QColor ink = index.data(LayerModel::IsEmphasisedRole).toBool() ? theme.warn : theme.dim;
    option->palette.setColor(QPalette::Text, ink);
    option->palette.setColor(QPalette::HighlightedText, ink);
}

QWidget* RuleDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem& option,
                                    const QModelIndex& index) const {
    QWidget* editor = QStyledItemDelegate::createEditor(parent, option, index);
    if (editor)
        editor->setAccessibleName(
            index.model()->headerData(index.column(), Qt::Horizontal, Qt::DisplayRole).toString());
    if (auto* line = qobject_cast<QLineEdit*>(editor))
        line->setStyleSheet(QStringLiteral("QLineEdit { border-radius: 0; padding: 0 5px; min-height: 0; }"));
    return editor;
}

void RuleDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
    QStyledItemDelegate::initStyleOption(option, index);
    if (!index.data(RuleModel::IsWrongRole).toBool()) return;
    const QColor bad = themeOf(option->widget).bad;
    option->palette.setColor(QPalette::Text, bad);
    option->palette.setColor(QPalette::HighlightedText, bad);
}

}  // namespace octet::ui
