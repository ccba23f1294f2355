// SPDX-License-Identifier: GPL-3.0-or-later
// What the values of torchao's fields, and of TE's recipes beyond Accelerate, mean in this recipe.
#pragma once

#include <QString>
#include <string_view>

#include "engine/recipe/recipe.h"

namespace octet::ui {

/// One sentence, or empty for fields that their help tells well enough.
[[nodiscard]] QString familySentence(const recipe::Recipe& recipe, std::string_view key);

}  // namespace octet::ui
