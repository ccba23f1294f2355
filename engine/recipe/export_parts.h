// SPDX-License-Identifier: Apache-2.0
// One function for each form of export, and what they share.
#pragma once

#include "engine/recipe/export.h"

namespace octet::recipe {

[[nodiscard]] Result<Exported> accelerateKwargs(const Recipe& recipe);
[[nodiscard]] Result<Exported> accelerateYaml(const Recipe& recipe);
[[nodiscard]] Result<Exported> accelerateJson(const Recipe& recipe);
[[nodiscard]] Result<Exported> pythonFile(const Recipe& recipe);
[[nodiscard]] Result<Exported> torchaoSnippet(const Recipe& recipe);
[[nodiscard]] Result<Exported> teSnippet(const Recipe& recipe);
[[nodiscard]] Result<Exported> inspectYaml(const Recipe& recipe);

/// A refusal whose hint names a form that works.
[[nodiscard]] Error cannotExport(std::string message, const char* otherTarget);

/// What the target does differently from what was asked, one sentence each.
[[nodiscard]] std::vector<std::string> targetSentences(const Recipe& recipe);

/// Sentences on semantics and on layer rules that a form has no place for.
/// @param why  "Accelerate has no layer filter for Transformer Engine"
[[nodiscard]] std::vector<std::string> leftOutOfForm(const Recipe& recipe, const char* why);

/// The whole recipe in one comment line; a form that cannot say everything is read back by it.
[[nodiscard]] std::string embeddedRecipe(const Recipe& recipe);
inline constexpr std::string_view kEmbeddedStart = "# octet-recipe: ";

/// Python source of torchao's config: a name or every field that is not torchao's default.
[[nodiscard]] std::string torchaoConfigCode(const Recipe& recipe);
/// Imports of the modules that torchaoConfigCode uses.
[[nodiscard]] std::string torchaoImports(const Recipe& recipe);
/// Python source of make_filter(model) for the recipe's layers.
/// @param always  false: empty where Accelerate's own filter is meant
[[nodiscard]] std::string filterCode(const Recipe& recipe, bool always);
[[nodiscard]] std::vector<std::string> leftOutOfFilter(const Recipe& recipe);

/// Python source of te_recipe() with its imports.
[[nodiscard]] std::string teRecipeCode(const Recipe& recipe);

}  // namespace octet::recipe
