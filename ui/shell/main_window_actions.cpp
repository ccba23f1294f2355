// SPDX-License-Identifier: GPL-3.0-or-later
// The commands of the window: each stands once in the registry, which feeds the menu and the shortcuts sheet.
#include <QAbstractButton>
#include <QAbstractItemView>
#include <QActionGroup>
#include <QApplication>
#include <QComboBox>
#include <QFileDialog>
#include <QKeyEvent>
#include <QMenu>
#include <QMessageBox>

#include "engine/core/version.h"
#include "engine/store/project.h"
#include "ui/dialogs/shortcuts_dialog.h"
#include "ui/runs/runs_place.h"
#include "ui/shell/home_place.h"
#include "ui/shell/main_window.h"
#include "ui/shell/settings.h"
#include "ui/shell/top_bar.h"

namespace octet::ui {
namespace {

/// Widgets that a Space presses or ticks.
bool takesSpace(const QWidget* widget) {
    return qobject_cast<const QAbstractButton*>(widget) || qobject_cast<const QAbstractItemView*>(widget) ||
           qobject_cast<const QComboBox*>(widget);
}

}  // namespace

void MainWindow::buildFileActions() {
    const QString file = tr("File");
    m_actions.add({file, tr("New experiment"), QKeySequence::New}, [this] { newExperiment(); });
    m_actions.add({file, tr("Open..."), QKeySequence::Open}, [this] { chooseFile(); });
    const auto exported = [&](const QString& text, const QKeySequence& keys, ViewFile what) {
        m_actions.add({file, text, keys}, [this, what] {
            showPlace(QStringLiteral("runs"));
            runs()->exportView(what);
        });
    };
    exported(tr("Export picture (PNG)..."), QKeySequence(Qt::CTRL | Qt::Key_E), ViewFile::Png);
    exported(tr("Export drawing (SVG)..."), {}, ViewFile::Svg);
    exported(tr("Export values (CSV)..."), {}, ViewFile::Csv);
    m_actions.add({file, tr("Close window"), QKeySequence(Qt::CTRL | Qt::Key_Q)}, [this] { close(); });
}

void MainWindow::buildRunActions() {
    const QString run = tr("Run");
    m_actions.add({run, tr("Pause or resume the current run"), QKeySequence(Qt::Key_Space)},
                  [this] { m_workbench.togglePause(); });
    m_actions.add({run, tr("Stop the current run"), QKeySequence(Qt::CTRL | Qt::Key_Period)},
                  [this] { m_workbench.stopCurrentRun(); });
    qApp->installEventFilter(this);  // for Space, see eventFilter
}

void MainWindow::buildViewActions() {
    const QString view = tr("View");
    const auto place = [&](const QString& text, int key, const char* name) {
        m_actions.add({view, text, QKeySequence(Qt::ALT | static_cast<Qt::Key>(key))},
                      [this, name] { showPlace(QLatin1String(name)); });
    };
    place(tr("Home"), Qt::Key_H, "home");
    place(tr("Recipe"), Qt::Key_R, "recipe");
    place(tr("Runs"), Qt::Key_U, "runs");
    m_actions.add({view, tr("Live"), QKeySequence(Qt::CTRL | Qt::Key_1)}, [this] { choosePreset(ViewPreset::Live); });
    m_actions.add({view, tr("Compare"), QKeySequence(Qt::CTRL | Qt::Key_2)},
                  [this] { choosePreset(ViewPreset::Compare); });
    Selection* selection = m_workbench.selection();
    m_follow = m_actions.add({view, tr("Follow the newest steps"), QKeySequence(Qt::Key_F)},
                             [selection] { selection->setFollows(true); });
    const auto axis = [&](const QString& text, XAxis value) {
        m_actions.add({view, text, {}}, [selection, value] { selection->setXAxis(value); });
    };
    axis(tr("Over steps"), XAxis::Step);
    axis(tr("Over tokens"), XAxis::Tokens);
    axis(tr("Over time"), XAxis::WallTime);
}

void MainWindow::buildThemeActions() {
    const QString theme = tr("Theme");
    auto* group = new QActionGroup(this);
    const auto add = [&](const QString& text, ThemeChoice choice) {
        QAction* action = m_actions.add({theme, text, {}}, [choice] {
            Settings::setTheme(choice);
            applyTheme(*qApp, choice);
        });
        action->setCheckable(true);
        action->setChecked(Settings::theme() == choice);
        group->addAction(action);
    };
    add(tr("As the desktop"), ThemeChoice::System);
    add(tr("Light"), ThemeChoice::Light);
    add(tr("Dark"), ThemeChoice::Dark);
}

void MainWindow::buildHelpActions() {
    const QString help = tr("Help");
    m_actions.add({help, tr("Keyboard shortcuts"), QKeySequence(Qt::Key_F1)}, [this] { showShortcuts(); });
    m_actions.add({help, tr("Menu"), QKeySequence(Qt::Key_F10)}, [this] { m_top->openMenu(); })->setVisible(true);
    m_actions.add({help, tr("About Octet"), {}}, [this] { showAbout(); });
}

void MainWindow::buildMenu() {
    auto* menu = new QMenu(this);
    menu->setAccessibleName(tr("Menu"));
    QMenu* view = nullptr;
    for (const QString& section : m_actions.sections()) {
        if (section == tr("Theme")) {
            m_actions.fillMenu(*view->addMenu(section), section);
            continue;
        }
        QMenu* part = menu->addMenu(section);
        m_actions.fillMenu(*part, section);
        if (section == tr("File")) addRecentMenu(*part);
        if (section == tr("View")) view = part;
    }
    m_top->setMenu(menu);
}

void MainWindow::addRecentMenu(QMenu& file) {
    auto* recent = new QMenu(tr("Open recent"), &file);
    recent->setObjectName(QStringLiteral("recentMenu"));
    file.insertMenu(file.actions().value(2), recent);  // behind Open
    connect(recent, &QMenu::aboutToShow, this, [this, recent] {
        recent->clear();
        for (const QString& path : Settings::recentProjects())
            connect(recent->addAction(path), &QAction::triggered, this, [this, path] { openFile(path); });
        if (recent->isEmpty()) recent->addAction(tr("Nothing was opened yet"))->setEnabled(false);
        recent->addSeparator();
        connect(recent->addAction(tr("Clear this list")), &QAction::triggered, this, [this] {
            Settings::clearRecentProjects();
            m_home->entered();
        });
    });
}

void MainWindow::choosePreset(ViewPreset preset) {
    m_workbench.selection()->setPreset(preset);
    if (m_currentPlace != QStringLiteral("runs")) showPlace(QStringLiteral("runs"));
}

void MainWindow::newExperiment() {
    showPlace(QStringLiteral("recipe"));
}

void MainWindow::chooseFile() {
    const QString folder = QString::fromStdString(store::defaultProjectFolder().string());
    const QString path = QFileDialog::getOpenFileName(this, tr("Open a project or a recipe"), folder,
                                                      tr("Octet files (*.octet *.octet.json);;All files (*)"));
    if (!path.isEmpty()) openFile(path);
}

void MainWindow::showShortcuts() {
    ShortcutsDialog(m_actions, this).exec();
}

void MainWindow::showAbout() {
    QMessageBox about(this);
    about.setWindowTitle(tr("About Octet"));
    about.setText(tr("Octet %1").arg(QString::fromLatin1(version())));
    about.setInformativeText(
        tr("An instrument for people who train networks in FP8.\n\nThe window is free software "
           "under the GPL, version 3 or later; it draws with QCustomPlot. octet-engine is under "
           "the Apache License 2.0."));
    about.exec();
}

/// Space is a command of the window, but first of all it presses the button and ticks the box that has the focus.
bool MainWindow::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride) {
        auto* key = static_cast<QKeyEvent*>(event);
        const bool plainSpace = key->key() == Qt::Key_Space && key->modifiers() == Qt::NoModifier;
        if (plainSpace && takesSpace(qobject_cast<QWidget*>(watched))) {
            key->accept();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

}  // namespace octet::ui
