// SPDX-License-Identifier: Apache-2.0
// octet-engine layers: what a recipe decides for every Linear of a model, and why, before anything runs.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "app/commands.h"
#include "app/context.h"
#include "app/layer_table.h"
#include "app/table.h"
#include "app/terminal.h"
#include "engine/arch/module_list.h"
#include "engine/recipe/recipe_json.h"
#include "engine/recipe/run_spec.h"
#include "engine/recipe/training_plan.h"

namespace octet::app {
namespace {

constexpr CommandText kText{
    "layers", "List every Linear of a model with the recipe's decision and its reason",
    "For each of the three products of a layer: the FP8 formats of its two operands, or \"high\" (kept out of "
    "FP8). fprop is y = x w^T, dgrad is dx = dy w, wgrad is dw = dy^T x.",
    "octet-engine layers --recipe preset:hybrid-16\n"
    "octet-engine layers --model mlp:hidden=512,layers=3 --recipe my-recipe.octet.json --json"};

struct LayersOptions {
    std::string model = recipe::RunSpec{}.model;
    std::string recipe;
};

/// "E5M2 x E4M3": left and right operand of a GEMM as it runs.
std::string gemmFormats(const recipe::LayerPlan& layer, recipe::Gemm gemm) {
    const std::string text = recipe::gemmText(layer.gemms[static_cast<size_t>(gemm)]);
    return text.empty() ? "high" : text;
}

Json asJson(const recipe::TrainingPlan& plan, const std::string& model, const std::string& recipeName) {
    Json layers = Json::array();
    for (const recipe::LayerPlan& layer : plan.layers) {
        Json gemms;
        for (const recipe::Gemm gemm : recipe::kGemms)
            gemms[recipe::kGemmNames[static_cast<size_t>(gemm)]] = gemmFormats(layer, gemm);
        layers.push_back({{"name", layer.name},
                          {"out_features", layer.outFeatures},
                          {"in_features", layer.inFeatures},
                          {"converted", layer.converted},
                          {"gemms", gemms},
                          {"reason", layer.reason}});
    }
    return {{"model", model}, {"recipe", recipeName}, {"layers", layers}, {"notes", plan.notes}};
}

std::string asText(const recipe::TrainingPlan& plan) {
    std::vector<LayerLine> lines;
    int64_t all = 0, inFp8 = 0;
    for (const recipe::LayerPlan& layer : plan.layers) {
        lines.push_back({layer.name,
                         layer.outFeatures,
                         layer.inFeatures,
                         {gemmFormats(layer, recipe::Gemm::Fprop), gemmFormats(layer, recipe::Gemm::Dgrad),
                          gemmFormats(layer, recipe::Gemm::Wgrad)},
                         layer.reason});
        const int64_t weights = layer.outFeatures * layer.inFeatures;
        all += weights;
        inFp8 += layer.converted ? weights : 0;
    }
    const auto converted = std::count_if(plan.layers.begin(), plan.layers.end(),
                                         [](const recipe::LayerPlan& layer) { return layer.converted; });
    std::string text = layerTable(lines);
    text +=
        fmt::format("\n{} of {} Linears run in FP8, with {:.1f} % of their weights.\n", converted, plan.layers.size(),
                    all > 0 ? 100.0 * static_cast<double>(inFp8) / static_cast<double>(all) : 0);
    for (const std::string& note : plan.notes)
        text += wrappedText(note, textColumns()) + "\n";
    return text;
}

Result<void> listLayers(const Context& context, const LayersOptions& options) {
    const auto model = arch::parseModelSpec(options.model);
    if (!model) return model.error();
    const auto loaded = recipe::loadRecipe(options.recipe);
    if (!loaded) return loaded.error();
    for (const std::string& warning : loaded->warnings)
        printNote(warning);
    const auto plan = recipe::planTraining(loaded->recipe, arch::listModules(*model));
    if (!plan) return plan.error();
    if (context.json)
        printJson(asJson(*plan, arch::modelSpecText(*model), loaded->recipe.name));
    else
        fmt::print("{}", asText(*plan));
    return {};
}

}  // namespace

void addLayersCommand(CLI::App& app, Context& context) {
    const auto options = std::make_shared<LayersOptions>();
    CLI::App& command = addCommand(app, context, kText, [&context, options] { return listLayers(context, *options); });
    command.add_option("--model", options->model, "Model SPEC: llama:d=...,layers=..., or mlp:...")
        ->type_name("SPEC")
        ->capture_default_str();
    command.add_option("--recipe", options->recipe, "A recipe file or preset:NAME")->required()->type_name("R");
}

}  // namespace octet::app
