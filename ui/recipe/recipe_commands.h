// SPDX-License-Identifier: GPL-3.0-or-later
// Undo commands of a recipe: one field, the list of rules, the whole recipe. Each swaps what it holds with the
// document; repeated edits of one thing merge, and a command that changes nothing any more is obsolete.
#pragma once

#include <QUndoCommand>

#include "ui/recipe/recipe_document.h"

namespace octet::ui {

class ChangeField final : public QUndoCommand {
public:
    ChangeField(RecipeDocument& document, const recipe::RecipeField& field, recipe::FieldValue value);
    [[nodiscard]] int id() const override;
    bool mergeWith(const QUndoCommand* newer) override;
    void undo() override;
    void redo() override;

private:
    void nameAndJudge();

    RecipeDocument& m_document;
    const recipe::RecipeField& m_field;
    recipe::FieldValue m_old, m_new;
};

class ChangeRules final : public QUndoCommand {
public:
    using Rules = std::vector<recipe::LayerRule>;
    ChangeRules(RecipeDocument& document, Rules rules, const QString& text, int mergeKey);
    [[nodiscard]] int id() const override;
    bool mergeWith(const QUndoCommand* newer) override;
    void undo() override;
    void redo() override;

private:
    RecipeDocument& m_document;
    int m_mergeKey;
    Rules m_old, m_new;
};

class ReplaceRecipe final : public QUndoCommand {
public:
    ReplaceRecipe(RecipeDocument& document, RecipeDocument::State state);
    [[nodiscard]] int id() const override;
    bool mergeWith(const QUndoCommand* newer) override;
    void undo() override;
    void redo() override;

private:
    RecipeDocument& m_document;
    RecipeDocument::State m_old, m_new;
};

}  // namespace octet::ui
