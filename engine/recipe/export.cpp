// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/export.h"

#include <fmt/format.h>

#include "engine/core/text.h"
#include "engine/recipe/effective.h"
#include "engine/recipe/export_parts.h"
#include "engine/recipe/recipe_json.h"
#include "engine/recipe/schema.h"

namespace octet::recipe {
namespace {

Result<Exported> octetJson(const Recipe& recipe) {
    return Exported{recipeText(recipe), {}};
}

constexpr ExportTarget kTargets[] = {
    {"octet-json", "the whole Octet recipe", ".octet.json"},
    {"accelerate-yaml", "config file for accelerate launch --config_file", ".accelerate.yaml"},
    {"accelerate-json", "the same config file as JSON", ".accelerate.json"},
    {"accelerate-kwargs", "JSON for TERecipeKwargs(**json) or AORecipeKwargs(**json)", ".kwargs.json"},
    {"python", "Python file that builds the recipe, the layer filter and the Accelerator", ".py"},
    {"torchao", "torchao Float8LinearConfig and conversion, without Accelerate", ".torchao.py"},
    {"te", "Transformer Engine recipe, without Accelerate", ".te.py"},
    {"nvdlfw", "nvdlfw_inspect YAML that keeps the recipe's high-precision GEMMs", ".inspect.yaml"},
};
constexpr Result<Exported> (*kWriters[])(const Recipe&) = {octetJson,  accelerateYaml, accelerateJson, accelerateKwargs,
                                                           pythonFile, torchaoSnippet, teSnippet,      inspectYaml};
static_assert(std::size(kTargets) == std::size(kWriters));

}  // namespace

std::span<const ExportTarget> exportTargets() {
    return kTargets;
}

Result<Exported> exportRecipe(const Recipe& recipe, const std::string& target) {
    if (auto checked = checkRecipe(recipe, fmt::format("recipe \"{}\"", recipe.name)); !checked) return checked.error();
    std::vector<std::string> names;
    for (size_t i = 0; i < std::size(kTargets); ++i) {
        if (target == kTargets[i].name) return kWriters[i](recipe);
        names.emplace_back(kTargets[i].name);
    }
    const auto nearest = nearestWord(target, names);
    return Error{ErrorCode::Usage,
                 fmt::format("Unknown export target \"{}\"; known are {}.", target, fmt::join(names, ", ")),
                 nearest ? fmt::format("Did you mean \"{}\"?", *nearest) : ""};
}

Error cannotExport(std::string message, const char* otherTarget) {
    return {ErrorCode::Refused, std::move(message), fmt::format("Export it with --to {}.", otherTarget)};
}

std::vector<std::string> targetSentences(const Recipe& recipe) {
    std::vector<std::string> sentences;
    Recipe single = recipe;
    single.target.parallel = "none";
    for (const EffectiveField& field : effectiveRecipe(single).fields) {
        const bool idle = field.key.starts_with("ao.float8.") || field.severity == Severity::Info;
        if (const std::string sentence = noEffectSentence(field); !sentence.empty() && !idle)
            sentences.push_back(sentence);
    }
    for (const TargetReport& report : effectiveRecipe(recipe).reports)
        sentences.push_back(report.sentence);
    return sentences;
}

std::string embeddedRecipe(const Recipe& recipe) {
    return std::string(kEmbeddedStart) + recipeToJson(recipe).dump() + "\n";
}

}  // namespace octet::recipe
