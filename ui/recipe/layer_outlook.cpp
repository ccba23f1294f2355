// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/recipe/layer_outlook.h"

#include "engine/arch/model_spec.h"
#include "engine/recipe/layer_plan.h"
#include "engine/recipe/layer_rules.h"
#include "ui/recipe/rule_edits.h"

namespace octet::ui {
namespace {

QString sentenceOf(const Error& error) {
    return QString::fromStdString(error.hint.empty() ? error.message : error.message + " " + error.hint);
}

/// The baseline has no rules to obey, so its plan comes from planTraining; a recipe that does not train (yet) still
/// shows what its rules would do.
Result<recipe::LayerPlans> plansOf(const recipe::Recipe& recipe, const std::vector<arch::Module>& modules) {
    if (recipe.backend != recipe::Backend::None) return recipe::planLayers(recipe, modules);
    auto plan = recipe::planTraining(recipe, modules);
    if (!plan) return plan.error();
    return recipe::LayerPlans{std::move(plan->layers), std::move(plan->notes)};
}

std::vector<RuleOutlook> rulesOf(const Rules& rules, const std::vector<recipe::LayerPlan>& layers,
                                 const std::vector<int>& deciding) {
    std::vector<RuleOutlook> outlooks(rules.size());
    for (size_t i = 0; i < rules.size(); ++i) {
        const auto pattern = recipe::RulePattern::parse(rules[i].match, "match");
        if (!pattern) {
            outlooks[i].problem = sentenceOf(pattern.error());
            continue;
        }
        for (size_t layer = 0; layer < layers.size(); ++layer) {
            outlooks[i].hits += pattern->hit(layers[layer].name) != recipe::RuleHit::None ? 1 : 0;
            outlooks[i].decided += deciding[layer] == static_cast<int>(i) ? 1 : 0;
        }
    }
    return outlooks;
}

}  // namespace

LayerOutlook layerOutlook(const recipe::Recipe& recipe, const std::string& model) {
    LayerOutlook outlook;
    const auto spec = arch::parseModelSpec(model);
    if (!spec) {
        outlook.problem = sentenceOf(spec.error());
        return outlook;
    }
    const std::vector<arch::Module> modules = arch::listModules(*spec);
    auto plans = plansOf(recipe, modules);
    if (!plans) outlook.problem = sentenceOf(plans.error());
    if (plans) {
        outlook.layers = std::move(plans->layers);
        outlook.notes = std::move(plans->notes);
    }
    const bool obeysRules = recipe.backend != recipe::Backend::None;
    for (const recipe::LayerPlan& layer : outlook.layers)
        outlook.deciding.push_back(obeysRules ? decidingRule(recipe.layers.rules, layer.name) : -1);
    outlook.rules = rulesOf(recipe.layers.rules, outlook.layers, outlook.deciding);
    outlook.trains = recipe::planTraining(recipe, modules).ok();
    outlook.share = recipe::fp8Share(outlook.layers, modules);
    return outlook;
}

}  // namespace octet::ui
