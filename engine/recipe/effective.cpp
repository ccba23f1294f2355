// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/effective.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/recipe/effective_parts.h"
#include "engine/recipe/library_versions.h"
#include "engine/recipe/recipe_json.h"

namespace octet::recipe {
namespace {

EffectiveRecipe effectiveBaseline() {
    EffectiveRecipe effective;
    effective.runs = "BF16 without FP8";
    return effective;
}

Json castJson(const OperandCast& cast) {
    static constexpr std::array granularities{"tensor", "row", "1x128", "128x128", "1x32", "32x32"};
    if (!cast.fp8) return "high";
    return {{"format", numerics::formatName(cast.format)},
            {"granularity", granularities[static_cast<size_t>(cast.granularity)]},
            {"power_of_two", cast.powerOfTwo}};
}

/// Zeros that make the contracted dimension fit: only torchao pads, and only what a GEMM contracts.
std::string paddingText(const Recipe& recipe, const GemmPlan& gemm, Gemm which) {
    if (!gemm.fp8) return "none";
    const bool tokens = which == Gemm::Wgrad;
    const auto isMx = [](const OperandCast& cast) { return cast.scaling == ScalingKind::Mx; };
    const int multiple = isMx(gemm.a) || isMx(gemm.b) ? 32 : 16;
    const bool custom = recipe.ao.config == AoConfig::Custom;
    const bool pads =
        recipe.backend == Backend::Ao &&
        (custom ? recipe.ao.float8.padInnerDim : recipe.ao.config == AoConfig::None && recipe.ao.padInnerDim);
    if (pads) return "the contracted dimension is padded with zeros to a multiple of 16";
    return tokens ? fmt::format("none: tokens must be a multiple of {}", multiple) : "none";
}

Json layersJson(const Recipe& recipe, const TrainingPlan& plan) {
    Json layers = Json::array();
    for (const LayerPlan& layer : plan.layers) {
        Json gemms;
        for (const Gemm which : kGemms) {
            const GemmPlan& gemm = layer.gemms[static_cast<size_t>(which)];
            gemms[kGemmNames[static_cast<size_t>(which)]] = {{"fp8", gemm.fp8},
                                                             {"a", castJson(gemm.a)},
                                                             {"b", castJson(gemm.b)},
                                                             {"accumulation", !gemm.fp8               ? "high"
                                                                              : gemm.fastAccumulation ? "fast"
                                                                                                      : "float32"},
                                                             {"padding", paddingText(recipe, gemm, which)}};
        }
        layers.push_back(
            {{"name", layer.name}, {"converted", layer.converted}, {"reason", layer.reason}, {"gemms", gemms}});
    }
    return layers;
}

}  // namespace

EffectiveRecipe effectiveRecipe(const Recipe& recipe) {
    switch (recipe.backend) {
        case Backend::Te:
            return effectiveTe(recipe);
        case Backend::Ao:
            return effectiveAo(recipe);
        case Backend::Native:
            return effectiveNative(recipe);
        case Backend::None:
            break;
    }
    return effectiveBaseline();
}

const EffectiveField* fieldIn(const EffectiveRecipe& effective, std::string_view key) {
    const auto found = std::ranges::find(effective.fields, key, &EffectiveField::key);
    return found == effective.fields.end() ? nullptr : &*found;
}

std::string noEffectSentence(const EffectiveField& field) {
    const bool lost =
        field.fate == FieldFate::Dropped || field.fate == FieldFate::Ignored || field.fate == FieldFate::Overridden;
    if (!lost) return {};
    const std::string name = field.key.substr(field.key.find('.') + 1);
    return fmt::format("{} {} has no effect: {}.", name, field.asked, field.reason);
}

const char* fateName(FieldFate fate) {
    static constexpr std::array names{"used", "default", "dropped", "ignored", "overridden", "refused"};
    return names[static_cast<size_t>(fate)];
}

const char* severityName(Severity severity) {
    static constexpr std::array names{"info", "warning", "error"};
    return names[static_cast<size_t>(severity)];
}

Json effectiveJson(const Recipe& recipe, const EffectiveRecipe& effective, const TrainingPlan* plan) {
    Json fields = Json::array(), reports = Json::array();
    for (const EffectiveField& field : effective.fields) {
        fields.push_back({{"key", field.key},
                          {"asked", field.asked},
                          {"passed", field.passed},
                          {"library_default", field.libraryDefault},
                          {"effective", field.effective},
                          {"status", fateName(field.fate)},
                          {"severity", severityName(field.severity)},
                          {"reason", field.reason},
                          {"source", field.source}});
    }
    for (const TargetReport& report : effective.reports) {
        reports.push_back(
            {{"severity", severityName(report.severity)}, {"sentence", report.sentence}, {"source", report.source}});
    }
    Json json = {{"name", recipe.name}, {"backend", nameOf(recipe.backend)}, {"semantics", nameOf(recipe.semantics)}};
    json["target"] = recipeToJson(recipe)["target"];
    json["runs"] = effective.runs;
    json["refusal"] =
        effective.refusal ? Json{{"message", effective.refusal->message}, {"hint", effective.refusal->hint}} : Json();
    json["fields"] = fields;
    json["reports"] = reports;
    if (plan) json["layers"] = layersJson(recipe, *plan);
    return json;
}

Json onTargetJson(const Recipe& recipe) {
    const EffectiveRecipe effective = effectiveRecipe(recipe);
    Json json = {{"runs", effective.refusal ? "refused: " + effective.refusal->message : effective.runs}};
    for (const EffectiveField& field : effective.fields) {
        const bool idle = field.effective.empty() || field.key.starts_with("ao.float8.");
        if (!idle) json[field.key] = field.effective;
    }
    return json;
}

std::vector<EffectiveField> askedFields(const Recipe& recipe, std::string_view block) {
    std::vector<EffectiveField> fields;
    for (const RecipeField& field : recipeFields()) {
        if (!std::string_view(field.key).starts_with(block)) continue;
        EffectiveField asked;
        asked.key = field.key;
        asked.asked = asked.effective = fieldText(field.get(recipe));
        if (const auto warning = fieldWarning(field, field.get(recipe))) {
            asked.severity = Severity::Warning;
            asked.reason = field.warning;
            if (asked.reason.ends_with('.')) asked.reason.pop_back();
        }
        fields.push_back(std::move(asked));
    }
    return fields;
}

std::string plainText(const Json& value) {
    if (value.is_null()) return {};
    if (value.is_string()) return value.get<std::string>();
    if (!value.is_array()) return value.dump();
    std::string text;
    for (const Json& item : value)
        text += (text.empty() ? "" : ",") + plainText(item);
    return text;
}

std::string callText(const Json& object) {
    std::string text;
    for (const auto& [key, value] : object.items()) {
        if (key == "class") continue;
        text += fmt::format("{}{}={}", text.empty() ? "" : ", ", key, plainText(value));
    }
    return fmt::format("{}({})", object["class"].get<std::string>(), text);
}

bool hasCapability(const Target& target, const char* from, const char* before) {
    return !isBefore(target.computeCapability, from) && (!*before || isBefore(target.computeCapability, before));
}

}  // namespace octet::recipe
