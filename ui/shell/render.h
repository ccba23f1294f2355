// SPDX-License-Identifier: GPL-3.0-or-later
// octet --render: draws a place into a PNG without a display, for the README, for machines without a screen and tests.
#pragma once

#include <QStringList>

namespace octet::ui {

/// The whole of `octet --render home|recipe|live|compare --store P --out FILE.png [--size WxH] [--scale 2]
/// [--theme dark|light] [--recipe preset:NAME|FILE]`. Makes its own QApplication on the offscreen platform, so none may
/// exist.
/// @param arguments  without the program's name
/// @return exit code: 0; 2 for wrong arguments or a store that can't be opened; 1 when the picture can't be written
[[nodiscard]] int runRender(const QStringList& arguments);

}  // namespace octet::ui
