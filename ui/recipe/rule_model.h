// SPDX-License-Identifier: GPL-3.0-or-later
// The ordered layer rules as an editable table. Edits go to the document as commands; the table shows what came of it,
// with what each rule meets in the model. A pattern that is none stays where it was typed, marked with the reason.
#pragma once

#include <QAbstractTableModel>

#include "ui/recipe/layer_outlook.h"
#include "ui/recipe/recipe_document.h"
#include "ui/recipe/rule_edits.h"

namespace octet::ui {

class RuleModel final : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Match, Keep, Fprop, Dgrad, Wgrad, Met, Why, ColumnCount };
    enum Role { IsWrongRole = Qt::UserRole };

    explicit RuleModel(RecipeDocument* document, QObject* parent = nullptr);

    void setOutlook(const std::vector<RuleOutlook>& outlook);

    /// Pushes the command; returns the row of the new rule.
    int addRule(const recipe::LayerRule& rule);
    void removeRule(int row);
    void moveRule(int row, int to);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    void takeRules();
    [[nodiscard]] QVariant text(size_t row, int column) const;
    [[nodiscard]] QVariant checked(const recipe::LayerRule& rule, int column) const;
    [[nodiscard]] QString metText(size_t row) const;

    RecipeDocument* m_document;
    Rules m_rules;
    std::vector<RuleOutlook> m_outlook;
};

}  // namespace octet::ui
