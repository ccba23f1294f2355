// SPDX-License-Identifier: Apache-2.0
// Backend AO: AORecipeKwargs into torchao's Float8LinearConfig.
// Sources: recorded runs of accelerate 1.15.0 with torchao 0.18.0; torchao float8/config.py.
#include <fmt/format.h>

#include "engine/recipe/ao_config.h"
#include "engine/recipe/effective_parts.h"
#include "engine/recipe/library_versions.h"
#include "engine/recipe/plan_notes.h"

namespace octet::recipe {
namespace {

constexpr const char* kRecipeClass = "accelerate utils/dataclasses.py, AORecipeKwargs";
constexpr const char* kConfig = "torchao float8/config.py, Float8LinearConfig";
constexpr std::string_view kBlock = "ao.float8.";

/// The recipe whose float8 block is what torchao runs, for reading effective values by the schema's own fields.
Recipe withFloat8(AoFloat8 config) {
    Recipe recipe;
    recipe.ao.float8 = config;
    return recipe;
}

std::string valueOf(const Recipe& recipe, const std::string& key) {
    return fieldText(recipeField(key).get(recipe));
}

void ignore(EffectiveField& field, std::string reason, const char* source, bool isSet) {
    field.fate = isSet ? FieldFate::Ignored : FieldFate::Default;
    field.severity = isSet ? Severity::Warning : Severity::Info;
    field.reason = std::move(reason);
    field.source = source;
}

/// Under float8 all-gather the weights become new parameters; only FSDP2's path tells the optimizer.
void warnOfLostWeights(EffectiveField& field, const Recipe& recipe) {
    if (field.effective != "true" || recipe.target.parallel == "fsdp2") return;
    field.severity = Severity::Error;
    field.reason =
        "outside FSDP2 the converted weights become new parameters that the optimizer does not hold, so they are not "
        "trained; set it to false";
    field.source = "recorded run: the optimizer lacks the weights of every converted layer";
}

void resolveSwitch(EffectiveField& field, const Recipe& recipe, const Recipe& running) {
    const bool gather = field.key == "ao.enable_fsdp_float8_all_gather";
    const std::string inside = std::string(kBlock) + field.key.substr(3);
    field.libraryDefault = "false";
    field.effective = valueOf(running, inside);
    if (recipe.ao.config != AoConfig::None) {
        // Nobody has to set the two switches beside a config, so their defaults are no mistake.
        const bool isSet = field.asked != valueOf(Recipe{}, field.key);
        ignore(field,
               fmt::format("AORecipeKwargs reads it only without a config; ao.config is {}", nameOf(recipe.ao.config)),
               kRecipeClass, isSet);
        field.fate = FieldFate::Ignored;
        return;
    }
    field.passed = field.asked;
    if (gather) warnOfLostWeights(field, recipe);
}

void resolveFloat8(EffectiveField& field, const Recipe& recipe, const Recipe& running, const Recipe& normal) {
    field.libraryDefault = valueOf(normal, field.key);
    field.effective = valueOf(running, field.key);
    const bool isSet = field.asked != valueOf(Recipe{}, field.key);
    if (recipe.ao.config != AoConfig::Custom) {
        ignore(field, fmt::format("torchao reads it only with ao.config custom, not {}", nameOf(recipe.ao.config)),
               kConfig, isSet);
        return;
    }
    field.passed = isSet ? field.asked : "";
    field.source = kConfig;
    if (!isSet) {
        field.fate = FieldFate::Default;
        field.reason = "at torchao's default";
    }
    if (field.key == "ao.float8.enable_fsdp_float8_all_gather") warnOfLostWeights(field, recipe);
    if (field.key == "ao.float8.emulate" && field.effective == "true") {
        field.severity = Severity::Warning;
        field.reason = "multiplies dequantised operands in float32: no speed-up, and padding is ignored";
    }
}

std::vector<TargetReport> reportsFor(const Recipe& recipe, const AoFloat8& config) {
    std::vector<TargetReport> reports;
    const Target& target = recipe.target;
    if (!holds(VersionFact::AccelerateAo, target)) {
        reports.push_back({Severity::Error,
                           fmt::format("Accelerate {} has no backend AO: it exists since 1.4.", target.accelerate),
                           ruleFor(VersionFact::AccelerateAo).source});
    }
    if (!holds(VersionFact::TorchaoForAccelerate, target)) {
        reports.push_back({Severity::Error,
                           fmt::format("Accelerate refuses torchao {}: it needs 0.6.1 or newer.", target.torchao),
                           ruleFor(VersionFact::TorchaoForAccelerate).source});
    }
    if (!holds(VersionFact::TorchaoRowwisePo2, target) && config.roundScalesToPowerOf2 &&
        recipe.ao.config != AoConfig::Custom) {
        reports.push_back(
            {Severity::Warning,
             fmt::format("torchao {} does not round rowwise scales to powers of two; Octet trains as 0.9 and "
                         "newer do.",
                         target.torchao),
             ruleFor(VersionFact::TorchaoRowwisePo2).source});
    }
    if (target.parallel.starts_with("fsdp")) {
        reports.push_back({Severity::Warning,
                           "On the target, Accelerate refuses AO under FSDP unless fsdp_cpu_ram_efficient_loading is "
                           "false; the exported file writes it.",
                           "accelerate accelerator.py"});
    }
    if (target.parallel == "megatron") {
        reports.push_back({Severity::Error, "On the target, Accelerate converts nothing under Megatron.",
                           "accelerate accelerator.py, prepare()"});
    }
    for (const std::string& note : aoNotes(recipe))
        reports.push_back({Severity::Warning, note, kConfig});
    return reports;
}

}  // namespace

EffectiveRecipe effectiveAo(const Recipe& recipe) {
    EffectiveRecipe effective;
    const AoFloat8 config = float8ConfigOf(recipe.ao);
    AoRecipe bare;
    bare.config = AoConfig::Custom;
    const Recipe running = withFloat8(config), normal = withFloat8(float8ConfigOf(bare));
    effective.refusal = aoRefusal(recipe.ao);
    effective.fields = askedFields(recipe, "ao.");
    for (EffectiveField& field : effective.fields) {
        if (field.key == "ao.config") {
            field.passed = recipe.ao.config == AoConfig::None ? "" : field.asked;
            field.libraryDefault = "tensorwise";
            field.effective = recipe.ao.config == AoConfig::None ? "tensorwise" : field.asked;
            field.source = kRecipeClass;
            if (recipe.ao.config == AoConfig::None) {
                field.fate = FieldFate::Default;
                field.reason = "Accelerate builds a Float8LinearConfig from the two switches: the tensorwise recipe";
            }
        } else if (field.key.starts_with(kBlock)) {
            resolveFloat8(field, recipe, running, normal);
        } else {
            resolveSwitch(field, recipe, running);
        }
        const std::string name = field.key.substr(field.key.rfind('.') + 1);
        if (effective.refusal && effective.refusal->message.find(" " + name) != std::string::npos &&
            field.fate == FieldFate::Used) {
            field.fate = FieldFate::Refused;
            field.severity = Severity::Error;
            field.reason = effective.refusal->message;
            if (field.reason.ends_with('.')) field.reason.pop_back();
        }
    }
    effective.reports = reportsFor(recipe, config);
    if (!effective.refusal) {
        Json call = {{"class", "Float8LinearConfig"}};
        for (const EffectiveField& field : effective.fields) {
            if (field.key.starts_with(kBlock)) call[field.key.substr(kBlock.size())] = field.effective;
        }
        effective.runs = callText(call);
    }
    return effective;
}

}  // namespace octet::recipe
