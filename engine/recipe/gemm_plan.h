// SPDX-License-Identifier: Apache-2.0
// How the operands of a layer's three GEMMs are cast, by the recipe and by the rule that takes the layer.
#pragma once

#include <array>
#include <string>

#include "engine/recipe/training_plan.h"

namespace octet::recipe {

/// The scaling of a layer: the rule's, else the recipe's. Inherit stands for torchao with the recipe's own config.
[[nodiscard]] RuleScaling scalingOf(const Recipe& recipe, const LayerRule* rule);

/// All three GEMMs as the scaling wants them, before shapes and rules keep some in high precision.
/// @param rule  the rule that takes the layer, or nullptr
[[nodiscard]] std::array<GemmPlan, 3> gemmPlans(const Recipe& recipe, const LayerRule* rule);

}  // namespace octet::recipe
