// SPDX-License-Identifier: GPL-3.0-or-later
// The recipes that a run can be told to go on with: the one open in the Recipe place, the presets, a file.
#pragma once

#include <functional>
#include <optional>

#include "engine/recipe/recipe.h"

class QMenu;

namespace octet::ui {

struct RecipeMenuWork {
    std::function<void(const recipe::Recipe&)> choose;
    std::function<void()> chooseFile;
};

/// Replaces what the menu holds. @param open  in the Recipe place, when it may be trained with
void fillRecipeMenu(QMenu& menu, const std::optional<recipe::Recipe>& open, const RecipeMenuWork& work);

}  // namespace octet::ui
