// SPDX-License-Identifier: GPL-3.0-or-later
// octet --bench: how fast the window starts, draws and follows a store that grows, beside the budgets of the design.
#pragma once

#include <QStringList>

namespace octet::ui {

inline constexpr const char* kBenchUsage =
    "       octet --bench [--json] [--only NAMES] [--seconds S | --minutes M] [--overview-samples N]\n"
    "           NAMES, separated by commas: first_paint, frame, overview, follow. follow watches the window while a\n"
    "           process writes 2,000 series as a trainer does, for 10 s unless told (40 minutes: --minutes 40)\n";

/// Makes its own QApplication (offscreen where there is no display), so none may exist, and forks.
/// @param arguments  without the program's name
/// @return exit code: 0; 2 for wrong arguments; 1 when something can't be measured
[[nodiscard]] int runBench(const QStringList& arguments);

}  // namespace octet::ui
