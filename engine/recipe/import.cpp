// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/import.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/core/text.h"
#include "engine/core/yaml.h"
#include "engine/recipe/accelerate_run.h"
#include "engine/recipe/export.h"
#include "engine/recipe/export_parts.h"
#include "engine/recipe/schema.h"

namespace octet::recipe {
namespace {

using Kind = MarkedValue::Kind;

bool hasAny(const MarkedValue& map, std::initializer_list<const char*> keys) {
    return std::ranges::any_of(keys, [&](const char* key) { return map.keyOf(key) != nullptr; });
}

/// nvdlfw_inspect: sections with a map of layers.
bool isInspect(const MarkedValue& map) {
    return !map.items.empty() && std::ranges::any_of(map.items, [](const MarkedValue& section) {
        return section.kind == Kind::Map && hasAny(section, {"layers", "transformer_engine"});
    });
}

bool isKwargs(const MarkedValue& map) {
    const Json known = handlerOf(Recipe{}).arguments;
    const auto isKnown = [&](const MarkedValue& key) {
        return known.contains(key.text) || key.text == "pad_inner_dim" || key.text == "enable_fsdp_float8_all_gather";
    };
    return !map.keys.empty() && std::ranges::any_of(map.keys, isKnown);
}

Result<LoadedRecipe> fromBlock(const char* backend, const char* block, const Json& fields, const Target& target,
                               const std::string& what) {
    Json json = {{"octet_recipe", kRecipeVersion}, {"backend", backend}, {block, fields}};
    auto loaded = recipeFromJson(json, what);
    if (loaded) loaded->recipe.target = target;
    return loaded;
}

Result<LoadedRecipe> fromKwargs(const MarkedValue& map, const std::string& what) {
    const bool ao = hasAny(map, {"pad_inner_dim", "enable_fsdp_float8_all_gather"});
    return fromBlock(ao ? "AO" : "TE", ao ? "ao" : "te", map.json(), {}, what);
}

std::string withUnixLines(std::string_view text) {
    std::string plain(text.starts_with("\xEF\xBB\xBF") ? text.substr(3) : text);
    std::erase(plain, '\r');
    return plain;
}

/// The line with the whole recipe counts only while the rest of the file still says the same.
Result<LoadedRecipe> fromEmbedded(std::string_view text, const std::string& what) {
    const std::string plain = withUnixLines(text);
    const size_t start = plain.find(kEmbeddedStart) + kEmbeddedStart.size();
    const auto json = parseJson(std::string_view(plain).substr(start, plain.find('\n', start) - start), what);
    if (!json) return json.error();
    auto loaded = recipeFromJson(*json, what);
    if (!loaded) return loaded;
    for (const ExportTarget& target : exportTargets()) {
        const auto again = exportRecipe(loaded->recipe, target.name);
        if (again && again->text == plain) return loaded;
    }
    return Error{ErrorCode::Refused, fmt::format("{} was changed after Octet wrote it.", what),
                 "Octet reads back only its own text: change the recipe in Octet and export it again."};
}

}  // namespace

bool looksLikeJson(std::string_view text) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    const size_t first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && text[first] == '{';
}

Result<MarkedValue> parseRecipeText(std::string_view text, std::string_view what, TextPlace* problem) {
    if (looksLikeJson(text)) {
        if (const size_t bad = firstNonUtf8(text); bad == std::string_view::npos) {
            // A YAML flow map starts alike; its own words help only when it is no JSON either.
            auto json = parseMarkedJson(text, what, problem);
            if (json || text.find('"') != std::string_view::npos) return json;
        }
    }
    return parseYaml(text, what, problem);
}

RecipeForm formOf(std::string_view text, const MarkedValue& parsed) {
    if (text.find(kEmbeddedStart) != std::string_view::npos) return RecipeForm::WrittenByOctet;
    if (parsed.kind != Kind::Map) return RecipeForm::Unknown;
    if (parsed.keyOf("octet_recipe")) return RecipeForm::OctetJson;
    if (hasAny(parsed, {"fp8_config", "mixed_precision", "distributed_type", "compute_environment"}))
        return RecipeForm::AccelerateConfig;
    if (isInspect(parsed)) return RecipeForm::Inspect;
    return looksLikeJson(text) && isKwargs(parsed) ? RecipeForm::AccelerateKwargs : RecipeForm::Unknown;
}

Result<LoadedRecipe> recipeFromConfig(const MarkedValue& file, const std::string& what) {
    Target target;
    target.parallel = parallelOf(file);
    Target capable = target;  // what the GPU lacks is told by the recipe's own check
    capable.computeCapability = "10.0";
    const AccelerateRun run = runLaunch(&file, {}, {}, capable);
    const bool hasRecipe = run.fields.is_object() || run.aoConfig;
    if (run.stop && !(hasRecipe && std::string_view(run.stop->stage) == "prepare")) {
        Error error = stopError(*run.stop, target);
        error.message = fmt::format("{}: {}", what, error.message);
        return error;
    }
    if (run.backend == "MSAMP") {
        return Error{ErrorCode::Refused,
                     fmt::format("{}: backend MSAMP has no Octet recipe: MS-AMP is unmaintained since 2023.", what),
                     "Set backend to TE or AO."};
    }
    if (!run.fp8Enabled) {
        LoadedRecipe baseline;
        baseline.recipe.backend = Backend::None;
        baseline.recipe.target = target;
        if (file.find("fp8_config")) baseline.warnings.push_back("fp8_config is not read: mixed_precision is not fp8.");
        return baseline;
    }
    if (run.backend == "AO") {
        const AoFloat8& config = *run.aoConfig;
        return fromBlock("AO", "ao",
                         {{"config", "none"},
                          {"pad_inner_dim", config.padInnerDim},
                          {"enable_fsdp_float8_all_gather", config.enableFsdpFloat8AllGather}},
                         target, what);
    }
    return fromBlock("TE", "te", run.fields, target, what);
}

Result<LoadedRecipe> importRecipe(std::string_view text, const std::string& what) {
    if (text.find(kEmbeddedStart) != std::string_view::npos) return fromEmbedded(text, what);
    const auto parsed = parseRecipeText(text, what);
    if (!parsed) return parsed.error();
    switch (formOf(text, *parsed)) {
        case RecipeForm::OctetJson:
            return recipeFromJson(parsed->json(), what);
        case RecipeForm::AccelerateConfig:
            return recipeFromConfig(*parsed, what);
        case RecipeForm::AccelerateKwargs:
            return fromKwargs(*parsed, what);
        case RecipeForm::Inspect:
            return Error{
                ErrorCode::Refused,
                fmt::format("{} is an nvdlfw_inspect file: it says which layers stay in high precision, not how "
                            "the others are scaled.",
                            what),
                "Check it with: octet-engine recipe check FILE"};
        case RecipeForm::WrittenByOctet:
        case RecipeForm::Unknown:
            break;
    }
    return Error{ErrorCode::Unreadable,
                 fmt::format("{} is no recipe: expected an Octet recipe (\"octet_recipe\"), an Accelerate config "
                             "(fp8_config), or arguments of TERecipeKwargs or AORecipeKwargs.",
                             what),
                 ""};
}

}  // namespace octet::recipe
