// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/recipe/labels.h"

#include <QFrame>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>

#include "ui/widgets/theme.h"

namespace octet::ui {
namespace {

constexpr int kHelpPx = 11;

QLabel* labelWithRole(const QString& text, const QString& role, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    label->setProperty("role", role);
    return label;
}

}  // namespace

QLabel* dimLabel(const QString& text, QWidget* parent) {
    return labelWithRole(text, QStringLiteral("dim"), parent);
}

QLabel* helpLabel(const QString& text, QWidget* parent) {
    QLabel* label = dimLabel(text, parent);
    QFont font = textFont();
    font.setPixelSize(kHelpPx);
    label->setFont(font);
    label->setWordWrap(true);
    return label;
}

QLabel* wrappedLabel(const QString& text, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    return label;
}

QLabel* captionLabel(const QString& text, QWidget* parent) {
    QLabel* label = labelWithRole(text, QStringLiteral("caption"), parent);
    label->setFont(captionFont());
    return label;
}

QFrame* hairline(QWidget* parent) {
    auto* line = new QFrame(parent);
    line->setProperty("role", QStringLiteral("hairline"));
    return line;
}

QScrollArea* pageScroll(QWidget* page, QWidget* parent) {
    auto* scroll = new QScrollArea(parent);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setWidget(page);
    scroll->viewport()->setAutoFillBackground(false);
    page->setAutoFillBackground(false);  // setWidget switched it on
    return scroll;
}

QPushButton* segmentButton(const QString& text, Edge edge, QWidget* parent) {
    constexpr int kPadding = 28;
    auto* button = new QPushButton(text, parent);
    button->setCheckable(true);
    button->setProperty("role", QStringLiteral("segment"));
    if (edge == Edge::First) button->setProperty("edge", QStringLiteral("first"));
    if (edge == Edge::Last) button->setProperty("edge", QStringLiteral("last"));
    QFont checked = textFont();
    checked.setWeight(QFont::DemiBold);  // the one that is down is bold and must not move the others
    button->setMinimumWidth(QFontMetrics(checked).horizontalAdvance(text) + kPadding);
    return button;
}

}  // namespace octet::ui
