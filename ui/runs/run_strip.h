// SPDX-License-Identifier: GPL-3.0-or-later
// The strip above the tracks: the current run with its state and what can be done with it, and what the x axis counts.
#pragma once

#include <QWidget>

#include "ui/documents/project.h"
#include "ui/documents/selection.h"

class QButtonGroup;
class QHBoxLayout;
class QMenu;
class QPushButton;
class QToolButton;

namespace octet::ui {

class ElidedLabel;
class Pill;

/// What of the tracks can be written into a file.
enum class ViewFile { Png, Svg, Csv };

class RunStrip final : public QWidget {
    Q_OBJECT

public:
    explicit RunStrip(Selection* selection, QWidget* parent = nullptr);
    void setProject(Project* project);
    /// Of the button that sets a recipe; whoever knows the recipes fills it when it is about to show.
    [[nodiscard]] QMenu* recipeMenu() const { return m_recipeMenu; }

signals:
    void commandWanted(store::RunId run, store::CommandVerb verb);
    void exportWanted(ViewFile file);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void build();
    void buildMenus();
    void addAxis(QHBoxLayout* layout);
    void showWords(const store::RunInfo& run);
    void showRun();
    void showAxis();

    Selection* m_selection;
    bool m_isTight = false;  // no room for words on the buttons
    Project* m_project = nullptr;
    ElidedLabel* m_name;
    Pill* m_state;
    QPushButton *m_pause, *m_stop, *m_follow;
    QToolButton *m_recipe, *m_export;
    QMenu* m_recipeMenu;
    QButtonGroup* m_axes;
};

}  // namespace octet::ui
