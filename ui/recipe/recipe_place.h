// SPDX-License-Identifier: GPL-3.0-or-later
// The place where a recipe is chosen, edited, understood, trained and exported. Owns the document; its cards edit the
// document through commands and redraw from its signals.
#pragma once

#include "ui/recipe/recipe_document.h"
#include "ui/shell/place.h"

class QAction;
class QLabel;
class QSplitter;
class QToolButton;

namespace octet::ui {

class CheckCard;
class ExportCard;
class LayersCard;
class RecipeForm;
class RecipeList;
class RunSetup;
class TargetCard;

class RecipePlace final : public Place {
    Q_OBJECT

public:
    explicit RecipePlace(QWidget* parent = nullptr);
    ~RecipePlace() override;

    /// @param reference  preset:NAME or a path. What cannot be read is said, and the open recipe stays.
    void openRecipe(const QString& reference);
    /// The recipe that a run was trained with. @param text  JSON
    void openRecipeOfRun(const QString& text, const QString& run);
    void entered() override;
    /// The columns narrow with the place, so what stands in them now is not the least they need.
    [[nodiscard]] QSize minimumSizeHint() const override;

    [[nodiscard]] RecipeDocument& document() { return *m_document; }
    [[nodiscard]] QAction* undoAction() const { return m_undo; }
    [[nodiscard]] QAction* redoAction() const { return m_redo; }
    [[nodiscard]] ExportCard* exportCard() const { return m_export; }
    [[nodiscard]] CheckCard* checkCard() const { return m_check; }
    /// Findings in a file of another program.
    void checkFile(const QString& path);
    [[nodiscard]] LayersCard* layersCard() const { return m_layers; }
    [[nodiscard]] RunSetup* runSetup() const { return m_setup; }

    /// How fast runs on this machine were, for the estimate.
    void setMeasuredThroughput(double gflops);

public slots:
    void run();
    void copyAsCommand();
    void save();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void buildActions();
    [[nodiscard]] QWidget* buildBar();
    [[nodiscard]] QWidget* buildCentre();
    void shareHeight();
    void connectParts();
    void chooseFile();
    void refreshHead();
    [[nodiscard]] QToolButton* barButton(QAction* action);
    /// What the command line calls this recipe; an edited one is written to a file first.
    [[nodiscard]] Result<QString> referenceForRun();
    void say(const Error& error);

    RecipeDocument* m_document;
    RecipeList* m_list;
    RecipeForm* m_form;
    TargetCard* m_target;
    LayersCard* m_layers;
    ExportCard* m_export;
    CheckCard* m_check;
    RunSetup* m_setup;
    QWidget* m_rightColumn = nullptr;
    QSplitter* m_middle = nullptr;
    bool m_isMoved = false;  // the person has chosen the shares of form and layers
    QLabel* m_state = nullptr;
    QAction* m_undo = nullptr;
    QAction* m_redo = nullptr;
    QAction* m_save = nullptr;
};

}  // namespace octet::ui
