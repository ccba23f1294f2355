// SPDX-License-Identifier: GPL-3.0-or-later
// What a recipe makes of a model's Linears before anything runs: the decision for each, what each rule met, and how
// much of the multiplying runs in FP8.
#pragma once

#include <QString>
#include <string>
#include <vector>

#include "engine/recipe/fp8_share.h"
#include "engine/recipe/recipe.h"
#include "engine/recipe/training_plan.h"

namespace octet::ui {

/// What one rule met in the model.
struct RuleOutlook {
    int hits = 0;     // Linears that its pattern matches
    int decided = 0;  // of these, those that no earlier rule took
    QString problem;  // why its pattern is none
};

struct LayerOutlook {
    std::vector<recipe::LayerPlan> layers;
    std::vector<int> deciding;  // the rule that decides each layer, or -1
    std::vector<RuleOutlook> rules;
    std::vector<std::string> notes;  // on rules that hit nothing, hit inside longer names, or come too late
    QString problem;                 // the model or the recipe cannot be planned
    bool trains = false;             // nothing refuses the recipe
    recipe::Fp8Share share;
};

/// @param model  SPEC of the run setup
[[nodiscard]] LayerOutlook layerOutlook(const recipe::Recipe& recipe, const std::string& model);

}  // namespace octet::ui
