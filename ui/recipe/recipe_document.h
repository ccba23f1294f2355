// SPDX-License-Identifier: GPL-3.0-or-later
// The recipe that is being edited: value, where it came from, undo stack, and what editors hold that is no value.
// Editors ask for changes here; the document pushes a command, the command writes, the signal tells every view.
#pragma once

#include <QMap>
#include <QObject>
#include <QString>
#include <QUndoStack>
#include <optional>

#include "engine/core/result.h"
#include "engine/recipe/recipe.h"
#include "engine/recipe/schema.h"

namespace octet::ui {

class RecipeDocument final : public QObject {
    Q_OBJECT

public:
    /// A recipe with the place it was read from and the value it had there.
    struct State {
        recipe::Recipe recipe;
        recipe::Recipe saved;
        QString reference;  // preset:NAME, a path, run:NAME for that of a recorded run, or empty
    };

    explicit RecipeDocument(QObject* parent = nullptr);
    ~RecipeDocument() override;

    [[nodiscard]] const recipe::Recipe& recipe() const { return m_state.recipe; }
    [[nodiscard]] const QString& reference() const { return m_state.reference; }
    /// The file behind the recipe; empty for a preset and for the recipe of a run.
    [[nodiscard]] QString path() const;
    [[nodiscard]] bool isEdited() const { return m_state.recipe != m_state.saved; }

    /// Replaces the recipe: an undo step once anything was edited, so that no edit is lost; else nothing to undo.
    void open(const recipe::Recipe& recipe, const QString& reference);

    /// Pushes the change of one field; a value that does not pass checkField is refused and changes nothing.
    Result<void> setField(const recipe::RecipeField& field, const recipe::FieldValue& value);
    /// @param mergeKey  edits with one key >= 0 are one undo step until another edit comes between
    void setRules(const std::vector<recipe::LayerRule>& rules, const QString& text, int mergeKey = -1);

    /// What the editor of a field holds instead of a value: the reason. Empty: it holds the document's value.
    void setProblem(const QString& key, const QString& reason);
    [[nodiscard]] const QMap<QString, QString>& problems() const { return m_problems; }

    /// The first thing that keeps this recipe from being saved, exported or trained.
    [[nodiscard]] std::optional<Error> firstProblem() const;

    [[nodiscard]] Result<void> saveAs(const QString& path);

    [[nodiscard]] QUndoStack& undoStack() { return m_undoStack; }
    [[nodiscard]] bool canUndo() const { return !m_problems.isEmpty() || m_undoStack.canUndo(); }
    [[nodiscard]] bool canRedo() const { return m_undoStack.canRedo(); }
    [[nodiscard]] QString undoText() const;
    /// Takes back what an editor holds without being a value, else the newest command.
    void undo();
    void redo();

signals:
    void fieldChanged(const QString& key);  // also when a problem of the field went away
    void rulesChanged();
    void replaced();  // another recipe
    void changed();   // after each of the above
    void problemsChanged();
    void historyChanged();  // what can be undone or redone, and whether the recipe is edited

private:
    friend class ChangeField;
    friend class ChangeRules;
    friend class ReplaceRecipe;
    void writeField(const recipe::RecipeField& field, const recipe::FieldValue& value);
    void writeRules(std::vector<recipe::LayerRule> rules);
    void writeState(State state);

    State m_state;
    QUndoStack m_undoStack;
    QMap<QString, QString> m_problems;
};

/// "margin" of "te.margin".
[[nodiscard]] QString shortKey(const recipe::FieldInfo& field);

}  // namespace octet::ui
