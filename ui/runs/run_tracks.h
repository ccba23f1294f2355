// SPDX-License-Identifier: GPL-3.0-or-later
// Which tracks the two presets of the Runs place show, and the marks that events make in them.
#pragma once

#include <optional>
#include <vector>

#include "ui/plots/track_stack.h"
#include "ui/runs/run_series.h"
#include "ui/runs/shown_runs.h"

namespace octet::ui {

struct TrackRequest {
    const ShownExperiment& shown;
    const Selection& selection;
    std::optional<double> noisePercent;  // of the comparison
    std::optional<double> barPercent;
    int height = 800;  // of the place: with little, the tracks that matter least are left out
};

[[nodiscard]] std::vector<Track> liveTracks(const TrackRequest& request, const Project& project, RunSeries& series);
[[nodiscard]] std::vector<Track> compareTracks(const TrackRequest& request, const Project& project, RunSeries& series);

/// Cold starts, recipe changes, NaN and pauses of the visible runs, at their place on the x axis.
[[nodiscard]] std::vector<StackMarker> eventMarkers(const TrackRequest& request, const Project& project,
                                                    RunSeries& series);

/// "input", "weight" or "dy": an operand as the window names it.
[[nodiscard]] QString operandName(const QString& operand);

}  // namespace octet::ui
