// SPDX-License-Identifier: Apache-2.0
// Backend native: Transformer Engine's recipe classes that Accelerate cannot reach.
// Source: Transformer Engine 2.20, common/recipe and pytorch/module/linear.py, read and not run.
#include <fmt/format.h>

#include <array>

#include "engine/recipe/effective_parts.h"
#include "engine/recipe/library_versions.h"
#include "engine/recipe/plan_notes.h"
#include "engine/recipe/te_library.h"

namespace octet::recipe {
namespace {

constexpr const char* kClasses = "Transformer Engine common/recipe";

/// Which of the three classes has the field, and how it gets there.
struct NativeField {
    const char* name;
    std::array<bool, 3> in;  // current, block, MX
    const char* route;       // empty: a constructor argument
};
constexpr NativeField kFields[] = {
    {"fp8_format", {true, true, true}, ""},
    {"use_power_2_scales",
     {true, false, false},
     "te.Linear reads it from NVTE_FP8_CURRENT_SCALING_POWER_2_SCALES=1, set before the import; the argument alone is "
     "lost"},
    {"amax_epsilon", {true, true, false}, "set on the recipe's fp8_quant_fwd_inp, _fwd_weight and _bwd_grad"},
    {"use_f32_scales", {false, true, false}, ""},
    {"enable_2d_quantization", {false, false, true}, ""},
    {"mx_scale_mode", {false, false, true}, ""},
    {"backward_override", {true, true, true}, ""},
    {"use_fast_accum", {true, false, true}, "set on the recipe's fp8_gemm_fprop, _dgrad and _wgrad"},
};

std::string formatThatRuns(const NativeRecipe& native) {
    if (native.fp8Format != NativeFormat::Default) return nameOf(native.fp8Format);
    return native.recipe == NativeKind::Float8CurrentScaling ? "HYBRID" : "E4M3";
}

void resolve(EffectiveField& field, const NativeField& known, const Recipe& recipe) {
    const NativeRecipe& native = recipe.native;
    const RecipeField& schema = recipeField(field.key);
    const bool isSet = schema.get(recipe) != schema.get(Recipe{});
    const std::string name = known.name;
    field.source = kClasses;
    field.libraryDefault = fieldText(schema.get(Recipe{}));
    if (name == "fp8_format") {
        field.effective = formatThatRuns(native);
        field.libraryDefault = native.recipe == NativeKind::Float8CurrentScaling ? "HYBRID" : "E4M3";
    }
    if (!known.in[static_cast<size_t>(native.recipe)]) {
        field.effective = "";
        field.libraryDefault = "";
        field.fate = isSet ? FieldFate::Ignored : FieldFate::Default;
        field.severity = isSet ? Severity::Warning : Severity::Info;
        field.reason = fmt::format("{} has no such field", nameOf(native.recipe));
        return;
    }
    if (!isSet) {
        field.fate = FieldFate::Default;
        field.reason = "at Transformer Engine's default";
        return;
    }
    field.passed = field.asked;
    field.reason = known.route;
    if (name == "mx_scale_mode") {
        field.fate = FieldFate::Overridden;
        field.severity = Severity::Warning;
        field.passed = "";
        field.effective = "te";
        field.reason = "it is torchao's; Transformer Engine always rounds up exactly";
    }
    if (name == "enable_2d_quantization" && !holds(VersionFact::TeMxfp8With2d, recipe.target)) {
        field.fate = FieldFate::Ignored;
        field.severity = Severity::Warning;
        field.effective = "";
        field.reason = fmt::format("known of Transformer Engine 2.20, not of {}", recipe.target.transformerEngine);
    }
    if (name == "fp8_format" && native.fp8Format == NativeFormat::E5M2) {
        field.fate = FieldFate::Refused;
        field.severity = Severity::Error;
        field.effective = "";
        field.reason = "Transformer Engine refuses E5M2 in both directions";
    }
}

VersionFact factOf(NativeKind kind) {
    return kind == NativeKind::Float8CurrentScaling ? VersionFact::TeCurrentScaling
           : kind == NativeKind::Float8BlockScaling ? VersionFact::TeBlockScaling
                                                    : VersionFact::TeMxfp8;
}

}  // namespace

EffectiveRecipe effectiveNative(const Recipe& recipe) {
    EffectiveRecipe effective;
    Json call = {{"class", nameOf(recipe.native.recipe)}};
    effective.fields = askedFields(recipe, "native.");
    for (EffectiveField& field : effective.fields) {
        const std::string name = field.key.substr(7);
        if (name == "recipe") {
            field.passed = field.asked;
            field.source = kClasses;
            continue;
        }
        for (const NativeField& known : kFields) {
            if (name == known.name) resolve(field, known, recipe);
        }
        if (!field.effective.empty()) call[name] = field.effective;
    }
    const VersionRule& rule = ruleFor(factOf(recipe.native.recipe));
    if (!holds(rule.fact, recipe.target)) {
        effective.reports.push_back(
            {Severity::Error,
             fmt::format("Transformer Engine {} has no {}: it exists since {}.", recipe.target.transformerEngine,
                         nameOf(recipe.native.recipe), rule.from),
             rule.source});
    }
    effective.reports.push_back({Severity::Warning,
                                 "Accelerate cannot build this recipe: the training script enters te.autocast itself.",
                                 "accelerate utils/transformer_engine.py, apply_fp8_autowrap()"});
    for (const std::string& note : nativeNotes(recipe)) {
        // Fields that another class reads are told at the field.
        if (note.find("has no effect") == std::string::npos)
            effective.reports.push_back({Severity::Warning, note, kClasses});
    }
    if (recipe.native.fp8Format == NativeFormat::E5M2) {
        effective.refusal =
            Error{ErrorCode::Refused,
                  "Transformer Engine refuses fp8_format E5M2: it does not train with E5M2 in both "
                  "directions.",
                  "Use HYBRID or E4M3, or set semantics to documented to see in Octet what E5M2 would do."};
    } else {
        effective.runs = callText(call);
    }
    return effective;
}

}  // namespace octet::recipe
