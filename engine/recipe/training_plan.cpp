// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/training_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/recipe/layer_plan.h"
#include "engine/recipe/recipe_json.h"
#include "engine/recipe/schema.h"
#include "engine/recipe/te_library.h"

namespace octet::recipe {
namespace {

using numerics::Fp8Format;

std::optional<Error> notYet(const Recipe& recipe) {
    const bool mxfp8 = recipe.backend == Backend::Te && recipe.te.useMxfp8BlockScaling;
    const char* what = recipe.backend == Backend::Ao       ? "Backend AO (torchao)"
                       : recipe.backend == Backend::Native ? "Backend native"
                       : mxfp8                             ? "MXFP8 block scaling"
                                                           : nullptr;
    if (!what) return std::nullopt;
    return Error{ErrorCode::Refused, fmt::format("{} does not train yet in this version.", what),
                 mxfp8 ? "Set use_mxfp8_block_scaling to false." : "Use backend TE, or none for the baseline."};
}

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

ScalingPlan scalingOf(const Recipe& recipe) {
    const bool documented = recipe.semantics == Semantics::Documented;
    ScalingPlan plan;
    plan.forward = recipe.te.fp8Format == TeFormat::E5M2 ? Fp8Format::E5M2 : Fp8Format::E4M3;
    plan.backward = recipe.te.fp8Format == TeFormat::E4M3 ? Fp8Format::E4M3 : Fp8Format::E5M2;
    plan.margin = recipe.te.margin;
    plan.historyLen = recipe.te.amaxHistoryLen;
    plan.algo = documented ? recipe.te.amaxComputeAlgo : AmaxAlgo::Max;
    plan.interval = documented ? recipe.te.interval : 1;
    plan.fp8DuringEval = recipe.te.useAutocastDuringEval;
    return plan;
}

/// The differences between page and library, told from the side that this recipe trains with.
std::vector<std::string> semanticsNotes(const Recipe& recipe) {
    std::vector<std::string> ignored = fieldsWithoutEffect(recipe);
    if (recipe.semantics == Semantics::Library) return ignored;
    if (auto refusal = libraryRefusal(recipe)) ignored.insert(ignored.begin(), refusal->message);
    for (std::string& note : ignored)
        note = "Trains as documented, but in the library: " + note;
    return ignored;
}

}  // namespace

Result<TrainingPlan> planTraining(const Recipe& recipe, const std::vector<arch::Module>& modules) {
    if (auto checked = checkRecipe(recipe, fmt::format("recipe \"{}\"", recipe.name)); !checked) return checked.error();
    if (recipe.backend == Backend::None) return baselinePlan(recipe, modules);
    if (recipe.backend == Backend::Te && recipe.semantics == Semantics::Library) {
        if (auto refusal = libraryRefusal(recipe)) return *refusal;
    }
    if (auto refusal = notYet(recipe)) return *refusal;

    auto layers = planLayers(recipe, modules);
    if (!layers) return layers.error();
    TrainingPlan plan;
    plan.fp8 = true;
    plan.scaling = scalingOf(recipe);
    plan.layers = std::move(layers->layers);
    for (auto notes : {semanticsNotes(recipe), layers->notes, targetReports(recipe)}) {
        plan.notes.insert(plan.notes.end(), notes.begin(), notes.end());
    }
    if (std::ranges::none_of(plan.layers, &LayerPlan::converted)) {
        plan.notes.emplace_back("No Linear runs in FP8: this run trains as the baseline does.");
    }
    return plan;
}

}  // namespace octet::recipe
