// SPDX-License-Identifier: Apache-2.0
// octet-engine recipe: check, export, list and diff recipes. Nothing here trains.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "app/commands.h"
#include "app/context.h"
#include "app/table.h"
#include "engine/core/files.h"
#include "engine/recipe/export.h"
#include "engine/recipe/recipe_json.h"
#include "engine/recipe/run_spec.h"
#include "engine/recipe/schema.h"
#include "engine/recipe/training_plan.h"

namespace octet::app {
namespace {

constexpr CommandText kGroup{
    "recipe", "Check, export, list and diff FP8 recipes", "A recipe R is a file (*.octet.json) or preset:NAME.",
    "octet-engine recipe presets\n"
    "octet-engine recipe check my-recipe.octet.json\n"
    "octet-engine recipe export --recipe preset:hybrid-16 --to accelerate-kwargs --out fp8.json"};

constexpr CommandText kCheck{"check", "Check a recipe: keys, ranges, and whether it can train",
                             "Says what the recipe asks, what the target libraries will ignore, and what they refuse.",
                             "octet-engine recipe check my-recipe.octet.json\n"
                             "octet-engine recipe check preset:hybrid-16 --json"};

constexpr CommandText kExport{
    "export", "Write a recipe in the form that a library loads",
    "octet-json is the whole recipe; accelerate-kwargs is for TERecipeKwargs(**json). What the target cannot "
    "carry is said on standard error. Without --out the file goes to standard output.",
    "octet-engine recipe export --recipe preset:hybrid-16 --to accelerate-kwargs --out fp8.json\n"
    "octet-engine recipe export --recipe preset:te-default --to octet-json"};

constexpr CommandText kPresets{
    "presets", "List the recipes that come with Octet", "",
    "octet-engine recipe presets\n"
    "octet-engine recipe export --recipe preset:e4m3-16 --to octet-json --out mine.octet.json"};

constexpr CommandText kDiff{"diff", "Show in which fields two recipes differ", "",
                            "octet-engine recipe diff preset:hybrid-16 preset:e4m3-16\n"
                            "octet-engine recipe diff mine.octet.json preset:te-default --json"};

constexpr CommandText kFields{"fields", "Explain every key of a recipe file", "", "octet-engine recipe fields"};

/// The notes of a plan depend on layers; the default model stands in for the user's.
Result<recipe::TrainingPlan> planOnDefaultModel(const recipe::Recipe& recipe) {
    const auto model = arch::parseModelSpec(recipe::RunSpec{}.model);
    if (!model) return model.error();
    return recipe::planTraining(recipe, arch::listModules(*model));
}

Result<void> check(const Context& context, const std::string& reference) {
    const auto loaded = recipe::loadRecipe(reference);
    if (!loaded) return loaded.error();
    const auto plan = planOnDefaultModel(loaded->recipe);
    if (!plan) return plan.error();
    if (context.json) {
        printJson({{"valid", true},
                   {"name", loaded->recipe.name},
                   {"summary", recipe::recipeSummary(loaded->recipe)},
                   {"warnings", loaded->warnings},
                   {"notes", plan->notes},
                   {"recipe", recipe::recipeToJson(loaded->recipe)}});
        return {};
    }
    fmt::print("{}: valid. {}\n", loaded->recipe.name, recipe::recipeSummary(loaded->recipe));
    for (const std::string& warning : loaded->warnings)
        fmt::print("  warning: {}\n", warning);
    for (const std::string& note : plan->notes)
        fmt::print("  note: {}\n", note);
    return {};
}

struct ExportOptions {
    std::string recipe;
    std::string target;
    std::string out;
};

Result<void> exportTo(const Context& context, const ExportOptions& options) {
    const auto loaded = recipe::loadRecipe(options.recipe);
    if (!loaded) return loaded.error();
    const auto exported = recipe::exportRecipe(loaded->recipe, options.target);
    if (!exported) return exported.error();
    if (!options.out.empty()) {
        const auto written = writeFileAtomically(options.out, exported->text);
        if (!written) return written.error();
    }
    if (context.json) {
        printJson({{"target", options.target},
                   {"out", options.out.empty() ? Json() : Json(options.out)},
                   {"text", exported->text},
                   {"left_out", exported->leftOut}});
        return {};
    }
    for (const std::string& sentence : exported->leftOut)
        printNote(sentence);
    if (options.out.empty())
        fmt::print("{}", exported->text);
    else
        fmt::print("Wrote {} ({}).\n", options.out, options.target);
    return {};
}

Result<void> listPresets(const Context& context) {
    Json json = Json::array();
    Table table({{"preset"}, {"what it asks"}});
    for (const recipe::Preset& preset : recipe::presets()) {
        json.push_back(
            {{"name", preset.name}, {"summary", preset.summary}, {"recipe", recipe::recipeToJson(preset.recipe)}});
        table.addRow({"preset:" + preset.name, preset.summary});
    }
    if (context.json)
        printJson({{"presets", json}});
    else
        fmt::print("{}", table.text());
    return {};
}

struct DiffOptions {
    std::string a, b;
};

Result<void> diff(const Context& context, const DiffOptions& options) {
    const auto a = recipe::loadRecipe(options.a);
    if (!a) return a.error();
    const auto b = recipe::loadRecipe(options.b);
    if (!b) return b.error();
    Json json = Json::array();
    Table table({{"field"}, {a->recipe.name}, {b->recipe.name}});
    const auto differences = recipe::differingFields(a->recipe, b->recipe);
    for (const recipe::FieldDifference& difference : differences) {
        json.push_back({{"key", difference.key}, {"a", difference.a}, {"b", difference.b}});
        table.addRow({difference.key, difference.a, difference.b});
    }
    if (context.json)
        printJson({{"differences", json}});
    else
        fmt::print("{}", differences.empty() ? "The recipes are equal.\n" : table.text());
    return {};
}

Result<void> explainFields() {
    fmt::print("{}", recipe::recipeSchemaHelp());
    return {};
}

std::string targetHelp() {
    std::string help = "What to write:";
    for (const recipe::ExportTarget& target : recipe::exportTargets())
        help += fmt::format(" {} ({});", target.name, target.help);
    help.back() = '.';
    return help;
}

void addExport(CLI::App& group, Context& context) {
    const auto options = std::make_shared<ExportOptions>();
    CLI::App& command =
        addCommand(group, context, kExport, [&context, options] { return exportTo(context, *options); });
    command.add_option("--recipe", options->recipe, "A recipe file or preset:NAME")->required()->type_name("R");
    command.add_option("--to", options->target, targetHelp())->required()->type_name("TARGET");
    command.add_option("--out", options->out, "The file to write; it is replaced only when all is written")
        ->type_name("FILE");
}

}  // namespace

void addRecipeCommand(CLI::App& app, Context& context) {
    CLI::App& group = addCommandGroup(app, kGroup);
    const auto checked = std::make_shared<std::string>();
    CLI::App& checkCommand =
        addCommand(group, context, kCheck, [&context, checked] { return check(context, *checked); });
    checkCommand.add_option("recipe", *checked, "A recipe file or preset:NAME")->required()->type_name("R");
    addExport(group, context);
    addCommand(group, context, kPresets, [&context] { return listPresets(context); });
    const auto pair = std::make_shared<DiffOptions>();
    CLI::App& diffCommand = addCommand(group, context, kDiff, [&context, pair] { return diff(context, *pair); });
    diffCommand.add_option("a", pair->a, "A recipe file or preset:NAME")->required()->type_name("A");
    diffCommand.add_option("b", pair->b, "Another one")->required()->type_name("B");
    addCommand(group, context, kFields, explainFields);
}

}  // namespace octet::app
