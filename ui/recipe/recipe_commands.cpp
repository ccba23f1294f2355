// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/recipe/recipe_commands.h"

#include <QCoreApplication>
#include <iterator>
#include <utility>

namespace octet::ui {
namespace {

constexpr int kFieldIds = 1'000;
constexpr int kRuleIds = 100'000;
constexpr int kReplaceId = 1;

QString tr(const char* text) {
    return QCoreApplication::translate("RecipeCommands", text);
}

/// "wgrad" for three booleans, "on" and "off" for one, else the value as a flag takes it.
QString valueWords(const recipe::FieldValue& value) {
    if (const auto* flag = std::get_if<bool>(&value)) return *flag ? tr("on") : tr("off");
    if (const auto* three = std::get_if<std::array<bool, 3>>(&value)) {
        QStringList names;
        for (size_t i = 0; i < three->size(); ++i) {
            if ((*three)[i]) names << QString::fromUtf8(recipe::kGemmNames[i]);
        }
        return names.isEmpty() ? tr("none") : names.join(QStringLiteral(", "));
    }
    const QString text = QString::fromStdString(recipe::fieldText(value));
    return text.isEmpty() ? tr("nothing") : text;
}

}  // namespace

ChangeField::ChangeField(RecipeDocument& document, const recipe::RecipeField& field, recipe::FieldValue value)
    : m_document(document), m_field(field), m_old(field.get(document.recipe())), m_new(std::move(value)) {
    nameAndJudge();
}

void ChangeField::nameAndJudge() {
    setText(tr("set %1 to %2").arg(shortKey(m_field), valueWords(m_new)));
    setObsolete(m_old == m_new);
}

int ChangeField::id() const {
    return kFieldIds + static_cast<int>(std::distance(recipe::recipeFields().data(), &m_field));
}

bool ChangeField::mergeWith(const QUndoCommand* newer) {
    m_new = static_cast<const ChangeField*>(newer)->m_new;
    nameAndJudge();
    return true;
}

void ChangeField::undo() {
    m_document.writeField(m_field, m_old);
}

void ChangeField::redo() {
    m_document.writeField(m_field, m_new);
}

ChangeRules::ChangeRules(RecipeDocument& document, Rules rules, const QString& text, int mergeKey)
    : m_document(document), m_mergeKey(mergeKey), m_old(document.recipe().layers.rules), m_new(std::move(rules)) {
    setText(text);
    setObsolete(m_old == m_new);
}

int ChangeRules::id() const {
    return m_mergeKey < 0 ? -1 : kRuleIds + m_mergeKey;
}

bool ChangeRules::mergeWith(const QUndoCommand* newer) {
    m_new = static_cast<const ChangeRules*>(newer)->m_new;
    setText(newer->text());
    setObsolete(m_old == m_new);
    return true;
}

void ChangeRules::undo() {
    m_document.writeRules(m_old);
}

void ChangeRules::redo() {
    m_document.writeRules(m_new);
}

ReplaceRecipe::ReplaceRecipe(RecipeDocument& document, RecipeDocument::State state)
    : m_document(document), m_old(document.m_state), m_new(std::move(state)) {
    setText(tr("open %1").arg(QString::fromStdString(m_new.recipe.name)));
}

int ReplaceRecipe::id() const {
    return kReplaceId;
}

bool ReplaceRecipe::mergeWith(const QUndoCommand* newer) {
    m_new = static_cast<const ReplaceRecipe*>(newer)->m_new;
    setText(newer->text());
    setObsolete(m_old.recipe == m_new.recipe && m_old.reference == m_new.reference);
    return true;
}

// The side that is left is taken from the document: it may have been saved since.
void ReplaceRecipe::undo() {
    m_new = m_document.m_state;
    m_document.writeState(m_old);
}

void ReplaceRecipe::redo() {
    m_old = m_document.m_state;
    m_document.writeState(m_new);
}

}  // namespace octet::ui
