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

/// Blocks of backends that a later version reads; an "unknown key" message would mislead.
Result<void> refuseReservedBlocks(const Json& json, const std::string& what) {
    for (const char* key : {"ao", "native"}) {
        if (json.contains(key)) {
            return Error{ErrorCode::Refused,
                         fmt::format("{}: the block \"{}\" is not read by this version yet.", what, key),
                         "Leave the block out; backend TE and none can be trained."};
        }
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

/// Fields of the te block say nothing to other backends.
bool isWritten(const RecipeField& field, const Recipe& recipe) {
    return recipe.backend == Backend::Te || !std::string_view(field.key).starts_with("te.");
}

std::string ruleLabel(size_t index) {
    return fmt::format("{}[{}]", kRulesKey, index);
}

}  // namespace

Result<LoadedRecipe> recipeFromJson(const Json& json, const std::string& what) {
    if (auto version = checkVersion(json, what); !version) return version.error();
    if (auto reserved = refuseReservedBlocks(json, what); !reserved) return reserved.error();
    const auto values = readFields(json, infosOf(recipeFields()), {kVersionKey, kRulesKey}, what);
    if (!values) return values.error();
    LoadedRecipe loaded;
    for (const ReadValue& read : *values)
        recipeFields()[read.field].set(loaded.recipe, read.value);
    auto rules = rulesFromJson(json, what);
    if (!rules) return rules.error();
    loaded.recipe.layers.rules = std::move(*rules);

    std::vector<std::string> notes;
    if (json.contains("te") && loaded.recipe.backend != Backend::Te) {
        loaded.recipe.te = {};
        notes.push_back(fmt::format("The te block is ignored: backend is {}.", nameOf(loaded.recipe.backend)));
    }
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
    for (size_t i = 0; i < recipe.layers.rules.size(); ++i) {
        const LayerRule& rule = recipe.layers.rules[i];
        const auto pattern = RulePattern::parse(rule.match, fmt::format("{}: {}.match", what, ruleLabel(i)));
        if (!pattern) return pattern.error();
        if (rule.keep && rule.high != LayerRule{}.high) {
            warnings.push_back(fmt::format("{}: gemms says nothing beside keep, which keeps all three.", ruleLabel(i)));
        }
    }
    return warnings;
}

std::string recipeSummary(const Recipe& recipe) {
    switch (recipe.backend) {
        case Backend::None:
            return "BF16 without FP8: the run that others are compared with";
        case Backend::Ao:
            return "torchao";
        case Backend::Native:
            return "Transformer Engine without Accelerate";
        case Backend::Te:
            break;
    }
    const TeRecipe& te = recipe.te;
    std::string text = te.fp8Format == TeFormat::Hybrid ? "E4M3 forward, E5M2 gradients"
                                                        : fmt::format("{} everywhere", nameOf(te.fp8Format));
    if (te.useMxfp8BlockScaling) return text + "; MXFP8 block scaling";
    text += fmt::format("; history {}, ", groupedDigits(te.amaxHistoryLen));
    const bool dropped = te.amaxComputeAlgo == AmaxAlgo::MostRecent && recipe.semantics == Semantics::Library;
    text += dropped ? "asks most_recent, gets max" : nameOf(te.amaxComputeAlgo);
    if (te.margin != 0) text += fmt::format(", margin {}", te.margin);
    if (!recipe.layers.rules.empty()) text += fmt::format("; layer rules: {}", recipe.layers.rules.size());
    return text;
}

}  // namespace octet::recipe
