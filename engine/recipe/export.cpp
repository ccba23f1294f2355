// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/export.h"

#include <fmt/format.h>

#include "engine/core/json.h"
#include "engine/core/text.h"
#include "engine/recipe/recipe_json.h"
#include "engine/recipe/schema.h"
#include "engine/recipe/te_library.h"

namespace octet::recipe {
namespace {

constexpr ExportTarget kTargets[] = {
    {"octet-json", "the whole Octet recipe"},
    {"accelerate-kwargs", "JSON for TERecipeKwargs(**json) of Accelerate"},
};

Result<Exported> octetJson(const Recipe& recipe) {
    return Exported{recipeText(recipe), {}};
}

std::optional<Error> noKwargs(const Recipe& recipe) {
    const char* why =
        recipe.backend == Backend::None     ? "A baseline has no kwargs: without a recipe handler and with "
                                              "mixed_precision \"bf16\" Accelerate trains it."
        : recipe.backend == Backend::Ao     ? "TERecipeKwargs is for Transformer Engine; this recipe's backend "
                                              "is AO (torchao)."
        : recipe.backend == Backend::Native ? "Accelerate cannot reach this recipe: TERecipeKwargs has no field "
                                              "for it."
                                            : nullptr;
    if (!why) return std::nullopt;
    return Error{ErrorCode::Refused, why, "Export it with --to octet-json."};
}

std::vector<std::string> leftOutOfKwargs(const Recipe& recipe) {
    std::vector<std::string> leftOut = fieldsWithoutEffect(recipe);
    if (recipe.semantics == Semantics::Documented) {
        leftOut.emplace_back(
            "semantics documented is left out: Accelerate and Transformer Engine run the recipe as the "
            "library does.");
    }
    if (!recipe.layers.rules.empty()) {
        leftOut.push_back(
            fmt::format("Layer rules ({}) are left out: Accelerate has no layer filter for Transformer Engine.",
                        recipe.layers.rules.size()));
    }
    if (recipe.layers.base != LayerBase::Accelerate) {
        leftOut.push_back(fmt::format("layers.base {} is left out: Accelerate converts by its own order and shapes.",
                                      nameOf(recipe.layers.base)));
    }
    const auto reports = targetReports(recipe);
    leftOut.insert(leftOut.end(), reports.begin(), reports.end());
    return leftOut;
}

/// Every field of the te block under its own name. An override that keeps nothing stays out: written as a list it would
/// differ from Accelerate's tuple default and travel on for nothing.
Result<Exported> accelerateKwargs(const Recipe& recipe) {
    if (auto refusal = noKwargs(recipe)) return *refusal;
    if (auto refusal = libraryRefusal(recipe)) return *refusal;
    constexpr std::string_view prefix = "te.";
    const TeRecipe defaults;
    Json kwargs;
    for (const RecipeField& field : recipeFields()) {
        const std::string_view key = field.key;
        if (!key.starts_with(prefix)) continue;
        const bool idleOverride = field.type == FieldType::ThreeBooleans &&
                                  recipe.te.overrideLinearPrecision == defaults.overrideLinearPrecision;
        if (!idleOverride) kwargs[std::string(key.substr(prefix.size()))] = fieldToJson(field, field.get(recipe));
    }
    return Exported{prettyJson(kwargs), leftOutOfKwargs(recipe)};
}

}  // namespace

std::span<const ExportTarget> exportTargets() {
    return kTargets;
}

Result<Exported> exportRecipe(const Recipe& recipe, const std::string& target) {
    if (auto checked = checkRecipe(recipe, fmt::format("recipe \"{}\"", recipe.name)); !checked) return checked.error();
    if (target == kTargets[0].name) return octetJson(recipe);
    if (target == kTargets[1].name) return accelerateKwargs(recipe);
    std::vector<std::string> names;
    for (const ExportTarget& known : kTargets)
        names.emplace_back(known.name);
    const auto nearest = nearestWord(target, names);
    return Error{ErrorCode::Usage,
                 fmt::format("Unknown export target \"{}\"; known are {}.", target, fmt::join(names, ", ")),
                 nearest ? fmt::format("Did you mean \"{}\"?", *nearest) : ""};
}

}  // namespace octet::recipe
