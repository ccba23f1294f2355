// SPDX-License-Identifier: GPL-3.0-or-later
// Building of the window, its places and what they say. Commands: main_window_actions.cpp.
#include "ui/shell/main_window.h"

#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QMimeData>
#include <QScreen>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "ui/dialogs/close_dialog.h"
#include "ui/recipe/recipe_place.h"
#include "ui/runs/runs_place.h"
#include "ui/shell/dropped_file.h"
#include "ui/shell/home_place.h"
#include "ui/shell/measured_speed.h"
#include "ui/shell/settings.h"
#include "ui/shell/status_bar.h"
#include "ui/shell/top_bar.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/message_strip.h"

namespace octet::ui {
namespace {

const QString kHome = QStringLiteral("home"), kRecipe = QStringLiteral("recipe"), kRuns = QStringLiteral("runs");

QFrame* hairline(QWidget* parent) {
    auto* line = new QFrame(parent);
    line->setProperty("role", QStringLiteral("hairline"));
    line->setFixedHeight(1);
    return line;
}

}  // namespace

MainWindow::MainWindow(QWidget* parent)
    : QWidget(parent),
      m_actions(this),
      m_top(new TopBar(this)),
      m_messages(new MessageStrip(this)),
      m_stack(new QStackedWidget(this)),
      m_status(new StatusBar(m_workbench.selection(), this)),
      m_home(new HomePlace(this)) {
    setWindowTitle(tr("Octet"));
    setWindowIcon(QIcon(QStringLiteral(":/icons/octet.svg")));
    setMinimumSize(860, 560);
    resize(QSize(1280, 800).boundedTo(screen()->availableSize()));
    setAcceptDrops(true);
    buildLayout();
    buildFileActions();
    buildRunActions();
    buildViewActions();
    buildThemeActions();
    buildHelpActions();
    buildMenu();
    connectTopBar();
    connectWorkbench();
    connectPlace(m_home);
    restoreGeometry(Settings::windowGeometry());
    showPlace(kHome);
}

MainWindow::~MainWindow() = default;

void MainWindow::buildLayout() {
    m_top->addPlace(kHome, tr("Home"));
    m_top->addPlace(kRecipe, tr("Recipe"));
    m_top->addPlace(kRuns, tr("Runs"));
    m_stack->addWidget(m_home);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_top);
    layout->addWidget(hairline(this));
    layout->addWidget(m_messages);
    layout->addWidget(m_stack, 1);
    layout->addWidget(hairline(this));
    layout->addWidget(m_status);
}

void MainWindow::connectTopBar() {
    connect(m_top, &TopBar::placeChosen, this, &MainWindow::showPlace);
    connect(m_top, &TopBar::presetChosen, this, &MainWindow::choosePreset);
    connect(m_top, &TopBar::mainClicked, this, [this] {
        if (m_currentPlace == kRecipe)
            recipe()->run();
        else
            newExperiment();
    });
    connect(m_workbench.selection(), &Selection::presetChanged, this,
            [this] { m_top->setPreset(m_workbench.selection()->preset()); });
    m_top->setPreset(m_workbench.selection()->preset());
}

void MainWindow::connectWorkbench() {
    connect(&m_workbench, &Workbench::message, this, &MainWindow::showMessage);
    connect(&m_workbench, &Workbench::troubleOver, this, [this] {
        if (m_messageIsTrouble) m_messages->dismiss();
    });
    connect(m_messages, &MessageStrip::dismissed, this, [this] { m_messageIsTrouble = false; });
    connect(&m_workbench, &Workbench::projectAboutToChange, this, [this] {
        m_status->setProject(nullptr);
        if (m_runs) m_runs->setProject(nullptr);
    });
    connect(&m_workbench, &Workbench::projectChanged, this, &MainWindow::takeProject);
    connect(&m_workbench, &Workbench::trainingBegan, this, &MainWindow::takeRunState);
    connect(m_workbench.launcher(), &WorkerLauncher::startFailed, this, &MainWindow::takeRunState);
}

void MainWindow::connectPlace(Place* place) {
    connect(place, &Place::statusText, m_status, &StatusBar::setPlaceText);
    connect(place, &Place::message, this, &MainWindow::showMessage);
    connect(place, &Place::wantsPlace, this, &MainWindow::showPlace);
    connect(place, &Place::wantsTraining, this, &MainWindow::train);
    connect(place, &Place::wantsRecipe, this, &MainWindow::openRecipe);
    connect(place, &Place::wantsRecipeOfRun, this, [this](const QString& text, const QString& run) {
        showPlace(kRecipe);
        recipe()->openRecipeOfRun(text, run);
    });
    if (place != m_home) return;
    connect(m_home, &HomePlace::openRequested, this, &MainWindow::chooseFile);
    connect(m_home, &HomePlace::projectChosen, this, &MainWindow::openFile);
}

