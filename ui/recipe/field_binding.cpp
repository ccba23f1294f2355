// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/recipe/field_binding.h"

#include <QCoreApplication>

#include "engine/core/text.h"

namespace octet::ui {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("FieldBinding", text);
}

/// Versions that the facts of this Octet were checked against, newest first; any other may be typed.
QStringList suggestionsFor(const recipe::FieldInfo& field) {
    const QString key = QString::fromUtf8(field.key);
    if (key == QStringLiteral("target.accelerate")) return {QStringLiteral("1.15.0")};
    if (key == QStringLiteral("target.transformer_engine")) return {QStringLiteral("2.20"), QStringLiteral("2.1")};
    if (key == QStringLiteral("target.torchao")) return {QStringLiteral("0.18.0")};
    if (key == QStringLiteral("target.compute_capability"))
        return {QStringLiteral("8.0"), QStringLiteral("8.9"), QStringLiteral("9.0"), QStringLiteral("10.0"),
                QStringLiteral("12.0")};
    return {};
}

}  // namespace

void bindEditor(FieldEditor* editor, const recipe::RecipeField& field, RecipeDocument* document) {
    const QString key = QString::fromUtf8(field.key);
    const auto show = [editor, &field, document] { editor->showValue(field.get(document->recipe())); };
    QObject::connect(editor, &FieldEditor::valueEdited, document, [editor, &field, document](const auto& value) {
        if (const auto set = document->setField(field, value); !set) editor->setProblem(reasonText(set.error()));
    });
    QObject::connect(editor, &FieldEditor::valueRefused, document,
                     [key, document](const QString& reason) { document->setProblem(key, reason); });
    QObject::connect(document, &RecipeDocument::replaced, editor, show);
    QObject::connect(document, &RecipeDocument::fieldChanged, editor, [key, show](const QString& changed) {
        if (changed == key) show();
    });
    show();
}

FieldEditor* makeBoundEditor(const recipe::RecipeField& field, RecipeDocument* document, QWidget* parent) {
    FieldEditor* editor = FieldEditor::make(field, suggestionsFor(field), parent);
    editor->setEditorName(shortKey(field));
    bindEditor(editor, field, document);
    return editor;
}

QString defaultText(const recipe::RecipeField& field) {
    const recipe::FieldValue value = field.get(recipe::Recipe{});
    QString text = QString::fromStdString(recipe::fieldText(value));
    if (const auto* number = std::get_if<int64_t>(&value)) text = QString::fromStdString(groupedDigits(*number));
    if (const auto* flag = std::get_if<bool>(&value)) text = *flag ? tr("on") : tr("off");
    if (const auto* three = std::get_if<std::array<bool, 3>>(&value))
        text = *three == std::array{false, false, false} ? tr("none") : text;
    const QString unit = QString::fromUtf8(field.unit);
    if (unit.isEmpty()) return tr("default %1").arg(text);
    return tr("%1, default %2").arg(unit, text);
}

}  // namespace octet::ui
