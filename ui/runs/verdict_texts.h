// SPDX-License-Identifier: GPL-3.0-or-later
// What the verdict says, as plain data: a word for each recipe, figures at one step, and sentences why.
#pragma once

#include <QStringList>
#include <optional>
#include <vector>

#include "engine/analysis/experiment_comparison.h"
#include "ui/runs/run_series.h"
#include "ui/runs/shown_runs.h"
#include "ui/widgets/pill.h"

namespace octet::ui {

struct VerdictLine {
    QString word;  // "PASS", "beyond noise", "NaN"
    Tone tone = Tone::Neutral;
    QString name;    // of the recipe
    QString detail;  // "gap +1.09 %, noise 0.02 %, 1 seed"
    bool operator==(const VerdictLine&) const = default;
};

/// Figures of one run at one place of the x axis.
struct FiguresAt {
    std::optional<double> loss, evaluation, tokensPerSecond, underflowPercent, saturatedPercent;
};

/// A small table: one column a run, the first one names the rows.
struct FigureTableText {
    struct Column {
        QString title;
        int colourIndex = -1;  // of a run; -1: plain ink
        bool operator==(const Column&) const = default;
    };
    struct Row {
        QString name;
        QStringList values;
        bool operator==(const Row&) const = default;
    };
    QString corner;
    std::vector<Column> columns;
    std::vector<Row> rows;
    bool operator==(const FigureTableText&) const = default;
};

/// One line for each recipe that is measured against the baseline.
[[nodiscard]] std::vector<VerdictLine> verdictLines(const analysis::ExperimentComparison& compared);

/// Why, and what may not be concluded.
[[nodiscard]] QStringList verdictSentences(const analysis::ExperimentComparison& compared);

/// @param x  on `axis`; figures are those of the last sample at or before it
[[nodiscard]] FiguresAt figuresAt(const ShownRun& run, RunSeries& series, XAxis axis, double x);

/// @param runs  the columns; @param figures  as many
[[nodiscard]] FigureTableText figureTable(const QString& corner, const std::vector<const ShownRun*>& runs,
                                          const std::vector<FiguresAt>& figures);

/// The visible runs that fit into the table: at most three, of the current run's seed, the current run and the baseline
/// among them.
[[nodiscard]] std::vector<const ShownRun*> tableRuns(const ShownExperiment& shown, store::RunId current);

/// Recipe fields in which the recipes differ, then facts of the environment in which the runs do.
[[nodiscard]] FigureTableText differenceTable(const std::vector<const ShownRun*>& runs);

}  // namespace octet::ui
