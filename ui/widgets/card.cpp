// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/card.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "ui/widgets/elided_label.h"
#include "ui/widgets/theme.h"

namespace octet::ui {
namespace {

constexpr int kSidePx = 10;

}  // namespace

Card::Card(const QString& title, QWidget* parent)
    : QFrame(parent),
      m_title(new QLabel(this)),
      m_caption(new ElidedLabel({}, ElidedLabel::Ink::Dim, this)),
      m_head(new QHBoxLayout),
      m_body(new QVBoxLayout) {
    setProperty("role", QStringLiteral("card"));
    m_title->setProperty("role", QStringLiteral("caption"));
    m_title->setFont(captionFont());
    m_head->setSpacing(10);
    m_head->addWidget(m_title);
    m_head->addWidget(m_caption, 1);
    m_body->setSpacing(8);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 8, 0, 8);
    m_head->setContentsMargins(kSidePx, 0, kSidePx, 0);
    m_body->setContentsMargins(kSidePx, 0, kSidePx, 0);
    layout->setSpacing(6);
    layout->addLayout(m_head);
    layout->addLayout(m_body, 1);
    setTitle(title);
}

void Card::setTitle(const QString& title) {
    m_title->setText(title);
    setAccessibleName(title);
}

void Card::setCaption(const QString& caption) {
    m_caption->setText(caption);
}

void Card::addToHead(QWidget* widget) {
    m_head->addWidget(widget);
}

}  // namespace octet::ui
