// SPDX-License-Identifier: GPL-3.0-or-later
// What a person looked at in a project, kept between starts of the window: in the program's settings under the store's
// path, since a store may be read-only and is the worker's to write.
#pragma once

#include "ui/documents/project.h"
#include "ui/documents/selection.h"

namespace octet::ui {

void keepView(const Selection& selection, const Project& project);

/// Puts the kept view back: hidden and overlaid runs, current run, baseline, layers, operand, cursor, x range, axis,
/// preset. What is gone is left out. With an experiment that is newer than the kept view, only axis and preset.
void restoreView(Selection& selection, const Project& project);

}  // namespace octet::ui
