// SPDX-License-Identifier: GPL-3.0-or-later
// The Runs place: run list on the left, tracks in the middle, inspector on the right. It follows project and selection,
// and redraws at most five times a second however fast samples arrive.
#pragma once

#include <QElapsedTimer>
#include <QMap>
#include <QTimer>
#include <functional>
#include <memory>
#include <optional>

#include "engine/analysis/experiment_comparison.h"
#include "engine/recipe/recipe.h"
#include "ui/documents/selection.h"
#include "ui/runs/run_series.h"
#include "ui/runs/run_strip.h"
#include "ui/runs/shown_runs.h"
#include "ui/shell/place.h"

class QSplitter;
class QStackedLayout;

namespace octet::ui {

class EmptyState;
class Inspector;
class RunListPanel;
class TrackStack;

class RunsPlace final : public Place {
    Q_OBJECT

public:
    explicit RunsPlace(Selection* selection, QWidget* parent = nullptr);
    ~RunsPlace() override;

    /// nullptr: none is open. The old one must live until this returns.
    void setProject(Project* project);
    void entered() override;

    /// Replaces the file dialog: gets the suggested path, returns the chosen one, empty for "cancelled".
    void setExportPathChooser(std::function<QString(const QString& suggested)> chooser);
    /// The recipe that is open in the Recipe place, when it can be trained with.
    void setOpenRecipe(std::function<std::optional<recipe::Recipe>()> open);

    /// Tells the worker to go on with another recipe from the next step. @param reference  preset:NAME or a path
    void setRecipe(store::RunId run, const QString& reference);
    void setRecipe(store::RunId run, const recipe::Recipe& recipe);
    /// Asks for a path and writes what is seen: the tracks as a picture, or their values.
    void exportView(ViewFile file);

    /// Does at once all that waits: series to read, comparison, tracks. For pictures and tests.
    void settle();

    [[nodiscard]] TrackStack* tracks() const { return m_tracks; }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void build();
    void connectSelection();
    void connectPanels();
    void connectRecipeMenu();
    void connectProject();
    void toggleInLegend(store::RunId run);
    void confirm(store::RunId run, store::CommandVerb verb);
    void schedule();
    void invalidateTracks();
    void refresh(std::chrono::milliseconds budget);
    void compareIfDue(bool isForced);
    void chooseDefaults();
    void chooseDefaultLayer();
    void showTracks();
    void showVerdict();
    void showFigures();
    void showExportable();
    void showPage();
    void send(store::RunId run, store::CommandVerb verb);
    void exportRecipe(store::RunId run);
    void openRecipe(store::RunId run);
    void goToEvent(store::RunId run, double step, const QString& layer);

    Selection* m_selection;
    Project* m_project = nullptr;
    std::unique_ptr<RunSeries> m_series;
    ShownExperiment m_shown;
    std::optional<analysis::ExperimentComparison> m_comparison;
    QString m_comparisonFailure;
    QElapsedTimer m_sinceComparison, m_sinceRetry;
    qint64 m_comparisonCostMs = 0;
    bool m_tracksAreStale = true, m_comparisonIsStale = true, m_layerIsDefault = false, m_isNarrow = false;
    int m_drawnHeight = 0;
    QTimer m_timer;
    std::function<QString(const QString&)> m_chooseExportPath;
    std::function<std::optional<recipe::Recipe>()> m_openRecipe;
    QMap<qint64, QString> m_wantedRecipes;  // by run: sent, not confirmed yet

    QStackedLayout* m_pages;
    QSplitter* m_columns = nullptr;
    EmptyState* m_empty;
    RunListPanel* m_list;
    RunStrip* m_strip;
    TrackStack* m_tracks;
    Inspector* m_inspector;
};

}  // namespace octet::ui
