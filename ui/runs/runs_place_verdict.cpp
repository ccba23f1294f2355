// SPDX-License-Identifier: GPL-3.0-or-later
// The verdict side of the Runs place: comparing as often as is cheap, figures at the crosshair, and the export.
#include <QFileInfo>
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/core/text.h"
#include "ui/runs/inspector.h"
#include "ui/runs/project_source.h"
#include "ui/runs/recipe_export.h"
#include "ui/runs/runs_place.h"
#include "ui/runs/verdict_card.h"

namespace octet::ui {
namespace {

constexpr qint64 kCompareEveryMs = 500, kCompareCostShare = 25;  // a comparison takes at most 4 % of the time

QString placeText(XAxis axis, double x) {
    switch (axis) {
        case XAxis::Step:
            return RunsPlace::tr("at step %1").arg(QString::fromStdString(groupedDigits(std::llround(x))));
        case XAxis::Tokens:
            return RunsPlace::tr("%1 tokens").arg(QString::fromStdString(groupedDigits(std::llround(x))));
        case XAxis::WallTime:
            return RunsPlace::tr("at %1 s").arg(x, 0, 'f', 1);
    }
    return {};
}

}  // namespace

void RunsPlace::compareIfDue(bool isForced) {
    const qint64 wait = std::max(kCompareEveryMs, m_comparisonCostMs * kCompareCostShare);
    const bool isDue = !m_sinceComparison.isValid() || m_sinceComparison.elapsed() >= wait;
    if (m_shown.runs.empty() || !(isForced || (m_comparisonIsStale && isDue))) return;
    m_comparisonIsStale = false;
    m_sinceComparison.start();
    analysis::CompareRequest request;
    for (const ShownRun& run : m_shown.runs)
        request.runs.push_back(std::to_string(run.info.id.value));
    const ShownRun* baseline = m_shown.find(m_shown.baseline);
    const bool isPinned = baseline && baseline->info.id == m_selection->baseline() && !baseline->info.baseline;
    if (isPinned) request.baseline = std::to_string(baseline->info.id.value);
    ProjectSource source(*m_project, *m_series);
    auto compared = analysis::compareExperiment(source, request);
    m_comparisonCostMs = m_sinceComparison.elapsed();
    // The noise band is drawn, so a new one needs new tracks.
    const auto noise = [this] { return m_comparison ? m_comparison->comparison.noisePercent.value_or(-1) : -1; };
    const double before = noise();
    m_comparisonFailure = compared ? QString() : sentenceOf(compared.error());
    m_comparison.reset();
    if (compared) m_comparison = std::move(*compared);
    m_tracksAreStale = m_tracksAreStale || before != noise();
}

void RunsPlace::showVerdict() {
    showFigures();
    showExportable();
}

void RunsPlace::showFigures() {
    if (!m_project || m_shown.runs.empty()) return;
    VerdictView view;
    const ShownRun* baseline = m_shown.find(m_shown.baseline);
    const bool isOpen = std::ranges::any_of(m_shown.runs, [](const ShownRun& run) { return isLive(run.info.state); });
    if (baseline) view.baseline = isOpen ? tr("%1, so far").arg(baseline->name) : baseline->name;
    const bool hasSteps = m_comparison && !m_comparison->comparison.commonSteps.empty();
    if (!m_comparisonFailure.isEmpty())
        view.waiting = m_comparisonFailure;
    else if (!hasSteps)
        view.waiting = tr("The verdict appears when every run has its first step.");
    else if (m_comparison->comparison.groups.empty())
        view.waiting = tr("Only the baseline is here, so there is nothing to compare it with.");
    else if (!baseline)
        view.waiting =
            tr("There is no baseline in this experiment. Pin a run in the list on the left (B) to measure "
               "the others against it.");
    else
        view.lines = verdictLines(*m_comparison);
    if (hasSteps) {
        view.sentences = verdictSentences(*m_comparison);
        const bool isStepAxis = m_selection->xAxis() == XAxis::Step;
        const double last =
            isStepAxis ? m_comparison->comparison.commonSteps.back() : std::numeric_limits<double>::infinity();
        const double x = m_selection->cursor().value_or(last);
        const auto runs = tableRuns(m_shown, m_selection->currentRun());
        std::vector<FiguresAt> figures;
        for (const ShownRun* run : runs)
            figures.push_back(figuresAt(*run, *m_series, m_selection->xAxis(), x));
        view.figures =
            figureTable(std::isfinite(x) ? placeText(m_selection->xAxis(), x) : tr("at the end"), runs, figures);
    }
    m_inspector->verdict()->setView(view);
}

void RunsPlace::showExportable() {
    std::vector<VerdictCard::Exportable> runs;
    QStringList names;
    store::RunId offered;
    for (const ShownRun& run : m_shown.runs) {
        const QString name = QString::fromStdString(run.info.recipeName);
        if (!run.isFp8 || names.contains(name)) continue;
        names << name;
        runs.push_back({run.info.id, name});
        const ShownRun* current = m_shown.find(m_selection->currentRun());
        if (current && current->info.recipeName == run.info.recipeName) offered = run.info.id;
    }
    m_inspector->verdict()->setExportable(runs, offered);
}

void RunsPlace::exportRecipe(store::RunId run) {
    const store::RunInfo* known = m_project ? m_project->run(run) : nullptr;
    if (!known) return;
    const store::RunInfo info = *known;  // a copy: while the dialog is open the project reads its runs anew
    const QString chosen = m_chooseExportPath(suggestedExportPath(info));
    if (chosen.isEmpty()) return;
    const auto written = exportRecipeOf(info, std::filesystem::path(chosen.toStdString()));
    if (!written) {
        emit message(sentenceOf(written.error()), true);
        return;
    }
    const QString recipe = QString::fromStdString(written->recipe.string());
    QString text = written->kwargs.empty()
                       ? tr("Wrote %1.").arg(recipe)
                       : tr("Wrote %1 for Accelerate, and %2 beside it.")
                             .arg(QString::fromStdString(written->kwargs.string()), QFileInfo(recipe).fileName());
    for (const QString& note : written->notes)
        text += QLatin1Char(' ') + note;
    emit message(text, false);
}

void RunsPlace::setExportPathChooser(std::function<QString(const QString&)> chooser) {
    m_chooseExportPath = std::move(chooser);
}

}  // namespace octet::ui
