// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/recipe/semantics_switch.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QPushButton>

#include "engine/recipe/schema.h"
#include "ui/recipe/labels.h"

namespace octet::ui {

SemanticsSwitch::SemanticsSwitch(const recipe::FieldInfo& field, QWidget* parent)
    : FieldEditor(field, parent),
      m_library(segmentButton(tr("as the library does"), Edge::First, this)),
      m_documented(segmentButton(tr("as documented"), Edge::Last, this)) {
    auto* group = new QButtonGroup(this);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    for (QPushButton* button : {m_library, m_documented}) {
        button->setAccessibleName(button->text());
        button->setToolTip(QString::fromUtf8(field.help));
        group->addButton(button);
        row->addWidget(button);
        connect(button, &QPushButton::clicked, this, [this] { wasEdited(); });
    }
    m_library->setChecked(true);
}

std::vector<std::string> SemanticsSwitch::texts() const {
    return {recipe::nameOf(m_documented->isChecked() ? recipe::Semantics::Documented : recipe::Semantics::Library)};
}

void SemanticsSwitch::typeText(const QString& text) {
    put(text.toStdString());
    wasEdited();
}

void SemanticsSwitch::put(const recipe::FieldValue& value) {
    const bool documented = std::get<std::string>(value) == recipe::nameOf(recipe::Semantics::Documented);
    (documented ? m_documented : m_library)->setChecked(true);
}

QList<QWidget*> SemanticsSwitch::inputs() const {
    return {m_library, m_documented};
}

}  // namespace octet::ui
