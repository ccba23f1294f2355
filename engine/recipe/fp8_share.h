// SPDX-License-Identifier: Apache-2.0
// How much of a model a recipe takes into FP8: layers, parameters, work.
#pragma once

#include <vector>

#include "engine/arch/module_list.h"
#include "engine/recipe/training_plan.h"

namespace octet::recipe {

/// Counts as doubles: the largest models have more than 2^63 operations a step.
struct Fp8Share {
    size_t layers = 0, layersInFp8 = 0;          // Linears; in FP8 with at least one GEMM
    double parameters = 0, parametersInFp8 = 0;  // of the whole model; weights of Linears with at least one FP8 GEMM
    /// Floating-point operations of the Linears for one token, forward and backward: 2 x out x in per GEMM. Every
    /// expert counts as if it saw every token.
    double flops = 0, flopsInFp8 = 0;
};

/// @param modules  the list that the plans were made for
[[nodiscard]] Fp8Share fp8Share(const std::vector<LayerPlan>& layers, const std::vector<arch::Module>& modules);

}  // namespace octet::recipe
