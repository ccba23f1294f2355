// SPDX-License-Identifier: GPL-3.0-or-later
// What the recipe is meant for (versions, compute capability, parallel), and the findings on the whole recipe.
#pragma once

#include <QWidget>
#include <string>
#include <vector>

#include "ui/recipe/recipe_document.h"

class QVBoxLayout;

namespace octet::ui {

class TargetCard final : public QWidget {
    Q_OBJECT

public:
    explicit TargetCard(RecipeDocument* document, QWidget* parent = nullptr);

    /// What the rules met in the model, one sentence each.
    void setLayerNotes(std::vector<std::string> notes);

private:
    void addTargets(QVBoxLayout* body);
    void refresh();

    RecipeDocument* m_document;
    std::vector<std::string> m_layerNotes;
    QWidget* m_page;  // holds the findings; made anew when they change
    QVBoxLayout* m_findings;
};

}  // namespace octet::ui
