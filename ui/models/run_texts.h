// SPDX-License-Identifier: GPL-3.0-or-later
// How a run is shown in words: its state as a pill, its recipe in half a line, its colour.
#pragma once

#include <QSet>
#include <QString>
#include <optional>
#include <vector>

#include "engine/store/reader.h"
#include "ui/widgets/pill.h"

namespace octet::ui {

struct StatePill {
    QString text;  // "done", "71 %", "NaN", "stopped"
    Tone tone = Tone::Neutral;
    bool operator==(const StatePill&) const = default;
};

/// @param pending  Project::pendingCommand; stands in front of the state
/// @param hasNotFinite  a loss or a gradient was not finite
[[nodiscard]] StatePill statePill(const store::RunInfo& run, const QString& pending, bool hasNotFinite);

/// "HYBRID, history 16, max", "BF16, pinned".
[[nodiscard]] QString recipeSummary(const Json& recipe, const Json& environment, bool pinned);

/// 0 to 1.
[[nodiscard]] double progressOf(const store::RunInfo& run);

[[nodiscard]] bool isBaselineRecipe(const store::RunInfo& run);  // backend none

/// Colour of a run among the runs of its experiment, for runColour(): the baseline is always grey (2), the other
/// recipes have the remaining colours in their order, seeds of one recipe the same; hidden runs count for nothing.
[[nodiscard]] int colourIndexOf(const std::vector<store::RunInfo>& runs, store::RunId run);

/// The same where runs of other experiments are overlaid: they come behind those of the chosen one.
struct ColourScheme {
    const std::vector<store::RunInfo>& runs;
    store::ExperimentId chosen;
    const QSet<qint64>& overlaid;

    [[nodiscard]] int indexOf(store::RunId run) const;
};

/// The run that gaps of `experiment` are measured against: `pinned` when it belongs to it, else the experiment's own.
[[nodiscard]] store::RunId baselineOf(const std::vector<store::RunInfo>& runs, store::ExperimentId experiment,
                                      store::RunId pinned);

}  // namespace octet::ui
