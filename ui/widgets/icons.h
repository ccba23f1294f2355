// SPDX-License-Identifier: GPL-3.0-or-later
// Our own SVG icons (resources/icons, 24 x 24, black strokes), drawn in the colour of the text they stand beside, sharp
// at every scale and right after a change of theme.
#pragma once

#include <QIcon>

namespace octet::ui {

/// Icon of resources/icons/NAME.svg.
[[nodiscard]] QIcon themedIcon(const QString& name);

}  // namespace octet::ui
