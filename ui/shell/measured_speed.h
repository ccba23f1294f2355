// SPDX-License-Identifier: GPL-3.0-or-later
// How fast this machine trained last, for the estimate of the next run's time.
#pragma once

#include <optional>

#include "ui/documents/project.h"

namespace octet::ui {

/// Multiplications and additions a second (in 10^9) of the newest run that has trained long enough on the processor;
/// nullopt when there is none.
[[nodiscard]] std::optional<double> measuredGflops(Project& project);

}  // namespace octet::ui
