// SPDX-License-Identifier: GPL-3.0-or-later
// How long a start took, from the birth of the process to the end of the window's first paint.
#pragma once

#include <functional>

class QWidget;

namespace octet::ui {

/// Calls `done` once with the milliseconds, after the first paint of `window`.
void measureFirstPaint(QWidget& window, std::function<void(double)> done);

}  // namespace octet::ui
