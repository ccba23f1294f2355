// SPDX-License-Identifier: Apache-2.0
// octet-engine layers: what a recipe decides for every Linear of a model, and why, before anything runs.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "app/commands.h"
#include "app/context.h"
#include "app/layer_table.h"
#include "app/table.h"
#include "app/terminal.h"
#include "engine/arch/config_json.h"
#include "engine/core/text.h"
#include "engine/recipe/fp8_share.h"
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
    "octet-engine layers --model mlp:hidden=512,layers=3 --recipe my-recipe.octet.json --json\n"
    "octet-engine layers --model Llama-3.1-8B/config.json --recipe preset:hybrid-16"};

struct LayersOptions {
    std::string model = recipe::RunSpec{}.model;
    std::string recipe;
};

/// "E5M2 x E4M3": left and right operand of a GEMM as it runs.
std::string gemmFormats(const recipe::LayerPlan& layer, recipe::Gemm gemm) {
    const std::string text = recipe::gemmText(layer.gemms[static_cast<size_t>(gemm)]);
    return text.empty() ? "high" : text;
}

std::string shareText(const recipe::Fp8Share& share) {
    const auto percent = [](double part, double all) { return all > 0 ? 100.0 * part / all : 0.0; };
    return fmt::format(
        "{} of {} Linears run in FP8: {:.1f} % of the model's {} parameters, {:.1f} % of the Linears' work.\n",
        share.layersInFp8, share.layers, percent(share.parametersInFp8, share.parameters),
        groupedDigits(static_cast<long long>(share.parameters)), percent(share.flopsInFp8, share.flops));
}

Json shareJson(const recipe::Fp8Share& share) {
    return {{"layers", share.layers},         {"layers_fp8", share.layersInFp8},
            {"parameters", share.parameters}, {"parameters_fp8", share.parametersInFp8},
            {"flops_per_token", share.flops}, {"flops_per_token_fp8", share.flopsInFp8}};
}

Json asJson(const recipe::TrainingPlan& plan, const arch::ConfigModel& model, const std::string& recipeName) {
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
    std::vector<std::string> notes = model.notes;
    notes.insert(notes.end(), plan.notes.begin(), plan.notes.end());
    return {{"model", model.summary},
            {"recipe", recipeName},
            {"layers", layers},
            {"share", shareJson(recipe::fp8Share(plan.layers, model.modules))},
            {"notes", notes}};
}

std::string asText(const recipe::TrainingPlan& plan, const arch::ConfigModel& model) {
    std::vector<LayerLine> lines;
    for (const recipe::LayerPlan& layer : plan.layers) {
        lines.push_back({layer.name,
                         layer.outFeatures,
                         layer.inFeatures,
                         {gemmFormats(layer, recipe::Gemm::Fprop), gemmFormats(layer, recipe::Gemm::Dgrad),
                          gemmFormats(layer, recipe::Gemm::Wgrad)},
                         layer.reason});
    }
    std::string text = layerTable(lines) + "\n" + shareText(recipe::fp8Share(plan.layers, model.modules)) + "\n";
    for (const std::string& note : model.notes)
        text += wrappedText(note, textColumns()) + "\n";
    for (const std::string& note : plan.notes)
        text += wrappedText(note, textColumns()) + "\n";
    return text;
}

Result<void> listLayers(const Context& context, const LayersOptions& options) {
    const auto model = arch::modulesFromSpecOrConfig(options.model);
    if (!model) return model.error();
    const auto loaded = recipe::loadRecipe(options.recipe);
    if (!loaded) return loaded.error();
    for (const std::string& warning : loaded->warnings)
        printNote(warning);
    const auto plan = recipe::planTraining(loaded->recipe, model->modules);
    if (!plan) return plan.error();
    if (context.json)
        printJson(asJson(*plan, *model, loaded->recipe.name));
    else
        fmt::print("{}", asText(*plan, *model));
    return {};
}

}  // namespace

void addLayersCommand(CLI::App& app, Context& context) {
    const auto options = std::make_shared<LayersOptions>();
    CLI::App& command = addCommand(app, context, kText, [&context, options] { return listLayers(context, *options); });
    command
        .add_option("--model", options->model,
                    "Model SPEC (llama:d=...,layers=..., mlp:...), or the config.json of a Hugging Face model, or a "
                    "folder with one")
        ->type_name("SPEC")
        ->capture_default_str();
    command.add_option("--recipe", options->recipe, "A recipe file or preset:NAME")->required()->type_name("R");
}

}  // namespace octet::app
