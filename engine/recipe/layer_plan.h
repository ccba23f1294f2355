// SPDX-License-Identifier: Apache-2.0
// The decision for every Linear: the base first, then the rules, then override_linear_precision where it takes effect.
#pragma once

#include <string>
#include <vector>

#include "engine/recipe/training_plan.h"

namespace octet::recipe {

struct LayerPlans {
    std::vector<LayerPlan> layers;   // every Linear, in module order
    std::vector<std::string> notes;  // rules that hit nothing, hit inside longer names, or come too late
};

/// Fails on a pattern that is not one, and where Accelerate's own conversion fails.
[[nodiscard]] Result<LayerPlans> planLayers(const Recipe& recipe, const std::vector<arch::Module>& modules);

}  // namespace octet::recipe
