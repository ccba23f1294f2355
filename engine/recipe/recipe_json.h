// SPDX-License-Identifier: Apache-2.0
// Recipes as JSON (`octet_recipe` 1), as files and as presets.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/core/json.h"
#include "engine/core/result.h"
#include "engine/recipe/recipe.h"

namespace octet::recipe {

/// A recipe and what is odd about it without being wrong, one sentence each.
struct LoadedRecipe {
    Recipe recipe;
    std::vector<std::string> warnings;
};

/// Reads and checks. Unknown keys at every level, wrong types and values out of range are errors that name `what`, the
/// key, what was expected and what was found; files of newer versions are refused. Missing keys keep their default.
[[nodiscard]] Result<LoadedRecipe> recipeFromJson(const Json& json, const std::string& what);

/// Every key in file order; of the blocks te, ao and native only the backend's own.
[[nodiscard]] Json recipeToJson(const Recipe& recipe);

/// recipeToJson as the text of a file.
[[nodiscard]] std::string recipeText(const Recipe& recipe);

/// Only the keys that say something: match, and what differs from the default.
[[nodiscard]] Json ruleToJson(const LayerRule& rule);

/// Ranges and rules of a recipe that was edited; returns the warnings. @param what  names the recipe in messages
[[nodiscard]] Result<std::vector<std::string>> checkRecipe(const Recipe& recipe, const std::string& what);

/// "E4M3 forward, E5M2 gradients; history 16, max": one line on what the recipe asks.
[[nodiscard]] std::string recipeSummary(const Recipe& recipe);

struct Preset {
    std::string name;
    Recipe recipe;
    std::string summary;
};

/// The presets of resources/presets, compiled in; baseline first.
[[nodiscard]] std::span<const Preset> presets();

/// @param reference  "preset:NAME" or the path of a recipe file, which names the recipe if the file does not
[[nodiscard]] Result<LoadedRecipe> loadRecipe(const std::string& reference);

}  // namespace octet::recipe
