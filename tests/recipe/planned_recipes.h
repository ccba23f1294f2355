// SPDX-License-Identifier: Apache-2.0
// Recipes and small models for the tests of training plans, and what a plan decided.
#pragma once

#include <QString>
#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "engine/recipe/recipe_json.h"
#include "engine/recipe/training_plan.h"

namespace octet::tests {

using arch::Module;
using arch::ModuleKind;
using recipe::LayerPlan;
using recipe::LayerRule;
using recipe::Recipe;
using recipe::TrainingPlan;

inline Recipe preset(const std::string& name) {
    return recipe::loadRecipe("preset:" + name).value().recipe;
}

inline std::vector<Module> llama() {
    return arch::listModules(arch::parseModelSpec("llama:d=64,layers=2,heads=2").value());
}

inline Module linear(const std::string& name, int64_t out = 64, int64_t in = 64) {
    return {name, ModuleKind::Linear, {out, in}, false, true};
}

inline const LayerPlan& layer(const TrainingPlan& plan, const std::string& name) {
    const auto found = std::ranges::find(plan.layers, name, &LayerPlan::name);
    if (found == plan.layers.end()) qFatal("no layer %s", name.c_str());
    return *found;
}

inline std::vector<std::string> keptLayers(const TrainingPlan& plan) {
    std::vector<std::string> names;
    for (const LayerPlan& each : plan.layers) {
        if (!each.converted) names.push_back(each.name);
    }
    return names;
}

inline QString joined(const std::vector<std::string>& lines) {
    QString text;
    for (const std::string& line : lines)
        text += QString::fromStdString(line) + "\n";
    return text;
}

inline QString said(const Error& error) {
    return QString::fromStdString(error.message + " " + error.hint);
}

inline Recipe withRules(std::vector<LayerRule> rules) {
    Recipe asked = preset("hybrid-16");
    asked.layers.rules = std::move(rules);
    return asked;
}

inline LayerRule keep(const std::string& match, const std::string& why = "") {
    return {match, true, {}, why};
}
inline LayerRule high(const std::string& match, std::array<bool, 3> gemms) {
    return {match, false, gemms, ""};
}

inline TrainingPlan planned(const Recipe& asked, const std::vector<Module>& modules = llama()) {
    auto plan = recipe::planTraining(asked, modules);
    if (!plan) qFatal("%s", plan.error().message.c_str());
    return std::move(*plan);
}

}  // namespace octet::tests
