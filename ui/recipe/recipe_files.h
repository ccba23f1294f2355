// SPDX-License-Identifier: GPL-3.0-or-later
// Where recipes lie on this machine: the folder for recipes that a run was started with, and the list of recent files.
#pragma once

#include <QString>
#include <QStringList>

#include "engine/core/result.h"
#include "engine/recipe/recipe.h"

namespace octet::ui {

/// Message and hint as one text.
[[nodiscard]] QString errorText(const Error& error);

/// ~/Octet/recipes; not made yet.
[[nodiscard]] QString recipeFolder();

/// A file name without suffix made from the recipe's name.
[[nodiscard]] QString fileNameOf(const recipe::Recipe& recipe);

/// Writes a recipe into recipeFolder() for a run, under a name that its content decides, so that an earlier run's
/// recipe is never overwritten; returns the path.
[[nodiscard]] Result<QString> writeRecipeForRun(const recipe::Recipe& recipe);

/// Recipe files opened lately that are still there, newest first.
[[nodiscard]] QStringList recentRecipes();
void rememberRecipe(const QString& path);

}  // namespace octet::ui
