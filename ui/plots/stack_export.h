// SPDX-License-Identifier: GPL-3.0-or-later
// What is seen, as a picture or as a table. Files are written beside their place and renamed.
#pragma once

#include "engine/core/result.h"
#include "ui/plots/stack_plot.h"

namespace octet::ui {

/// @param scale  device pixels per pixel of a .png; ignored for .svg
[[nodiscard]] Result<void> exportStack(StackPlot& plot, const QString& path, double scale);
/// One row an x, ascending; one column a shown curve, empty where it has no sample there. Ends with a comment line
/// where rows had to be left out.
[[nodiscard]] QString csvOf(const StackScene& scene, const QCPRange& x);

}  // namespace octet::ui
