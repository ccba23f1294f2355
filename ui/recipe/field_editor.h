// SPDX-License-Identifier: GPL-3.0-or-later
// An editor for one field of a schema table, chosen by the field's type. It reads what is typed with the same code that
// reads files and flags, says what it read or why it is no value, and keeps what was typed either way.
#pragma once

#include <QString>
#include <QStringList>
#include <QWidget>

#include "engine/recipe/field.h"

namespace octet::ui {

class FieldEditor : public QWidget {
    Q_OBJECT

public:
    /// @param suggestions  offered beside free text, for versions and texts
    static FieldEditor* make(const recipe::FieldInfo& field, const QStringList& suggestions, QWidget* parent);

    [[nodiscard]] const recipe::FieldInfo& field() const { return m_field; }

    /// Shows a value; what stands for the same value already is left as it was typed.
    void showValue(const recipe::FieldValue& value);

    /// Marks the editor and tells the reason to tool tip and screen reader; empty: all is well.
    void setProblem(const QString& reason);
    [[nodiscard]] const QString& problem() const { return m_problem; }

    void setEditorName(const QString& accessibleName);

    /// What stands in the editor, as the texts of a flag.
    [[nodiscard]] virtual std::vector<std::string> texts() const = 0;
    /// As a person would type it; for tests and for pasting.
    virtual void typeText(const QString& text) = 0;

signals:
    void valueEdited(const octet::recipe::FieldValue& value);
    void valueRefused(const QString& reason);

protected:
    FieldEditor(const recipe::FieldInfo& field, QWidget* parent);
    virtual void put(const recipe::FieldValue& value) = 0;
    [[nodiscard]] virtual QList<QWidget*> inputs() const = 0;
    void wasEdited();
    /// Ctrl+Z in a line of text is the document's, not the line's.
    void leaveUndoToDocument(QWidget* input);
    bool eventFilter(QObject* watched, QEvent* event) override;

    [[nodiscard]] virtual Result<recipe::FieldValue> read() const;

private:
    const recipe::FieldInfo& m_field;
    QString m_problem;
};

/// The reason of a refused value without the place: "Expected a whole number from 1 to 65,536, found 0."
[[nodiscard]] QString reasonText(const Error& error);

}  // namespace octet::ui
