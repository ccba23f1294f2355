// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/recipe/field_editor.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QSignalBlocker>
#include <array>

#include "engine/recipe/recipe.h"
#include "ui/recipe/number_edit.h"
#include "ui/widgets/style_sheet.h"
#include "ui/widgets/theme.h"

namespace octet::ui {
namespace {

using recipe::FieldInfo;
using recipe::FieldType;
using recipe::FieldValue;

QHBoxLayout* rowIn(QWidget* widget) {
    auto* row = new QHBoxLayout(widget);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    return row;
}

class NumberField final : public FieldEditor {
public:
    NumberField(const FieldInfo& field, QWidget* parent)
        : FieldEditor(field, parent),
          m_edit(new NumberEdit(field.type == FieldType::Integer, field.low, field.high, this)) {
        m_edit->setFont(numberFont());
        rowIn(this)->addWidget(m_edit);
        leaveUndoToDocument(m_edit->line());
        leaveUndoToDocument(m_edit);  // a spin box hands key events to its line behind the line's filters
        connect(m_edit, &NumberEdit::edited, this, [this] { wasEdited(); });
    }
    std::vector<std::string> texts() const override { return {m_edit->line()->text().trimmed().toStdString()}; }
    void typeText(const QString& text) override {
        m_edit->setNumberText(text);
        wasEdited();
    }

protected:
    void put(const FieldValue& value) override {
        m_edit->setNumberText(QString::fromStdString(recipe::fieldText(value)));
    }
    QList<QWidget*> inputs() const override { return {m_edit}; }

private:
    NumberEdit* m_edit;
};

class LineField final : public FieldEditor {
public:
    LineField(const FieldInfo& field, QWidget* parent) : FieldEditor(field, parent), m_edit(new QLineEdit(this)) {
        if (field.type != FieldType::Text) m_edit->setFont(numberFont());
        rowIn(this)->addWidget(m_edit);
        leaveUndoToDocument(m_edit);
        connect(m_edit, &QLineEdit::textEdited, this, [this] { wasEdited(); });
    }
    std::vector<std::string> texts() const override { return {m_edit->text().trimmed().toStdString()}; }
    void typeText(const QString& text) override {
        m_edit->setText(text);
        wasEdited();
    }

protected:
    void put(const FieldValue& value) override {
        m_edit->setText(QString::fromStdString(recipe::fieldText(value)));
        m_edit->setCursorPosition(0);
    }
    QList<QWidget*> inputs() const override { return {m_edit}; }

private:
    QLineEdit* m_edit;
};

/// A choice, or free text with suggestions.
class ComboField final : public FieldEditor {
public:
    ComboField(const FieldInfo& field, const QStringList& entries, bool isFree, QWidget* parent)
        : FieldEditor(field, parent), m_combo(new QComboBox(this)) {
        m_combo->addItems(entries);
        m_combo->setFont(numberFont());
        m_combo->setFocusPolicy(Qt::StrongFocus);
        m_combo->setEditable(isFree);
        m_combo->setInsertPolicy(QComboBox::NoInsert);
        m_combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        m_combo->setMinimumContentsLength(4);
        m_combo->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
        if (isFree) {
            m_combo->lineEdit()->setFont(numberFont());
            m_combo->lineEdit()->setStyleSheet(QStringLiteral("border: 0; padding: 0; background: transparent;"));
            leaveUndoToDocument(m_combo->lineEdit());
        }
        rowIn(this)->addWidget(m_combo);
        leaveUndoToDocument(m_combo);
        const auto signal = isFree ? &QComboBox::editTextChanged : &QComboBox::currentTextChanged;
        connect(m_combo, signal, this, [this] { wasEdited(); });
    }
    std::vector<std::string> texts() const override { return {m_combo->currentText().trimmed().toStdString()}; }
    void typeText(const QString& text) override {
        m_combo->setCurrentText(text);
        wasEdited();
    }

protected:
    void put(const FieldValue& value) override {
        const QSignalBlocker quiet(m_combo);
        m_combo->setCurrentText(QString::fromStdString(recipe::fieldText(value)));
        if (m_combo->lineEdit()) m_combo->lineEdit()->setCursorPosition(0);
    }
    QList<QWidget*> inputs() const override { return {m_combo}; }

private:
    QComboBox* m_combo;
};

class CheckField final : public FieldEditor {
public:
    CheckField(const FieldInfo& field, QWidget* parent) : FieldEditor(field, parent), m_box(new QCheckBox(this)) {
        rowIn(this)->addWidget(m_box);
        nameState();
        connect(m_box, &QCheckBox::toggled, this, [this] {
            nameState();
            wasEdited();
        });
    }
    std::vector<std::string> texts() const override { return {m_box->isChecked() ? "true" : "false"}; }
    void typeText(const QString& text) override { m_box->setChecked(text == QStringLiteral("true")); }

protected:
    void put(const FieldValue& value) override {
        const QSignalBlocker quiet(m_box);
        m_box->setChecked(std::get<bool>(value));
        nameState();
    }
    QList<QWidget*> inputs() const override { return {m_box}; }

private:
    void nameState() { m_box->setText(m_box->isChecked() ? tr("on") : tr("off")); }
    QCheckBox* m_box;
};

/// fprop, dgrad, wgrad.
class GemmField final : public FieldEditor {
public:
    GemmField(const FieldInfo& field, QWidget* parent) : FieldEditor(field, parent) {
        QHBoxLayout* row = rowIn(this);
        for (size_t i = 0; i < m_boxes.size(); ++i) {
            m_boxes[i] = new QCheckBox(QString::fromUtf8(recipe::kGemmNames[i]), this);
            row->addWidget(m_boxes[i]);
            connect(m_boxes[i], &QCheckBox::toggled, this, [this] { wasEdited(); });
        }
        row->addStretch(1);
    }
    std::vector<std::string> texts() const override { return {recipe::fieldText(state())}; }
    void typeText(const QString& text) override {
        const QStringList parts = text.split(u',');
        for (qsizetype i = 0; i < parts.size() && i < 3; ++i)
            m_boxes[static_cast<size_t>(i)]->setChecked(parts[i] == QStringLiteral("true"));
    }

protected:
    void put(const FieldValue& value) override {
        const auto& three = std::get<std::array<bool, 3>>(value);
        for (size_t i = 0; i < three.size(); ++i) {
            const QSignalBlocker quiet(m_boxes[i]);
            m_boxes[i]->setChecked(three[i]);
        }
    }
    QList<QWidget*> inputs() const override { return {m_boxes.begin(), m_boxes.end()}; }
    Result<FieldValue> read() const override { return state(); }

private:
    FieldValue state() const {
        return std::array{m_boxes[0]->isChecked(), m_boxes[1]->isChecked(), m_boxes[2]->isChecked()};
    }
    std::array<QCheckBox*, 3> m_boxes{};
};

QStringList entriesOf(const FieldInfo& field) {
    QStringList entries;
    for (const std::string& choice : field.choices)
        entries << QString::fromStdString(choice);
    return entries;
}

}  // namespace

QString reasonText(const Error& error) {
    QString text = QString::fromStdString(error.message);
    const qsizetype start = text.indexOf(QStringLiteral(": "));
    if (start >= 0) text = text.mid(start + 2);
    if (!text.isEmpty()) text[0] = text[0].toUpper();
    return error.hint.empty() ? text : text + u' ' + QString::fromStdString(error.hint);
}

FieldEditor* FieldEditor::make(const FieldInfo& field, const QStringList& suggestions, QWidget* parent) {
    switch (field.type) {
        case FieldType::Boolean:
            return new CheckField(field, parent);
        case FieldType::Integer:
        case FieldType::Number:
        case FieldType::OptionalNumber:
            return new NumberField(field, parent);
        case FieldType::Choice:
            return new ComboField(field, entriesOf(field), false, parent);
        case FieldType::ThreeBooleans:
        case FieldType::HighGemms:
            return new GemmField(field, parent);
        case FieldType::Text:
        case FieldType::Version:
        case FieldType::TextList:
        case FieldType::IntegerList:
        case FieldType::NumberPair:
            break;
    }
    if (!suggestions.isEmpty()) return new ComboField(field, suggestions, true, parent);
    return new LineField(field, parent);
}

FieldEditor::FieldEditor(const FieldInfo& field, QWidget* parent) : QWidget(parent), m_field(field) {
    setObjectName(QString::fromUtf8(field.key));
}

void FieldEditor::setEditorName(const QString& accessibleName) {
    const QList<QWidget*> all = inputs();
    for (qsizetype i = 0; i < all.size(); ++i) {
        const QString part =
            all.size() > 1 ? u' ' + QString::fromUtf8(recipe::kGemmNames[static_cast<size_t>(i)]) : QString();
        all[i]->setAccessibleName(accessibleName + part);
        all[i]->setAccessibleDescription(QString::fromUtf8(m_field.help));
        all[i]->setToolTip(QString::fromUtf8(m_field.help));
    }
    if (!all.isEmpty()) setFocusProxy(all.constFirst());
}

void FieldEditor::showValue(const FieldValue& value) {
    const auto held = read();
    if (!held || *held != value) put(value);
    setProblem({});
}

void FieldEditor::setProblem(const QString& reason) {
    if (m_problem == reason) return;
    m_problem = reason;
    const QString help = QString::fromUtf8(m_field.help);
    for (QWidget* input : inputs()) {
        setStyleProperty(input, "invalid", !reason.isEmpty());
        input->setToolTip(reason.isEmpty() ? help : reason);
        input->setAccessibleDescription(reason.isEmpty() ? help : reason);
    }
}

Result<FieldValue> FieldEditor::read() const {
    return recipe::fieldFromText(m_field, texts());
}

void FieldEditor::wasEdited() {
    const auto value = read();
    if (value) {
        setProblem({});
        emit valueEdited(*value);
        return;
    }
    setProblem(reasonText(value.error()));
    emit valueRefused(m_problem);
}

void FieldEditor::leaveUndoToDocument(QWidget* input) {
    input->installEventFilter(this);
}

bool FieldEditor::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Wheel) {
        auto* widget = qobject_cast<QWidget*>(watched);
        if (widget && !widget->hasFocus() && qobject_cast<QComboBox*>(watched)) {
            event->ignore();  // the wheel scrolls the form unless the box was chosen first
            return true;
        }
    }
    if (event->type() == QEvent::ShortcutOverride) {
        auto* key = static_cast<QKeyEvent*>(event);
        if (key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo)) {
            event->ignore();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

}  // namespace octet::ui
