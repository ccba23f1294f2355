// SPDX-License-Identifier: GPL-3.0-or-later
// The form: a row for each field of the schema table that shapes training, with its editor, and what will happen with
// what was asked.
#pragma once

#include <QWidget>
#include <vector>

#include "ui/recipe/recipe_document.h"

class QGridLayout;
class QLabel;

namespace octet::ui {

class Card;
class FieldEditor;
class Pill;

class RecipeForm final : public QWidget {
    Q_OBJECT

public:
    explicit RecipeForm(RecipeDocument* document, QWidget* parent = nullptr);

    /// Height at which every field is in sight.
    [[nodiscard]] int wholeHeight() const;

private:
    struct Row {
        const recipe::RecipeField* field;
        FieldEditor* editor;
        Pill* pill;
        QLabel* sentence;
        std::vector<QWidget*> widgets;  // all of the row, shown together
    };
    void addHead(QGridLayout* grid);
    void addRow(QGridLayout* grid, const recipe::RecipeField& field);
    [[nodiscard]] static QString helpText(const recipe::RecipeField& field);
    void refresh();
    void refreshRow(const Row& row);

    RecipeDocument* m_document;
    Card* m_card;
    QWidget* m_page = nullptr;
    std::vector<Row> m_rows;
};

}  // namespace octet::ui
