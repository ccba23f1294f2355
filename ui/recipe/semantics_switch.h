// SPDX-License-Identifier: GPL-3.0-or-later
// The editor of `semantics`: two buttons, as the library does or as documented.
#pragma once

#include "ui/recipe/field_editor.h"

class QPushButton;

namespace octet::ui {

class SemanticsSwitch final : public FieldEditor {
    Q_OBJECT

public:
    SemanticsSwitch(const recipe::FieldInfo& field, QWidget* parent);
    [[nodiscard]] std::vector<std::string> texts() const override;
    void typeText(const QString& text) override;

protected:
    void put(const recipe::FieldValue& value) override;
    [[nodiscard]] QList<QWidget*> inputs() const override;

private:
    QPushButton* m_library;
    QPushButton* m_documented;
};

}  // namespace octet::ui
