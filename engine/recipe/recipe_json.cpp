// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/recipe_json.h"

#include <fmt/format.h>

#include "engine/core/text.h"
#include "engine/recipe/layer_rules.h"
#include "engine/recipe/schema.h"

namespace octet::recipe {
namespace {

constexpr const char* kVersionKey = "octet_recipe";
constexpr const char* kRulesKey = "layers.rules";

Result<void> checkVersion(const Json& json, const std::string& what) {
    if (!json.is_object()) {
        return Error{ErrorCode::Usage, fmt::format("{}: expected an object, found {}.", what, jsonKind(json)), ""};
    }
    if (!json.contains(kVersionKey)) {
        return Error{ErrorCode::Usage,
                     fmt::format("{}: not an Octet recipe, the key \"{}\" is missing.", what, kVersionKey),
                     fmt::format("A recipe starts with \"{}\": {}.", kVersionKey, kRecipeVersion)};
    }
    const Json& version = json[kVersionKey];
    if (!version.is_number_integer() || version.get<int64_t>() < 1) {
        return Error{
            ErrorCode::Usage,
            fmt::format("{}: {}: expected {}, found {}.", what, kVersionKey, kRecipeVersion, jsonKind(version)), ""};
    }
    if (version.get<int64_t>() > kRecipeVersion) {
        return Error{ErrorCode::NewerVersion,
                     fmt::format("{}: written by a newer Octet (recipe version {}; this one reads up to {}).", what,
                                 version.dump(), kRecipeVersion),
                     "Update Octet, or export the recipe again from the newer one as an older version."};
    }
    return {};
}

Result<LayerRule> ruleFromJson(const Json& json, const std::string& what) {
    LayerRule rule;
    const auto values = readFields(json, infosOf(ruleFields()), {}, what);
    if (!values) return values.error();
    for (const ReadValue& read : *values)
        ruleFields()[read.field].set(rule, read.value);
    if (!json.contains("match")) {
        return Error{ErrorCode::Usage, fmt::format("{}: the key \"match\" is missing.", what),
                     "A rule says which layers it is for, for example \"match\": \"lm_head\"."};
    }
    return rule;
}

Result<std::vector<LayerRule>> rulesFromJson(const Json& json, const std::string& what) {
    std::vector<LayerRule> rules;
    if (!json.contains("layers") || !json["layers"].contains("rules")) return rules;
    const Json& list = json["layers"]["rules"];
    if (!list.is_array()) {
        return Error{ErrorCode::Usage,
                     fmt::format("{}: {}: expected a list, found {}.", what, kRulesKey, jsonKind(list)), ""};
    }
    for (size_t i = 0; i < list.size(); ++i) {
        auto rule = ruleFromJson(list[i], fmt::format("{}: {}[{}]", what, kRulesKey, i));
        if (!rule) return rule.error();
        rules.push_back(std::move(*rule));
    }
    return rules;
}

/// One backend's block of a recipe file.
struct Block {
    const char* key;
    Backend backend;
    void (*clear)(Recipe&);
};
constexpr Block kBlocks[] = {
    {"te", Backend::Te, [](Recipe& recipe) { recipe.te = {}; }},
    {"ao", Backend::Ao, [](Recipe& recipe) { recipe.ao = {}; }},
    {"native", Backend::Native, [](Recipe& recipe) { recipe.native = {}; }},
};

/// Fields of another backend's block say nothing. The twelve of ao.float8 only with config custom, but what was edited
/// there is kept.
bool isWritten(const RecipeField& field, const Recipe& recipe) {
    const std::string_view key = field.key;
    for (const Block& block : kBlocks) {
        if (key.starts_with(fmt::format("{}.", block.key)) && recipe.backend != block.backend) return false;
    }
    const bool unread = recipe.ao.config != AoConfig::Custom && recipe.ao.float8 == AoFloat8{};
    return !unread || !key.starts_with("ao.float8.");
}

/// Blocks of other backends are read for their mistakes, then dropped with a note.
std::vector<std::string> dropForeignBlocks(const Json& json, Recipe& recipe) {
    std::vector<std::string> notes;
    for (const Block& block : kBlocks) {
        if (!json.contains(block.key) || recipe.backend == block.backend) continue;
        block.clear(recipe);
        notes.push_back(fmt::format("The {} block is ignored: backend is {}.", block.key, nameOf(recipe.backend)));
    }
    return notes;
}

std::string ruleLabel(size_t index) {
    return fmt::format("{}[{}]", kRulesKey, index);
}

}  // namespace

Result<LoadedRecipe> recipeFromJson(const Json& json, const std::string& what) {
    if (auto version = checkVersion(json, what); !version) return version.error();
    const auto values = readFields(json, infosOf(recipeFields()), {kVersionKey, kRulesKey}, what);
    if (!values) return values.error();
    LoadedRecipe loaded;
    for (const ReadValue& read : *values)
        recipeFields()[read.field].set(loaded.recipe, read.value);
    auto rules = rulesFromJson(json, what);
    if (!rules) return rules.error();
    loaded.recipe.layers.rules = std::move(*rules);

    const std::vector<std::string> notes = dropForeignBlocks(json, loaded.recipe);
    auto warnings = checkRecipe(loaded.recipe, what);
    if (!warnings) return warnings.error();
    loaded.warnings = std::move(*warnings);
    loaded.warnings.insert(loaded.warnings.end(), notes.begin(), notes.end());
    return loaded;
}

Json recipeToJson(const Recipe& recipe) {
    Json json;
    json[kVersionKey] = kRecipeVersion;
    for (const RecipeField& field : recipeFields()) {
        if (isWritten(field, recipe)) putAt(json, field.key, fieldToJson(field, field.get(recipe)));
    }
    Json rules = Json::array();
    for (const LayerRule& rule : recipe.layers.rules)
        rules.push_back(ruleToJson(rule));
    putAt(json, kRulesKey, std::move(rules));
    return json;
}

std::string recipeText(const Recipe& recipe) {
    return prettyJson(recipeToJson(recipe));
}

Json ruleToJson(const LayerRule& rule) {
    Json json;
    for (const RuleField& field : ruleFields()) {
        const FieldValue value = field.get(rule);
        if (std::string_view(field.key) == "match" || value != field.get(LayerRule{})) {
            json[field.key] = fieldToJson(field, value);
        }
    }
    return json;
}

Result<std::vector<std::string>> checkRecipe(const Recipe& recipe, const std::string& what) {
    std::vector<std::string> warnings;
    for (const RecipeField& field : recipeFields()) {
        if (!isWritten(field, recipe)) continue;
        const FieldValue value = field.get(recipe);
        if (auto checked = checkField(field, value, what); !checked) return checked.error();
        if (auto warning = fieldWarning(field, value)) warnings.push_back(std::move(*warning));
    }
    if (recipe.backend == Backend::Ao && recipe.ao.config != AoConfig::Custom && recipe.ao.float8 != AoFloat8{}) {
        warnings.push_back(
            fmt::format("ao.float8 says nothing: ao.config is {}, not custom.", nameOf(recipe.ao.config)));
    }
    for (size_t i = 0; i < recipe.layers.rules.size(); ++i) {
        const LayerRule& rule = recipe.layers.rules[i];
        const auto pattern = RulePattern::parse(rule.match, fmt::format("{}: {}.match", what, ruleLabel(i)));
        if (!pattern) return pattern.error();
        if (rule.keep && rule.high != LayerRule{}.high) {
            warnings.push_back(fmt::format("{}: gemms says nothing beside keep, which keeps all three.", ruleLabel(i)));
        }
        if (rule.keep && (rule.format != RuleFormat::Inherit || rule.scaling != RuleScaling::Inherit)) {
            warnings.push_back(fmt::format("{}: fp8_format and scaling say nothing beside keep.", ruleLabel(i)));
        }
    }
    return warnings;
}

}  // namespace octet::recipe
