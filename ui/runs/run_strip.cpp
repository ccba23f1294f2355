// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/run_strip.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>
#include <algorithm>

#include "engine/core/text.h"
#include "ui/models/run_texts.h"
#include "ui/runs/shown_runs.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/pill.h"

namespace octet::ui {
namespace {

constexpr int kTight = 600;

bool hasNotFinite(const Project& project, store::RunId run) {
    const auto events = project.events(run);
    return std::ranges::any_of(events, [](const auto& event) { return event.kind == store::EventKind::NotFinite; });
}

QString progressText(const store::RunInfo& run) {
    if (run.steps == run.plannedSteps)
        return RunStrip::tr("%1, %2 steps")
            .arg(QString::fromStdString(run.name), QString::fromStdString(groupedDigits(run.steps)));
    return RunStrip::tr("%1, step %2 of %3")
        .arg(QString::fromStdString(run.name), QString::fromStdString(groupedDigits(run.steps)),
             QString::fromStdString(groupedDigits(run.plannedSteps)));
}

}  // namespace

RunStrip::RunStrip(Selection* selection, QWidget* parent)
    : QWidget(parent),
      m_selection(selection),
      m_name(new ElidedLabel({}, ElidedLabel::Ink::Normal, this)),
      m_state(new Pill({}, Tone::Neutral, this)),
      m_pause(new QPushButton(this)),
      m_stop(new QPushButton(tr("Stop"), this)),
      m_follow(new QPushButton(tr("Follow"), this)),
      m_recipe(new QToolButton(this)),
      m_export(new QToolButton(this)),
      m_recipeMenu(new QMenu(this)),
      m_axes(new QButtonGroup(this)) {
    buildMenus();
    build();
    connect(m_selection, &Selection::currentRunChanged, this, &RunStrip::showRun);
    connect(m_selection, &Selection::xAxisChanged, this, &RunStrip::showAxis);
    connect(m_selection, &Selection::followsChanged, this, &RunStrip::showAxis);
    connect(m_axes, &QButtonGroup::idClicked, this, [this](int id) { m_selection->setXAxis(static_cast<XAxis>(id)); });
    connect(m_follow, &QPushButton::clicked, this, [this](bool on) { m_selection->setFollows(on); });
    connect(m_stop, &QPushButton::clicked, this,
            [this] { emit commandWanted(m_selection->currentRun(), store::CommandVerb::Stop); });
    connect(m_pause, &QPushButton::clicked, this, [this] {
        const store::RunInfo* run = m_project ? m_project->run(m_selection->currentRun()) : nullptr;
        if (!run) return;
        const bool isPaused = run->state == store::RunState::Paused;
        emit commandWanted(run->id, isPaused ? store::CommandVerb::Resume : store::CommandVerb::Pause);
    });
    showAxis();
}

void RunStrip::build() {
    m_pause->setObjectName(QStringLiteral("pauseRun"));
    m_stop->setObjectName(QStringLiteral("stopRun"));
    m_stop->setIcon(themedIcon(QStringLiteral("stop")));
    m_stop->setAccessibleName(tr("Stop the current run"));
    m_stop->setToolTip(tr("Ends the current run at the next step. What was recorded stays."));
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(2, 0, 2, 0);
    layout->setSpacing(8);
    layout->addWidget(m_name);
    layout->addWidget(m_state);
    layout->addWidget(m_pause);
    layout->addWidget(m_stop);
    layout->addWidget(m_recipe);
    layout->addStretch(1);
    addAxis(layout);
    m_follow->setCheckable(true);
    m_follow->setAccessibleName(tr("Follow the newest step"));
    m_follow->setToolTip(tr("The x axis grows with the data; zooming ends that (F or double click returns)"));
    layout->addWidget(m_follow);
    layout->addWidget(m_export);
}

void RunStrip::buildMenus() {
    for (QToolButton* button : {m_recipe, m_export}) {
        button->setPopupMode(QToolButton::InstantPopup);
        button->setFocusPolicy(Qt::TabFocus);
    }
    m_recipeMenu->setAccessibleName(tr("Recipes to go on with"));
    m_recipe->setObjectName(QStringLiteral("setRecipe"));
    m_recipe->setIcon(themedIcon(QStringLiteral("recipe")));
    m_recipe->setMenu(m_recipeMenu);
    m_recipe->setAccessibleName(tr("Set the recipe of the current run from the next step on"));
    m_recipe->setToolTip(
        tr("The current run goes on with another recipe from its next step; the change is marked, and "
           "the run gets no verdict any more"));
    auto* files = new QMenu(this);
    files->setAccessibleName(tr("Export what is seen"));
    const auto add = [&](const QString& text, ViewFile file) {
        connect(files->addAction(text), &QAction::triggered, this, [this, file] { emit exportWanted(file); });
    };
    add(tr("Picture (PNG)..."), ViewFile::Png);
    add(tr("Drawing (SVG)..."), ViewFile::Svg);
    add(tr("Values (CSV)..."), ViewFile::Csv);
    m_export->setObjectName(QStringLiteral("exportView"));
    m_export->setIcon(themedIcon(QStringLiteral("export")));
    m_export->setMenu(files);
    m_export->setAccessibleName(tr("Export what is seen"));
    m_export->setToolTip(tr("Writes the tracks as they are seen: a picture, a drawing, or their values"));
}

void RunStrip::addAxis(QHBoxLayout* layout) {
    auto* axes = new QHBoxLayout;
    axes->setSpacing(0);
    const struct {
        XAxis axis;
        QString text, name;
        const char* edge;
    } choices[] = {{XAxis::Step, tr("Step"), tr("Steps on the x axis"), "first"},
                   {XAxis::Tokens, tr("Tokens"), tr("Tokens on the x axis"), ""},
                   {XAxis::WallTime, tr("Time"), tr("Seconds of training on the x axis"), "last"}};
    for (const auto& choice : choices) {
        auto* button = new QPushButton(choice.text, this);
        button->setCheckable(true);
        button->setAccessibleName(choice.name);
        button->setToolTip(choice.name);
        button->setProperty("role", QStringLiteral("segment"));
        button->setProperty("edge", QLatin1String(choice.edge));
        m_axes->addButton(button, static_cast<int>(choice.axis));
        axes->addWidget(button);
    }
    layout->addLayout(axes);
}

void RunStrip::setProject(Project* project) {
    m_project = project;
    if (project) {
        connect(project, &Project::runsChanged, this, &RunStrip::showRun);
        connect(project, &Project::eventsArrived, this, &RunStrip::showRun);
    }
    showRun();
}

void RunStrip::showRun() {
    const store::RunInfo* run = m_project ? m_project->run(m_selection->currentRun()) : nullptr;
    m_name->setText(run ? progressText(*run) : QString());
    // The list on the left has name and state, too; with little room the buttons matter more.
    m_state->setVisible(run && !(m_isTight && isLive(run->state)));
    m_follow->setText(m_isTight ? QString() : tr("Follow"));
    m_follow->setIcon(m_isTight ? themedIcon(QStringLiteral("follow")) : QIcon());
    m_pause->setVisible(run && isLive(run->state));
    m_stop->setVisible(run && isLive(run->state));
    m_recipe->setVisible(run && isLive(run->state));
    m_export->setEnabled(run);
    if (run) showWords(*run);
}

void RunStrip::showWords(const store::RunInfo& run) {
    const QString pending = m_project->pendingCommand(run.id);
    const StatePill pill = statePill(run, pending, hasNotFinite(*m_project, run.id));
    m_state->setText(pill.text, pill.tone);
    m_state->setToolTip(QString::fromStdString(run.stateNote));
    const bool isPaused = run.state == store::RunState::Paused;
    m_pause->setText(m_isTight ? QString() : isPaused ? tr("Resume") : tr("Pause"));
    m_stop->setText(m_isTight ? QString() : tr("Stop"));
    m_pause->setIcon(themedIcon(isPaused ? QStringLiteral("play") : QStringLiteral("pause")));
    m_pause->setAccessibleName(isPaused ? tr("Resume the current run") : tr("Pause the current run"));
    m_pause->setToolTip(isPaused ? tr("Goes on with the next step")
                                 : tr("Waits after the next step; the other runs go on"));
    m_pause->setEnabled(pending.isEmpty());
    m_stop->setEnabled(pending.isEmpty() || !pending.startsWith(tr("stopping")));
    m_recipe->setEnabled(pending.isEmpty());
}

void RunStrip::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    const bool isTight = width() < kTight;
    if (isTight == m_isTight) return;
    m_isTight = isTight;
    showRun();
}

void RunStrip::showAxis() {
    m_axes->button(static_cast<int>(m_selection->xAxis()))->setChecked(true);
    m_follow->setChecked(m_selection->follows());
}

}  // namespace octet::ui
