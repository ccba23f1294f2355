// SPDX-License-Identifier: GPL-3.0-or-later
// The window: top bar, message strip, one place at a time, status bar. Routes what the places say to the workbench and
// back. Places other than Home are made when they are first needed, so that the first paint does not wait for them.
#pragma once

#include <QWidget>

#include "ui/shell/action_registry.h"
#include "ui/shell/workbench.h"

class QActionGroup;
class QMenu;
class QStackedWidget;

namespace octet::ui {

class HomePlace;
class MessageStrip;
class Place;
class RecipePlace;
class RunsPlace;
class StatusBar;
class TopBar;

class MainWindow final : public QWidget {
    Q_OBJECT

public:
    explicit MainWindow(QWidget* parent = nullptr);
    ~MainWindow() override;

    /// A project or a recipe, by its name; anything else is said in the message strip.
    void openFile(const QString& path);
    void showPlace(const QString& name);  // "home", "recipe", "runs"

    [[nodiscard]] Workbench* workbench() { return &m_workbench; }
    [[nodiscard]] MessageStrip* messages() const { return m_messages; }
    [[nodiscard]] const ActionRegistry& actions() const { return m_actions; }
    [[nodiscard]] HomePlace* home() const { return m_home; }
    [[nodiscard]] RecipePlace* recipe();
    [[nodiscard]] RunsPlace* runs();
    [[nodiscard]] const QString& currentPlace() const { return m_currentPlace; }

protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void buildLayout();
    void buildFileActions();
    void buildRunActions();
    void buildViewActions();
    void buildThemeActions();
    void buildHelpActions();
    void buildMenu();
    void connectWorkbench();
    void connectTopBar();
    void connectPlace(Place* place);
    void takeProject();
    void takeRunState();
    void showMeasuredSpeed();
    void addRecentMenu(QMenu& file);
    void showMessage(const QString& sentence, bool isError);
    void train(const QStringList& arguments);
    void openRecipe(const QString& reference);
    void choosePreset(ViewPreset preset);
    void chooseFile();
    void newExperiment();
    void showShortcuts();
    void showAbout();

    Workbench m_workbench;
    ActionRegistry m_actions;
    TopBar* m_top;
    MessageStrip* m_messages;
    QStackedWidget* m_stack;
    StatusBar* m_status;
    HomePlace* m_home;
    RecipePlace* m_recipe = nullptr;
    RunsPlace* m_runs = nullptr;
    QAction* m_follow = nullptr;
    QString m_currentPlace;
    bool m_messageIsTrouble = false;  // said by the project, gone when it recovers
};

}  // namespace octet::ui
