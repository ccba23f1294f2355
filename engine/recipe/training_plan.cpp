// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/training_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/recipe/ao_config.h"
#include "engine/recipe/gemm_plan.h"
#include "engine/recipe/layer_plan.h"
#include "engine/recipe/plan_notes.h"
#include "engine/recipe/recipe_json.h"
#include "engine/recipe/schema.h"
#include "engine/recipe/te_library.h"

namespace octet::recipe {
namespace {

using numerics::Fp8Format;

TrainingPlan baselinePlan(const Recipe& recipe, const std::vector<arch::Module>& modules) {
    TrainingPlan plan;
    for (const arch::Module& linear : arch::linearsOf(modules)) {
        plan.layers.push_back({linear.name,
                               linear.outFeatures(),
                               linear.inFeatures(),
                               false,
                               {},
                               "High precision: the recipe is the baseline, backend none."});
    }
    if (!recipe.layers.rules.empty()) plan.notes.emplace_back("Layer rules say nothing for backend none.");
    return plan;
}

/// Of the recipe where it is Transformer Engine's; TE's defaults for a rule that sets delayed scaling elsewhere.
ScalingPlan delayedScaling(const Recipe& recipe) {
    ScalingPlan plan;
    if (recipe.backend != Backend::Te) return plan;
    const bool documented = recipe.semantics == Semantics::Documented;
    plan.forward = recipe.te.fp8Format == TeFormat::E5M2 ? Fp8Format::E5M2 : Fp8Format::E4M3;
    plan.backward = recipe.te.fp8Format == TeFormat::E4M3 ? Fp8Format::E4M3 : Fp8Format::E5M2;
    plan.margin = recipe.te.margin;
    plan.historyLen = recipe.te.amaxHistoryLen;
    plan.algo = documented ? recipe.te.amaxComputeAlgo : AmaxAlgo::Max;
    plan.interval = documented ? recipe.te.interval : 1;
    return plan;
}

bool usesDelayedScaling(const Recipe& recipe) {
    return scalingOf(recipe, nullptr) == RuleScaling::Delayed ||
           std::ranges::any_of(recipe.layers.rules, [](const LayerRule& rule) {
               return rule.scaling == RuleScaling::Delayed && !rule.keep;
           });
}

std::optional<Error> refusalOf(const Recipe& recipe) {
    if (recipe.backend == Backend::Ao) return aoRefusal(recipe.ao);
    if (recipe.semantics != Semantics::Library) return std::nullopt;
    if (recipe.backend == Backend::Te) return libraryRefusal(recipe);
    if (recipe.native.fp8Format != NativeFormat::E5M2) return std::nullopt;
    return Error{ErrorCode::Refused,
                 "Transformer Engine refuses fp8_format E5M2: it does not train with E5M2 in both directions.",
                 "Use HYBRID or E4M3, or set semantics to documented to see in Octet what E5M2 would do."};
}

/// The differences between page and library, told from the side that this recipe trains with.
std::vector<std::string> semanticsNotes(const Recipe& recipe) {
    if (recipe.backend == Backend::Ao) return aoNotes(recipe);
    if (recipe.backend == Backend::Native) return nativeNotes(recipe);
    std::vector<std::string> ignored = fieldsWithoutEffect(recipe);
    if (recipe.semantics == Semantics::Library) return ignored;
    if (auto refusal = libraryRefusal(recipe)) ignored.insert(ignored.begin(), refusal->message);
    for (std::string& note : ignored)
        note = "Trains as documented, but in the library: " + note;
    return ignored;
}

constexpr std::array<const char*, 6> kGranularityTexts{"", " a row", " 1x128", " 128x128", " 1x32", " 32x32"};

}  // namespace

const OperandCast* firstCastOf(const LayerPlan& layer, size_t operand) {
    const auto& [fprop, dgrad, wgrad] = layer.gemms;
    const std::array<std::array<std::pair<const GemmPlan*, const OperandCast*>, 2>, 3> uses{
        {{{{&fprop, &fprop.a}, {&wgrad, &wgrad.b}}},
         {{{&fprop, &fprop.b}, {&dgrad, &dgrad.b}}},
         {{{&dgrad, &dgrad.a}, {&wgrad, &wgrad.a}}}}};
    for (const auto& [gemm, cast] : uses.at(operand)) {
        if (gemm->fp8) return cast;
    }
    return nullptr;
}

std::string castText(const OperandCast& cast) {
    if (!cast.fp8) return "high";
    return numerics::formatName(cast.format) + std::string(kGranularityTexts[static_cast<size_t>(cast.granularity)]);
}

std::string gemmText(const GemmPlan& gemm) {
    if (!gemm.fp8) return gemm.dequantised ? fmt::format("high by dequantised {}", castText(gemm.b)) : "";
    const bool plain = gemm.a.granularity == Granularity::Tensor && gemm.b.granularity == Granularity::Tensor;
    return fmt::format("{} {} {}", castText(gemm.a), plain ? "x" : "by", castText(gemm.b));
}

Result<TrainingPlan> planTraining(const Recipe& recipe, const std::vector<arch::Module>& modules) {
    if (auto checked = checkRecipe(recipe, fmt::format("recipe \"{}\"", recipe.name)); !checked) return checked.error();
    if (recipe.backend == Backend::None) return baselinePlan(recipe, modules);
    if (auto refusal = refusalOf(recipe)) return *refusal;

    auto layers = planLayers(recipe, modules);
    if (!layers) return layers.error();
    TrainingPlan plan;
    plan.fp8 = true;
    if (usesDelayedScaling(recipe)) plan.scaling = delayedScaling(recipe);
    // torchao's Float8Linear has no switch for evaluation; natively, evaluation outside te.autocast is the habit.
    plan.fp8DuringEval =
        recipe.backend == Backend::Ao || (recipe.backend == Backend::Te && recipe.te.useAutocastDuringEval);
    plan.layers = std::move(layers->layers);
    const auto reports = recipe.backend == Backend::Te ? targetReports(recipe) : std::vector<std::string>{};
    for (const auto& notes : {semanticsNotes(recipe), layers->notes, reports}) {
        plan.notes.insert(plan.notes.end(), notes.begin(), notes.end());
    }
    if (std::ranges::none_of(plan.layers, &LayerPlan::converted)) {
        plan.notes.emplace_back("No Linear runs in FP8: this run trains as the baseline does.");
    }
    return plan;
}

}  // namespace octet::recipe
