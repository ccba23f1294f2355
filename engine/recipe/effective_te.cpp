// SPDX-License-Identifier: Apache-2.0
// Backend TE: TERecipeKwargs through Accelerate into Transformer Engine.
// Sources: recorded runs of accelerate 1.15.0 with Transformer Engine 1.13, 2.1, 2.2 and 2.20.2; accelerate's source
// for DeepSpeed, FSDP2 and Megatron, which were read and not run.
#include <fmt/format.h>

#include <algorithm>

#include "engine/recipe/accelerate_run.h"
#include "engine/recipe/effective_parts.h"
#include "engine/recipe/library_versions.h"
#include "engine/recipe/te_library.h"

namespace octet::recipe {
namespace {

constexpr const char* kToKwargs = "accelerate utils/dataclasses.py, to_kwargs()";
constexpr const char* kAutowrap = "accelerate utils/transformer_engine.py, apply_fp8_autowrap()";

class TeFields {
public:
    TeFields(const Recipe& recipe, const AccelerateRun& run) : m_recipe(recipe), m_run(run) {}

    std::vector<EffectiveField> all() {
        std::vector<EffectiveField> fields = askedFields(m_recipe, "te.");
        for (EffectiveField& field : fields)
            resolve(field, field.key.substr(3));
        return fields;
    }

private:
    [[nodiscard]] bool isDelayed() const { return !m_recipe.te.useMxfp8BlockScaling; }

    void resolve(EffectiveField& field, const std::string& name) {
        field.libraryDefault = libraryDefault(name);
        // to_kwargs() writes a list where the caller gave one; an override that keeps nothing never is one.
        const bool differs = std::ranges::find(m_run.differs, name) != m_run.differs.end();
        const bool own = name.starts_with("use_");  // Accelerate reads these two itself
        if (differs && !own && !m_run.passedToTe.is_null()) field.passed = field.asked;
        if (m_run.stop && m_run.stop->where == name) return refuse(field);
        if (name == "use_autocast_during_eval") return resolveEvaluation(field);
        if (name == "use_mxfp8_block_scaling") return resolveClass(field);
        if (name == "interval") return resolveInterval(field);
        if (name == "override_linear_precision") return resolveOverride(field);
        field.effective = m_run.recipe.is_object() && m_run.recipe.contains(name) ? plainText(m_run.recipe[name]) : "";
        if (differs) return;
        field.source = kToKwargs;
        if (field.effective.empty() || field.effective == field.asked) return setDefault(field);
        field.fate = FieldFate::Dropped;
        field.severity = Severity::Warning;
        field.reason =
            name == "amax_compute_algo"
                ? fmt::format("it is Accelerate's own default and is never passed on, so Transformer Engine runs {}",
                              field.effective)
                : fmt::format("it is Accelerate's default and dropped, so MXFP8 runs {}", field.effective);
    }

    [[nodiscard]] std::string libraryDefault(const std::string& name) const {
        if (name == "margin") return "0";
        if (name == "fp8_format") return isDelayed() ? "HYBRID" : "E4M3";
        if (name == "amax_history_len") return isDelayed() ? "1024" : "";
        if (name == "amax_compute_algo") return isDelayed() ? "max" : "";
        return "";
    }

    static void setDefault(EffectiveField& field) {
        field.fate = FieldFate::Default;
        if (field.reason.empty())
            field.reason = "equal to Accelerate's default, so it is not passed on; the library runs the same";
    }

    void refuse(EffectiveField& field) {
        field.fate = FieldFate::Refused;
        field.severity = Severity::Error;
        field.effective = "";
        field.reason = stopError(*m_run.stop, m_recipe.target).message;
        if (field.reason.ends_with('.')) field.reason.pop_back();
        field.source = kAutowrap;
    }

    void resolveEvaluation(EffectiveField& field) const {
        field.effective = m_run.autocastEval ? "true" : "false";
        field.source = kAutowrap;
        if (!m_recipe.te.useAutocastDuringEval) setDefault(field);
    }

    void resolveClass(EffectiveField& field) {
        field.source = kAutowrap;
        if (isDelayed()) setDefault(field);
    }

    void resolveInterval(EffectiveField& field) const {
        const bool isField = holds(VersionFact::TeInterval, m_recipe.target);
        field.effective = "1";
        field.source = ruleFor(VersionFact::TeInterval).source;
        if (m_recipe.te.interval == 1) return setDefault(field);
        field.fate = FieldFate::Ignored;
        field.severity = Severity::Warning;
        field.reason = isField ? fmt::format("Transformer Engine {} stores it, warns, and never uses it",
                                             m_recipe.target.transformerEngine)
                               : "Transformer Engine has had no such field since 2.2";
    }

