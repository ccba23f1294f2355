// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/workbench.h"

#include <fmt/format.h>

#include <QDate>
#include <algorithm>
#include <system_error>

#include "engine/store/project.h"
#include "ui/documents/kept_view.h"
#include "ui/models/run_texts.h"
#include "ui/shell/settings.h"

namespace octet::ui {
namespace {

namespace fs = std::filesystem;

bool isLive(const store::RunInfo& run) {
    return run.state == store::RunState::Running || run.state == store::RunState::Paused ||
           run.state == store::RunState::Queued;
}

/// Takes "--store PATH" out of the arguments. @return PATH, or nothing
fs::path takeStore(QStringList& arguments) {
    const auto at = arguments.indexOf(QStringLiteral("--store"));
    if (at < 0 || at + 1 >= arguments.size()) return {};
    const fs::path path = arguments[at + 1].toStdString();
    arguments.remove(at, 2);
    return path;
}

std::optional<Error> folderTrouble(const fs::path& store) {
    const fs::path folder = store.parent_path();
    std::error_code failure;
    if (!folder.empty()) fs::create_directories(folder, failure);
    if (!failure) return std::nullopt;
    return Error{ErrorCode::Unreadable,
                 fmt::format("Cannot make the folder {}: {}.", folder.string(), failure.message()),
                 "Check its rights, or open a project in another folder first."};
}

}  // namespace

Workbench::Workbench(QObject* parent) : QObject(parent) {
    connect(&m_launcher, &WorkerLauncher::began, this, &Workbench::takeBegun);
    connect(&m_launcher, &WorkerLauncher::startFailed, this,
            [this](const QString& sentence) { emit message(sentence, true); });
}

Workbench::~Workbench() = default;

fs::path Workbench::todaysProject() {
    const QString date = QDate::currentDate().toString(Qt::ISODate);
    return store::defaultProjectFolder() / (date.toStdString() + ".octet");
}

bool Workbench::openProject(const fs::path& path) {
    auto opened = Project::open(path);
    if (!opened) {
        emit message(sentenceOf(opened.error()), true);
        return false;
    }
    keepView();
    emit projectAboutToChange();
    m_selection.forget();
    m_project = std::move(*opened);
    if (m_remembersProjects) Settings::addRecentProject(QString::fromStdString(path.string()));
    connectProject();
    selectNewestExperiment();
    if (m_remembersProjects) restoreView(m_selection, *m_project);
    emit projectChanged();
    if (!m_project->openingNote().isEmpty()) emit message(m_project->openingNote(), false);
    return true;
}

void Workbench::keepView() const {
    if (m_project && m_remembersProjects) ui::keepView(m_selection, *m_project);
}

void Workbench::connectProject() {
    connect(m_project.get(), &Project::failed, this, [this](const QString& sentence) { emit message(sentence, true); });
    connect(m_project.get(), &Project::commandRefused, this,
            [this](const QString& sentence) { emit message(sentence, true); });
    connect(m_project.get(), &Project::recovered, this, &Workbench::troubleOver);
    connect(m_project.get(), &Project::runsChanged, this, &Workbench::keepSelectionValid);
    connect(m_project.get(), &Project::runsChanged, this, &Workbench::reportLostRuns);
    m_live.clear();
    reportLostRuns();
}

// A worker that dies under the window is said once; what it wrote last is known only of one that was started here.
void Workbench::reportLostRuns() {
    QStringList lost;
    for (const store::RunId id : m_live) {
        const store::RunInfo* run = m_project->run(id);
        if (run && run->state == store::RunState::Interrupted)
            lost << tr("%1 at step %2").arg(QString::fromStdString(run->name)).arg(run->steps);
    }
    m_live.clear();
    for (const store::RunInfo& run : liveRuns())
        m_live.push_back(run.id);
    if (lost.isEmpty()) return;
    QString sentence = tr("The worker is gone: %1. What was recorded is kept.").arg(lost.join(QStringLiteral(", ")));
    const bool startedHere = m_launcher.store() == m_project->path();
    const QString words = startedHere ? m_launcher.lastWords() : QString();
    if (!words.isEmpty()) sentence += tr(" Its last words: %1").arg(words);
    emit message(sentence, true);
}

bool Workbench::train(const QStringList& trainArguments) {
    QStringList arguments = trainArguments;
    fs::path target = takeStore(arguments);
    if (target.empty()) target = m_project ? m_project->path() : todaysProject();
    std::optional<Error> trouble = folderTrouble(target);
    if (!trouble) {
        const auto started = m_launcher.start(target, arguments);
        if (!started) trouble = started.error();
    }
    if (trouble) emit message(sentenceOf(*trouble), true);
    return !trouble;
}

void Workbench::takeBegun() {
    std::error_code ignored;
    const bool isOpen = m_project && fs::equivalent(m_project->path(), m_launcher.store(), ignored);
    if (isOpen)
        m_project->poll();
    else if (!openProject(m_launcher.store()))
        return;
    selectNewestExperiment();
    m_selection.setFollows(true);
    emit trainingBegan();
}

void Workbench::selectNewestExperiment() {
    const auto& experiments = m_project->experiments();
    m_selection.setExperiment(experiments.empty() ? store::ExperimentId{} : experiments.back().id);
    m_selection.setCurrentRun({});
    m_selection.setBaseline({});
    keepSelectionValid();
}

// Runs appear one by one after their experiment; the first that is no baseline becomes the current one.
void Workbench::keepSelectionValid() {
    const auto& experiments = m_project->experiments();
    const bool experimentGone =
        std::ranges::none_of(experiments, [this](const auto& one) { return one.id == m_selection.experiment(); });
    if (experimentGone) m_selection.setExperiment(experiments.empty() ? store::ExperimentId{} : experiments.back().id);
    const store::RunInfo* current = m_project->run(m_selection.currentRun());
    if (current && current->experiment == m_selection.experiment()) return;
    store::RunId fallback, chosen;
    for (const store::RunInfo& run : m_project->runs()) {
        if (run.experiment != m_selection.experiment() || run.hidden) continue;
        if (!fallback.valid()) fallback = run.id;
        if (!chosen.valid() && !isBaselineRecipe(run)) chosen = run.id;
    }
    m_selection.setCurrentRun(chosen.valid() ? chosen : fallback);
}

std::vector<store::RunInfo> Workbench::liveRuns() const {
    std::vector<store::RunInfo> live;
    if (!m_project) return live;
    std::ranges::copy_if(m_project->runs(), std::back_inserter(live),
                         [](const store::RunInfo& run) { return isLive(run) && !run.hidden; });
    return live;
}

void Workbench::stopAll() {
    if (!m_project) return;
    for (const store::RunInfo& run : std::vector(m_project->runs())) {
        if (isLive(run)) send(run.id, store::CommandVerb::Stop);
    }
}

void Workbench::send(store::RunId run, store::CommandVerb verb) {
    const auto sent = m_project->send(run, verb);
    if (!sent) emit message(sentenceOf(sent.error()), true);
}

void Workbench::togglePause() {
    const store::RunInfo* run = m_project ? m_project->run(m_selection.currentRun()) : nullptr;
    if (!run || !isLive(*run)) {
        emit message(tr("Nothing is paused: the current run is not being trained."), false);
        return;
    }
    const bool paused = run->state == store::RunState::Paused;
    send(run->id, paused ? store::CommandVerb::Resume : store::CommandVerb::Pause);
}

void Workbench::stopCurrentRun() {
    const store::RunInfo* run = m_project ? m_project->run(m_selection.currentRun()) : nullptr;
    if (run && isLive(*run))
        send(run->id, store::CommandVerb::Stop);
    else
        emit message(tr("Nothing is stopped: the current run is not being trained."), false);
}

}  // namespace octet::ui
