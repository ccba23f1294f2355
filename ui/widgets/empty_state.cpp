// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/empty_state.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace octet::ui {

EmptyState::EmptyState(const QString& sentence, const QString& button, QWidget* parent)
    : QWidget(parent),
      m_sentence(new QLabel(sentence, this)),
      m_button(button.isEmpty() ? nullptr : new QPushButton(button, this)) {
    m_sentence->setProperty("role", QStringLiteral("dim"));
    m_sentence->setWordWrap(true);
    m_sentence->setMaximumWidth(420);
    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(10);
    layout->addStretch(1);
    layout->addWidget(m_sentence);
    if (m_button) layout->addWidget(m_button, 0, Qt::AlignLeft);
    layout->addStretch(2);
    if (m_button) connect(m_button, &QPushButton::clicked, this, &EmptyState::clicked);
}

void EmptyState::setSentence(const QString& sentence) {
    m_sentence->setText(sentence);
}

}  // namespace octet::ui
