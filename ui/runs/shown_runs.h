// SPDX-License-Identifier: GPL-3.0-or-later
// The runs that the Runs place draws: those of the chosen experiment, with colour, eye and the baseline that each is
// measured against.
#pragma once

#include <QString>
#include <vector>

#include "ui/documents/project.h"
#include "ui/documents/selection.h"

namespace octet::ui {

struct ShownRun {
    store::RunInfo info;
    QString name;
    int colourIndex = 0;
    bool isVisible = true;
    bool isFp8 = false;     // something of it is cast
    store::RunId baseline;  // of the same seed; its own id for a baseline; invalid when there is none
    bool isGuest = false;   // of another experiment, overlaid

    [[nodiscard]] bool hasGap() const { return baseline.valid() && baseline != info.id; }
};

/// The runs of one recipe in one experiment, which differ in their seed.
struct SeedGroup {
    QString name;
    std::vector<const ShownRun*> members, visible;  // never without a member
};

struct ShownExperiment {
    store::ExperimentInfo info;  // an invalid id when the project holds none
    std::vector<ShownRun> runs;  // in the store's order, hidden twins left out; overlaid ones of others at the end
    store::RunId baseline;       // the pinned one, or the experiment's own

    [[nodiscard]] const ShownRun* find(store::RunId run) const;
};

/// The experiment that the selection names, else the newest one.
[[nodiscard]] ShownExperiment shownExperiment(const Project& project, const Selection& selection);

/// In the order of the runs; pointers into `shown`.
[[nodiscard]] std::vector<SeedGroup> seedGroups(const ShownExperiment& shown);

/// True while a run can still grow.
[[nodiscard]] bool isLive(store::RunState state);

}  // namespace octet::ui
