// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/message_strip.h"

#include <QAccessible>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include "ui/widgets/icons.h"
#include "ui/widgets/style_sheet.h"

namespace octet::ui {

MessageStrip::MessageStrip(QWidget* parent)
    : QFrame(parent), m_icon(new QLabel(this)), m_text(new QLabel(this)), m_close(new QToolButton(this)) {
    setProperty("role", QStringLiteral("message"));
    m_text->setWordWrap(true);
    m_text->setTextFormat(Qt::PlainText);  // file names may hold anything
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_close->setProperty("role", QStringLiteral("quiet"));
    m_close->setIcon(themedIcon(QStringLiteral("close")));
    m_close->setToolTip(tr("Dismiss"));
    m_close->setAccessibleName(tr("Dismiss message"));
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(12, 5, 8, 5);
    layout->setSpacing(8);
    layout->addWidget(m_icon);
    layout->addWidget(m_text, 1);
    layout->addWidget(m_close);
    connect(m_close, &QToolButton::clicked, this, &MessageStrip::dismiss);
    hide();
}

void MessageStrip::showMessage(const QString& sentence, Kind kind) {
    m_kind = kind;
    const bool isError = kind == Kind::Error;
    m_icon->setPixmap(themedIcon(isError ? QStringLiteral("alert") : QStringLiteral("info")).pixmap(QSize(16, 16)));
    m_text->setText(sentence);
    setAccessibleName(sentence);
    setStyleProperty(this, "kind", isError ? QStringLiteral("error") : QStringLiteral("info"));
    show();
    QAccessibleEvent announcement(this, QAccessible::Alert);
    QAccessible::updateAccessibility(&announcement);
}

void MessageStrip::dismiss() {
    if (isHidden()) return;
    hide();
    m_text->clear();
    emit dismissed();
}

QString MessageStrip::sentence() const {
    return m_text->text();
}

}  // namespace octet::ui
