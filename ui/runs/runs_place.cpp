// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/runs_place.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QSplitter>
#include <QStackedLayout>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "ui/plots/track_stack.h"
#include "ui/runs/default_layer.h"
#include "ui/runs/events_panel.h"
#include "ui/runs/inspector.h"
#include "ui/runs/layers_panel.h"
#include "ui/runs/run_list_panel.h"
#include "ui/runs/run_strip.h"
#include "ui/runs/run_tracks.h"
#include "ui/runs/verdict_card.h"
#include "ui/widgets/empty_state.h"

namespace octet::ui {
namespace {

constexpr int kRefreshEveryMs = 200, kRetryEveryMs = 1000;
constexpr std::chrono::milliseconds kBudget{12}, kNoLimit{60'000};
constexpr int kNarrow = 1150;

QString chosenInDialog(QWidget* parent, const QString& suggested) {
    QDir().mkpath(QFileInfo(suggested).absolutePath());
    const QString suffix = QFileInfo(suggested).suffix();
    const bool isRecipe = suffix == QStringLiteral("json");
    return QFileDialog::getSaveFileName(
        parent, isRecipe ? RunsPlace::tr("Export recipe for Accelerate") : RunsPlace::tr("Export what is seen"),
        suggested, QStringLiteral("%1 (*.%2)").arg(suffix.toUpper(), suffix));
}

}  // namespace

RunsPlace::RunsPlace(Selection* selection, QWidget* parent)
    : Place(parent),
      m_selection(selection),
      m_chooseExportPath([this](const QString& suggested) { return chosenInDialog(this, suggested); }),
      m_pages(new QStackedLayout(this)),
      m_empty(new EmptyState({}, tr("Go to Home"), this)),
      m_list(new RunListPanel(selection, this)),
      m_strip(new RunStrip(selection, this)),
      m_tracks(new TrackStack(selection, this)),
      m_inspector(new Inspector(selection, this)) {
    m_timer.setSingleShot(true);
    connect(&m_timer, &QTimer::timeout, this, [this] { refresh(kBudget); });
    build();
    connectSelection();
    connectPanels();
    showPage();
}

RunsPlace::~RunsPlace() = default;

void RunsPlace::build() {
    auto* emptyPage = new QWidget(this);
    auto* emptyLayout = new QVBoxLayout(emptyPage);
    emptyLayout->setContentsMargins(40, 40, 40, 40);
    emptyLayout->addWidget(m_empty);

    auto* side = new QFrame(this);
    side->setProperty("role", QStringLiteral("side"));
    auto* sideLayout = new QVBoxLayout(side);
    sideLayout->setContentsMargins(0, 0, 0, 0);
    sideLayout->addWidget(m_list);

    auto* centre = new QWidget(this);
    auto* centreLayout = new QVBoxLayout(centre);
    centreLayout->setContentsMargins(10, 8, 0, 10);
    centreLayout->setSpacing(8);
    centreLayout->addWidget(m_strip);
    centreLayout->addWidget(m_tracks, 1);

    auto* right = new QWidget(this);
    auto* rightLayout = new QVBoxLayout(right);
    rightLayout->setContentsMargins(0, 10, 10, 10);
    rightLayout->addWidget(m_inspector);

    auto* splitter = m_columns = new QSplitter(Qt::Horizontal, this);
    splitter->setChildrenCollapsible(false);
    splitter->setHandleWidth(10);
    splitter->addWidget(side);
    splitter->addWidget(centre);
    splitter->addWidget(right);
    splitter->setStretchFactor(1, 1);
    side->setMinimumWidth(190);
    centre->setMinimumWidth(320);
    right->setMinimumWidth(270);
    splitter->setSizes({232, 706, 332});
    m_pages->addWidget(emptyPage);
    m_pages->addWidget(splitter);
}

void RunsPlace::connectSelection() {
    for (const auto changed : {&Selection::visibilityChanged, &Selection::baselineChanged,
                               &Selection::experimentChanged, &Selection::layersChanged, &Selection::presetChanged})
        connect(m_selection, changed, this, &RunsPlace::invalidateTracks);
    connect(m_selection, &Selection::baselineChanged, this, [this] { m_comparisonIsStale = true; });
    connect(m_selection, &Selection::experimentChanged, this, [this] {
        m_comparison.reset();
        m_comparisonIsStale = true;
    });
    connect(m_selection, &Selection::xAxisChanged, this, &RunsPlace::invalidateTracks);
    connect(m_selection, &Selection::cursorChanged, this, &RunsPlace::showFigures);
    connect(m_selection, &Selection::currentRunChanged, this, [this] {
        showExportable();
        schedule();
    });
}

void RunsPlace::connectPanels() {
    connect(m_empty, &EmptyState::clicked, this, [this] { emit wantsPlace(QStringLiteral("home")); });
    connect(m_list, &RunListPanel::commandWanted, this, &RunsPlace::send);
    connect(m_list, &RunListPanel::recipeWanted, this, &RunsPlace::openRecipe);
    connect(m_strip, &RunStrip::commandWanted, this, &RunsPlace::send);
    connect(m_tracks, &TrackStack::legendClicked, this, [this](store::RunId run, bool isolates) {
        if (isolates)
            m_list->isolate(run);
        else
            toggleInLegend(run);
    });
    connect(m_strip, &RunStrip::exportWanted, this, &RunsPlace::exportView);
    connectRecipeMenu();
    m_list->setRecipeMenu(m_strip->recipeMenu());
    connect(m_inspector->layers(), &LayersPanel::layerChosen, this, [this] { m_layerIsDefault = false; });
    connect(m_inspector->events(), &EventsPanel::eventChosen, this, &RunsPlace::goToEvent);
    connect(m_inspector->verdict(), &VerdictCard::exportRequested, this, &RunsPlace::exportRecipe);
}

/// A recipe with several seeds has one entry for all of them.
void RunsPlace::toggleInLegend(store::RunId run) {
    const bool shows = !m_selection->isVisible(run);
    for (const SeedGroup& group : seedGroups(m_shown)) {
        const bool isIn =
            std::ranges::any_of(group.members, [run](const ShownRun* one) { return one->info.id == run; });
        if (!isIn) continue;
        for (const ShownRun* one : group.members)
            m_selection->setVisible(one->info.id, shows);
    }
}

void RunsPlace::setProject(Project* project) {
    if (m_project) m_project->disconnect(this);
    m_timer.stop();
    m_series.reset();
    m_comparison.reset();
    m_shown = {};
    m_tracks->setTracks({}, {});
    m_list->setProject(project);
    m_strip->setProject(project);
    m_inspector->setProject(project);
    m_project = project;
    m_tracksAreStale = m_comparisonIsStale = true;
    m_layerIsDefault = false;
    if (project) {
        m_series = std::make_unique<RunSeries>(project);
        connectProject();
        schedule();
    }
    showPage();
}

void RunsPlace::connectProject() {
    connect(m_project, &Project::samplesArrived, this, [this] {
        m_comparisonIsStale = true;
        schedule();
    });
    connect(m_project, &Project::eventsArrived, this, &RunsPlace::invalidateTracks);
    connect(m_project, &Project::commandDone, this, &RunsPlace::confirm);
    connect(m_project, &Project::runsChanged, this, [this] {
        const ShownExperiment now = shownExperiment(*m_project, *m_selection);
        const bool sameRuns = std::ranges::equal(now.runs, m_shown.runs, [](const ShownRun& a, const ShownRun& b) {
            return a.info.id == b.info.id && a.info.recipeChanges == b.info.recipeChanges;
        });
        m_shown = now;
        m_comparisonIsStale = true;
        if (!sameRuns) m_series = std::make_unique<RunSeries>(m_project);  // another store may stand in its place
        if (!sameRuns) invalidateTracks();
        showPage();
        schedule();
    });
}

void RunsPlace::entered() {
    schedule();
    m_tracks->setFocus();
}

void RunsPlace::resizeEvent(QResizeEvent* event) {
    Place::resizeEvent(event);
    if (height() != m_drawnHeight) invalidateTracks();
    const bool isNarrow = width() < kNarrow;
    if (isNarrow == m_isNarrow) return;
    m_isNarrow = isNarrow;
    const int left = isNarrow ? 196 : 232, right = isNarrow ? 312 : 332;
    m_columns->setSizes({left, width() - left - right, right});
}

void RunsPlace::schedule() {
    if (m_project && !m_timer.isActive()) m_timer.start(m_tracksAreStale ? 0 : kRefreshEveryMs);
}

void RunsPlace::invalidateTracks() {
    m_tracksAreStale = true;
    if (m_project) m_timer.start(0);
}

void RunsPlace::settle() {
    if (!m_project) return;
    for (int round = 0; round < 3; ++round) {  // what the first one finds makes the next one ask for more
        m_comparisonIsStale = m_tracksAreStale = true;
        m_sinceComparison.invalidate();
        refresh(kNoLimit);
    }
    (void)m_tracks->redrawNow();  // its own redraw waits for the next frame
}

void RunsPlace::refresh(std::chrono::milliseconds budget) {
    if (!m_project) return;
    m_shown = shownExperiment(*m_project, *m_selection);
    showPage();
    chooseDefaults();
    if (!m_sinceRetry.isValid() || m_sinceRetry.elapsed() > kRetryEveryMs) {
        m_series->retryMissing();
        m_sinceRetry.start();
    }
    const RunSeries::Update update = m_series->update(budget);
    if (update.complete) compareIfDue(update.found);
    if (update.complete && m_layerIsDefault) chooseDefaultLayer();
    if (update.found || m_tracksAreStale)
        showTracks();
    else
        m_tracks->refresh();
    showVerdict();
    if (!update.complete) {
        emit statusText(tr("Reading the store..."));
        m_timer.start(0);
    } else if (m_comparisonIsStale || m_tracksAreStale) {
        schedule();
    }
}

void RunsPlace::chooseDefaults() {
    if (m_shown.runs.empty()) return;
    if (m_selection->experiment() != m_shown.info.id) m_selection->setExperiment(m_shown.info.id);
    if (m_selection->operand().isEmpty()) m_selection->setOperand(QStringLiteral("grad_output"));
    if (!m_shown.find(m_selection->currentRun())) {
        const auto fp8 = std::ranges::find_if(m_shown.runs, [](const ShownRun& run) { return run.isFp8; });
        m_selection->setCurrentRun((fp8 == m_shown.runs.end() ? m_shown.runs.front() : *fp8).info.id);
    }
    if (m_selection->layers().isEmpty()) m_layerIsDefault = true;
}

void RunsPlace::chooseDefaultLayer() {
    const DefaultLayer layer = defaultLayer(m_shown, *m_project, *m_series);
    if (layer.name.isEmpty()) return;
    if (layer.isSettled) m_layerIsDefault = false;  // from now on it stays
    if (m_selection->layers() != QStringList{layer.name}) m_selection->setLayers({layer.name});
}

void RunsPlace::showTracks() {
    const auto noise = m_comparison ? m_comparison->comparison.noisePercent : std::nullopt;
    const TrackRequest request{m_shown, *m_selection, noise, m_shown.info.barPercent, height()};
    const bool isLive = m_selection->preset() == ViewPreset::Live;
    auto tracks = isLive ? liveTracks(request, *m_project, *m_series) : compareTracks(request, *m_project, *m_series);
    // What the comparison and the verdict need is asked for here too, whatever the preset shows.
    for (const ShownRun& run : m_shown.runs) {
        if (!run.isFp8) continue;
        (void)m_series->meanUnderflow(run.info);
        (void)m_series->meanSaturated(run.info);
    }
    for (const store::RunInfo& run : m_project->runs())
        if (run.experiment == m_shown.info.id) (void)m_series->loss(run.id);  // the hidden twin gives the noise
    m_tracks->setTracks(std::move(tracks), eventMarkers(request, *m_project, *m_series));
    m_drawnHeight = height();
    m_tracksAreStale = false;
    m_inspector->setDifferences(differenceTable(tableRuns(m_shown, m_selection->currentRun())),
                                m_shown.runs.size() > 1);
    schedule();
}

void RunsPlace::showPage() {
    const bool isEmpty = !m_project || m_project->runs().empty();
    m_empty->setSentence(m_project ? tr("This project holds no run yet. Home starts a comparison in one click; Recipe "
                                        "trains a recipe of your own. Curves appear here from the first step on.")
                                   : tr("No project is open. Start a comparison or open a project at Home: its runs "
                                        "appear here."));
    m_pages->setCurrentIndex(isEmpty ? 0 : 1);
}

void RunsPlace::goToEvent(store::RunId run, double step, const QString& layer) {
    m_selection->setCurrentRun(run);
    if (!layer.isEmpty()) m_selection->setLayers({layer});
    const SeriesPointer loss = m_series ? m_series->loss(run) : nullptr;
    if (!loss || loss->size() == 0) return;
    const auto at = static_cast<size_t>(std::max<int64_t>(0, indexAt(loss->axes->step, loss->size(), step)));
    const XAxis axis = m_selection->xAxis();
    m_selection->setCursor(axis == XAxis::Step     ? loss->axes->step[at]
                           : axis == XAxis::Tokens ? loss->axes->tokens[at]
                                                   : loss->axes->wallTime[at]);
}

}  // namespace octet::ui