RecipePlace* MainWindow::recipe() {
    if (m_recipe) return m_recipe;
    m_recipe = new RecipePlace(this);
    m_stack->addWidget(m_recipe);
    connectPlace(m_recipe);
    m_actions.list(tr("Edit"), m_recipe->undoAction());
    m_actions.list(tr("Edit"), m_recipe->redoAction());
    return m_recipe;
}

RunsPlace* MainWindow::runs() {
    if (m_runs) return m_runs;
    m_runs = new RunsPlace(m_workbench.selection(), this);
    m_stack->addWidget(m_runs);
    connectPlace(m_runs);
    m_runs->setOpenRecipe([this]() -> std::optional<octet::recipe::Recipe> {
        if (!m_recipe || m_recipe->document().firstProblem()) return {};
        return m_recipe->document().recipe();
    });
    if (m_workbench.project()) m_runs->setProject(m_workbench.project());
    return m_runs;
}

void MainWindow::showPlace(const QString& name) {
    Place* place = m_home;
    if (name == kRecipe) {
        place = recipe();
        showMeasuredSpeed();
    }
    if (name == kRuns) place = runs();
    m_currentPlace = name;
    m_top->setCurrentPlace(name);
    m_top->setPresetsShown(name == kRuns);
    m_top->setMainButton(name == kRecipe ? tr("Train with this recipe") : tr("New experiment"));
    m_status->setPlaceText({});
    m_stack->setCurrentWidget(place);
    place->entered();
}

void MainWindow::showMeasuredSpeed() {
    const auto now = m_workbench.project() ? measuredGflops(*m_workbench.project()) : std::nullopt;
    if (now) Settings::setMeasuredGflops(*now);
    m_recipe->setMeasuredThroughput(Settings::measuredGflops());
}

void MainWindow::takeProject() {
    const QString path = QString::fromStdString(m_workbench.project()->path().string());
    const QString name = QFileInfo(path).fileName();
    m_top->setProject(name, path);
    setWindowTitle(tr("%1 - Octet").arg(name));
    m_status->setProject(m_workbench.project());
    if (m_runs) m_runs->setProject(m_workbench.project());
}

void MainWindow::takeRunState() {
    m_status->setStarting(m_workbench.launcher()->isStarting());
}

void MainWindow::showMessage(const QString& sentence, bool isError) {
    if (sentence.isEmpty()) return;
    m_messageIsTrouble = sender() == &m_workbench;
    m_messages->showMessage(sentence, isError ? MessageStrip::Kind::Error : MessageStrip::Kind::Info);
}

void MainWindow::train(const QStringList& arguments) {
    if (m_workbench.train(arguments)) {
        m_messages->dismiss();
        showPlace(kRuns);
    }
    takeRunState();
}

void MainWindow::openRecipe(const QString& reference) {
    showPlace(kRecipe);
    recipe()->openRecipe(reference);
}

void MainWindow::openFile(const QString& path) {
    const DroppedFile file = classifyFile(path);
    switch (file.kind) {
        case DroppedFile::Kind::Store:
            if (m_workbench.openProject(path.toStdString())) showPlace(kRuns);
            break;
        case DroppedFile::Kind::Recipe:
            openRecipe(path);
            break;
        case DroppedFile::Kind::Config:
            showPlace(kRecipe);
            recipe()->checkFile(path);
            break;
        case DroppedFile::Kind::Other:
            showMessage(file.sentence, true);
            break;
    }
}

void MainWindow::closeEvent(QCloseEvent* event) {
    QStringList live;
    for (const store::RunInfo& run : m_workbench.liveRuns())
        live << QString::fromStdString(run.name);
    if (!live.isEmpty()) {
        const auto choice = CloseDialog(live, this).ask();
        if (choice == CloseDialog::Choice::Cancel) {
            event->ignore();
            return;
        }
        if (choice == CloseDialog::Choice::Stop) m_workbench.stopAll();
    }
    Settings::setWindowGeometry(saveGeometry());
    m_workbench.keepView();
    event->accept();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    const QList<QUrl> urls = event->mimeData()->urls();
    event->acceptProposedAction();
    if (urls.isEmpty()) return;
    if (urls.front().isLocalFile())
        openFile(urls.front().toLocalFile());
    else
        showMessage(tr("%1 is not a file on this machine; copy it here first.").arg(urls.front().toString()), true);
}

}  // namespace octet::ui
