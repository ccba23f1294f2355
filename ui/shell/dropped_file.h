// SPDX-License-Identifier: GPL-3.0-or-later
// What a file is that somebody opens or drops on the window, by its name; the store and the recipe reader look inside.
#pragma once

#include <QString>

namespace octet::ui {

struct DroppedFile {
    enum class Kind { Store, Recipe, Config, Other } kind = Kind::Other;
    QString sentence;  // Other: why it is not opened; Config: of another program, for octet-engine to check
};

[[nodiscard]] DroppedFile classifyFile(const QString& path);

}  // namespace octet::ui
