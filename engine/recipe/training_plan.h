// SPDX-License-Identifier: Apache-2.0
// From what a recipe asks to what a training run does: the delayed-scaling rule and the decision for every layer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/arch/module_list.h"
#include "engine/core/result.h"
#include "engine/numerics/fp8_format.h"
#include "engine/recipe/recipe.h"

namespace octet::recipe {

/// How the scales of one run are made, after the library (or the documentation) has had its say.
struct ScalingPlan {
    numerics::Fp8Format forward = numerics::Fp8Format::E4M3;   // inputs and weights
    numerics::Fp8Format backward = numerics::Fp8Format::E5M2;  // gradients of outputs
    int margin = 0;
    int historyLen = 1024;
    AmaxAlgo algo = AmaxAlgo::Max;
    int interval = 1;            // > 1 only with documented semantics
    bool fp8DuringEval = false;  // evaluation runs inside FP8 and feeds the history
};

/// What one Linear does in training.
struct LayerPlan {
    std::string name;
    int64_t outFeatures = 0;
    int64_t inFeatures = 0;
    bool converted = false;                        // at least one GEMM runs in FP8
    std::array<bool, 3> fp8{false, false, false};  // fprop, dgrad, wgrad
    std::string reason;                            // one sentence: which rule decided, with its source
};

struct TrainingPlan {
    bool fp8 = false;  // false: the BF16 baseline
    std::optional<ScalingPlan> scaling;
    std::vector<LayerPlan> layers;   // every Linear, in module order
    std::vector<std::string> notes;  // what was asked and does not happen, one sentence each
};

/// Decides every layer and the scaling rule. Refuses what the library refuses (E5M2 under `library`) and what this
/// version can't train yet (AO, native, MXFP8), with a sentence that says so.
[[nodiscard]] Result<TrainingPlan> planTraining(const Recipe& recipe, const std::vector<arch::Module>& modules);

}  // namespace octet::recipe
