// SPDX-License-Identifier: GPL-3.0-or-later
// The list on the left of Runs: experiments with their runs, a search box, and what can be done with a run by mouse,
// context menu and keys.
#pragma once

#include <QWidget>

#include "ui/documents/project.h"
#include "ui/documents/selection.h"

class QAction;
class QLineEdit;
class QMenu;
class QSortFilterProxyModel;
class QTreeView;

namespace octet::ui {

class RunListModel;

class RunListPanel final : public QWidget {
    Q_OBJECT

public:
    explicit RunListPanel(Selection* selection, QWidget* parent = nullptr);
    void setProject(Project* project);

    /// Stands in the context menu of a run that trains.
    void setRecipeMenu(QMenu* menu) { m_recipeMenu = menu; }

    /// Hides the other runs of its experiment; shows them again when it is alone already.
    void isolate(store::RunId run);

signals:
    void commandWanted(store::RunId run, store::CommandVerb verb);
    void recipeWanted(store::RunId run);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void build();
    void makeActions();
    QAction* addAction(const QString& text, const QKeySequence& key, void (RunListPanel::*handler)());
    void connectTree();
    void showMenu(const QPoint& at);
    void updateActions();
    void takeCurrent(const QModelIndex& index);
    void showCurrentRun();
    void pin();
    void toggleEye();
    void toggleOverlay();
    void isolateCurrent();
    void pauseOrResume();
    void stopRun();
    void openRecipe();
    [[nodiscard]] store::RunId currentRun() const;

    Selection* m_selection;
    Project* m_project = nullptr;
    RunListModel* m_model = nullptr;
    QSortFilterProxyModel* m_filter;
    QLineEdit* m_search;
    QTreeView* m_tree;
    QAction *m_pin = nullptr, *m_eye = nullptr, *m_isolate = nullptr, *m_pause = nullptr, *m_stop = nullptr,
            *m_recipe = nullptr, *m_overlay = nullptr;
    QMenu* m_recipeMenu = nullptr;
};

}  // namespace octet::ui
