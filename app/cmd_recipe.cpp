// SPDX-License-Identifier: Apache-2.0
// octet-engine recipe: check, export, list and diff recipes. Nothing here trains.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "app/commands.h"
#include "app/context.h"
#include "app/recipe_check.h"
#include "app/recipe_effective.h"
#include "app/table.h"
#include "engine/core/files.h"
#include "engine/recipe/export.h"
#include "engine/recipe/recipe_json.h"
#include "engine/recipe/schema.h"

namespace octet::app {
namespace {

constexpr CommandText kGroup{
    "recipe", "Check, explain, export, list and diff FP8 recipes",
    "A recipe R is preset:NAME or a file: *.octet.json, an Accelerate config (YAML or JSON), recipe arguments as JSON, "
    "or "
    "what recipe export wrote.",
    "octet-engine recipe presets\n"
    "octet-engine recipe check my-recipe.octet.json\n"
    "octet-engine recipe export --recipe preset:hybrid-16 --to accelerate-kwargs --out fp8.json"};

constexpr CommandText kExport{
    "export", "Write a recipe in the form that a library loads",
    "octet-json is the whole recipe; the other forms carry what their library can. What a form cannot carry is said on "
    "standard error. Without --out the file goes to standard output. A file in any form is also read as a recipe.",
    "octet-engine recipe export --recipe preset:hybrid-16 --to accelerate-kwargs --out fp8.json\n"
    "octet-engine recipe export --recipe preset:te-default --to accelerate-yaml --out fp8.yaml\n"
    "octet-engine recipe export --recipe fp8.yaml --to octet-json --out fp8.octet.json"};

constexpr CommandText kPresets{
    "presets", "List the recipes that come with Octet", "",
    "octet-engine recipe presets\n"
    "octet-engine recipe export --recipe preset:e4m3-16 --to octet-json --out mine.octet.json"};

constexpr CommandText kDiff{"diff", "Show in which fields two recipes differ", "",
                            "octet-engine recipe diff preset:hybrid-16 preset:e4m3-16\n"
                            "octet-engine recipe diff mine.octet.json preset:te-default --json"};

constexpr CommandText kFields{"fields", "Explain every key of a recipe file", "", "octet-engine recipe fields"};

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
    addRecipeCheck(group, context);
    addRecipeEffective(group, context);
    addExport(group, context);
    addCommand(group, context, kPresets, [&context] { return listPresets(context); });
    const auto pair = std::make_shared<DiffOptions>();
    CLI::App& diffCommand = addCommand(group, context, kDiff, [&context, pair] { return diff(context, *pair); });
    diffCommand.add_option("a", pair->a, "A recipe file or preset:NAME")->required()->type_name("A");
    diffCommand.add_option("b", pair->b, "Another one")->required()->type_name("B");
    addCommand(group, context, kFields, explainFields);
}

}  // namespace octet::app
