// SPDX-License-Identifier: Apache-2.0
// Recipes out of the files of other programs: Accelerate's launch config (YAML or JSON), keyword arguments as JSON, and
// the Python and inspect files that Octet itself wrote.
#pragma once

#include <string>
#include <string_view>

#include "engine/core/marked_value.h"
#include "engine/recipe/recipe_json.h"

namespace octet::recipe {

enum class RecipeForm { Unknown, OctetJson, AccelerateConfig, AccelerateKwargs, Inspect, WrittenByOctet };

/// By content, never by name. JSON is read as JSON, everything else as YAML.
[[nodiscard]] RecipeForm formOf(std::string_view text, const MarkedValue& parsed);

/// True for a text that starts as JSON does.
[[nodiscard]] bool looksLikeJson(std::string_view text);

/// JSON or YAML with places.
[[nodiscard]] Result<MarkedValue> parseRecipeText(std::string_view text, std::string_view what,
                                                  TextPlace* problem = nullptr);

/// A recipe of any known form. Warnings say what was read otherwise than it was written.
/// @param what  names the file in messages
[[nodiscard]] Result<LoadedRecipe> importRecipe(std::string_view text, const std::string& what);

/// The recipe that a launch config comes to. Refuses what Accelerate stops on before it holds a recipe.
[[nodiscard]] Result<LoadedRecipe> recipeFromConfig(const MarkedValue& file, const std::string& what);

}  // namespace octet::recipe