    void resolveOverride(EffectiveField& field) const {
        field.source = ruleFor(VersionFact::TeOverride).source;
        field.effective = "false,false,false";
        const auto& high = m_recipe.te.overrideLinearPrecision;
        if (high == TeRecipe{}.overrideLinearPrecision) return setDefault(field);
        field.fate = FieldFate::Ignored;
        field.severity = Severity::Warning;
        field.reason = fmt::format(
            "Transformer Engine has had no such field since 2.0, so FP8 runs in {} too; a layer rule can keep a GEMM "
            "in "
            "high precision",
            gemmsText(high));
    }

    const Recipe& m_recipe;
    const AccelerateRun& m_run;
};

/// Fields of a recipe that the way of running never lets take effect.
void overrideAll(std::vector<EffectiveField>& fields, FieldFate fate, const char* reason, const char* source,
                 const Json& running) {
    for (EffectiveField& field : fields) {
        const std::string name = field.key.substr(3);
        field.effective = running.is_object() && running.contains(name) ? plainText(running[name]) : "";
        field.passed.clear();
        if (fate == FieldFate::Overridden && field.effective == field.asked) {
            field.fate = FieldFate::Default;
            field.severity = Severity::Info;
            continue;
        }
        field.fate = fate;
        field.severity = Severity::Warning;
        field.reason = reason;
        field.source = source;
    }
}

std::vector<TargetReport> reportsFor(const Recipe& recipe) {
    std::vector<TargetReport> reports;
    const std::string& parallel = recipe.target.parallel;
    if (parallel == "fsdp2") {
        reports.push_back({Severity::Error,
                           "On the target, FSDP2 swaps the layers but never enters FP8 autocast: nothing runs in FP8 "
                           "there. Use backend AO for FSDP2.",
                           "accelerate accelerator.py, _prepare_fsdp2()"});
    } else if (parallel == "deepspeed") {
        reports.push_back({Severity::Error,
                           "On the target, DeepSpeed ignores these settings and runs Transformer Engine's defaults "
                           "(HYBRID, 1024, max). FP8RecipeKwargs(backend=\"TE\", ...) is the only class it reads.",
                           "accelerate accelerator.py, _prepare_deepspeed()"});
    } else if (parallel == "megatron") {
        reports.push_back({Severity::Error,
                           "On the target, Accelerate converts nothing under Megatron; FP8 comes from the model's own "
                           "configuration.",
                           "accelerate accelerator.py, prepare()"});
    }
    if (!hasCapability(recipe.target, "8.9", "")) {
        reports.push_back(
            {Severity::Error,
             fmt::format("On the target, compute capability {} has no FP8: Accelerate warns and trains in "
                         "fp16.",
                         recipe.target.computeCapability),
             "accelerate state.py"});
    }
    if (recipe.te.useMxfp8BlockScaling && !holds(VersionFact::AccelerateMxfp8, recipe.target)) {
        reports.push_back({Severity::Error,
                           fmt::format("Accelerate {} has no use_mxfp8_block_scaling: it exists since 1.11.",
                                       recipe.target.accelerate),
                           ruleFor(VersionFact::AccelerateMxfp8).source});
    }
    return reports;
}

}  // namespace

EffectiveRecipe effectiveTe(const Recipe& recipe) {
    // The recipe's own fate first; what the way of running makes of it comes after.
    Target alone = recipe.target;
    alone.parallel = "none";
    const HandlerCall handler = handlerOf(recipe);
    const AccelerateRun run = runAccelerator({handler}, "fp8", {}, alone);
    EffectiveRecipe effective;
    effective.fields = TeFields(recipe, run).all();
    effective.reports = reportsFor(recipe);
    if (run.stop) {
        effective.refusal = stopError(*run.stop, recipe.target);
        return effective;
    }
    effective.runs = callText(run.recipe);
    const AccelerateRun there = runAccelerator({handler}, "fp8", {}, recipe.target);
    if (recipe.target.parallel == "deepspeed" && there.recipe.is_object()) {
        overrideAll(effective.fields, FieldFate::Overridden,
                    "DeepSpeed looks at FP8RecipeKwargs only and runs Transformer Engine's defaults",
                    "accelerate accelerator.py, _prepare_deepspeed()", there.recipe);
        effective.runs = callText(there.recipe);
    } else if (recipe.target.parallel == "fsdp2" || recipe.target.parallel == "megatron") {
        const bool fsdp = recipe.target.parallel == "fsdp2";
        overrideAll(effective.fields, FieldFate::Ignored,
                    fsdp ? "FSDP2 never enters FP8 autocast" : "Accelerate converts nothing under Megatron",
                    "accelerate accelerator.py, _prepare_fsdp2() and prepare()", nullptr);
        effective.runs = "no FP8 on the target";
    }
    return effective;
}

}  // namespace octet::recipe
