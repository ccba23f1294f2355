// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/recipe/recipe_document.h"

#include <filesystem>

#include "engine/core/files.h"
#include "engine/recipe/recipe_json.h"
#include "ui/recipe/recipe_commands.h"

namespace octet::ui {

QString shortKey(const recipe::FieldInfo& field) {
    const QString key = QString::fromUtf8(field.key);
    return key.mid(key.lastIndexOf(u'.') + 1);
}

RecipeDocument::RecipeDocument(QObject* parent) : QObject(parent) {
    connect(&m_undoStack, &QUndoStack::indexChanged, this, &RecipeDocument::historyChanged);
    connect(&m_undoStack, &QUndoStack::undoTextChanged, this, &RecipeDocument::historyChanged);
    connect(&m_undoStack, &QUndoStack::canRedoChanged, this, &RecipeDocument::historyChanged);
    connect(this, &RecipeDocument::problemsChanged, this, &RecipeDocument::historyChanged);
}

/// The stack clears itself with signals that nobody may hear any more.
RecipeDocument::~RecipeDocument() {
    m_undoStack.disconnect(this);
}

QString RecipeDocument::path() const {
    const bool isNoFile =
        reference().startsWith(QStringLiteral("preset:")) || reference().startsWith(QStringLiteral("run:"));
    return isNoFile ? QString() : reference();
}

void RecipeDocument::open(const recipe::Recipe& recipe, const QString& reference) {
    State state{recipe, recipe, reference};
    if (isEdited() || m_undoStack.canUndo()) {
        m_undoStack.push(new ReplaceRecipe(*this, std::move(state)));
        return;
    }
    writeState(std::move(state));
    m_undoStack.clear();
    emit historyChanged();
}

Result<void> RecipeDocument::setField(const recipe::RecipeField& field, const recipe::FieldValue& value) {
    if (auto checked = recipe::checkField(field, value, m_state.recipe.name); !checked) return checked;
    setProblem(QString::fromUtf8(field.key), {});
    if (field.get(m_state.recipe) != value) m_undoStack.push(new ChangeField(*this, field, value));
    return {};
}

void RecipeDocument::setRules(const std::vector<recipe::LayerRule>& rules, const QString& text, int mergeKey) {
    if (rules == m_state.recipe.layers.rules) return;
    m_undoStack.push(new ChangeRules(*this, rules, text, mergeKey));
}

void RecipeDocument::setProblem(const QString& key, const QString& reason) {
    if (m_problems.value(key) == reason) return;
    if (reason.isEmpty())
        m_problems.remove(key);
    else
        m_problems.insert(key, reason);
    emit problemsChanged();
}

std::optional<Error> RecipeDocument::firstProblem() const {
    if (!m_problems.isEmpty()) {
        const QString sentence = tr("%1: %2").arg(m_problems.firstKey(), m_problems.first());
        return Error{ErrorCode::Usage, sentence.toStdString(), tr("Correct the field, or undo.").toStdString()};
    }
    const auto checked = recipe::checkRecipe(m_state.recipe, "recipe \"" + m_state.recipe.name + "\"");
    if (!checked) return checked.error();
    return std::nullopt;
}

Result<void> RecipeDocument::saveAs(const QString& path) {
    if (auto problem = firstProblem()) return *problem;
    const auto written =
        writeFileAtomically(std::filesystem::path(path.toStdString()), recipe::recipeText(m_state.recipe));
    if (!written) return written;
    m_state.saved = m_state.recipe;
    m_state.reference = path;
    m_undoStack.setClean();
    emit historyChanged();
    return {};
}

QString RecipeDocument::undoText() const {
    if (!m_problems.isEmpty()) return tr("drop what %1 holds").arg(m_problems.firstKey().section(u'.', -1));
    return m_undoStack.undoText();
}

void RecipeDocument::undo() {
    if (m_problems.isEmpty()) {
        m_undoStack.undo();
        return;
    }
    const QString key = m_problems.firstKey();
    setProblem(key, {});
    emit fieldChanged(key);
}

void RecipeDocument::redo() {
    m_undoStack.redo();
}

void RecipeDocument::writeField(const recipe::RecipeField& field, const recipe::FieldValue& value) {
    field.set(m_state.recipe, value);
    const QString key = QString::fromUtf8(field.key);
    setProblem(key, {});
    emit fieldChanged(key);
    emit changed();
}

void RecipeDocument::writeRules(std::vector<recipe::LayerRule> rules) {
    m_state.recipe.layers.rules = std::move(rules);
    emit rulesChanged();
    emit changed();
}

void RecipeDocument::writeState(State state) {
    m_state = std::move(state);
    m_problems.clear();
    emit problemsChanged();
    emit replaced();
    emit changed();
}

}  // namespace octet::ui
