// SPDX-License-Identifier: GPL-3.0-or-later
// Which layer the tracks show until somebody chooses one.
#pragma once

#include "ui/runs/run_series.h"
#include "ui/runs/shown_runs.h"

namespace octet::ui {

struct DefaultLayer {
    QString name;            // empty: nothing trains in FP8
    bool isSettled = false;  // enough steps are behind it to keep the choice
};

/// The layer where the recipes differ most over the last steps; where they don't, the one that loses most; where
/// nothing is lost, the first. One inside a block goes before lm_head, which recipes commonly keep in high precision.
[[nodiscard]] DefaultLayer defaultLayer(const ShownExperiment& shown, const Project& project, RunSeries& series);

}  // namespace octet::ui
