// SPDX-License-Identifier: Apache-2.0
#include "app/recipe_effective.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "app/context.h"
#include "app/table.h"
#include "app/target_options.h"
#include "app/terminal.h"
#include "engine/recipe/effective.h"
#include "engine/recipe/recipe_json.h"
#include "engine/recipe/run_spec.h"
#include "engine/recipe/schema.h"

namespace octet::app {
namespace {

constexpr CommandText kText{"effective", "Show what the target libraries make of each field of a recipe",
                            "For each field: what the recipe asks, what Accelerate passes on, what runs, and why. The "
                            "target's versions, GPU and "
                            "way of running come from the recipe; the options replace them.",
                            "octet-engine recipe effective preset:te-default\n"
                            "octet-engine recipe effective mine.octet.json --capability 10.0 --parallel fsdp2\n"
                            "octet-engine recipe effective preset:ao-rowwise --model llama:d=256 --json"};

struct EffectiveOptions {
    std::string recipe;
    std::string model = recipe::RunSpec{}.model;
    TargetOptions target;
};

std::string asText(const recipe::Recipe& recipe, const recipe::EffectiveRecipe& effective) {
    std::string text = effective.refusal ? fmt::format("{}: refused on its target. {} {}\n", recipe.name,
                                                       effective.refusal->message, effective.refusal->hint)
                                         : fmt::format("{} runs {}\n", recipe.name, effective.runs);
    if (!effective.fields.empty()) {
        Table table({{"field"}, {"asked"}, {"passed on"}, {"runs"}, {"status"}});
        for (const recipe::EffectiveField& field : effective.fields) {
            const bool idle = field.key.starts_with("ao.float8.") && field.fate == recipe::FieldFate::Default;
            if (idle) continue;
            table.addRow({field.key, field.asked, field.passed.empty() ? "-" : field.passed,
                          field.effective.empty() ? "-" : field.effective, recipe::fateName(field.fate)});
        }
        text += "\n" + table.text();
    }
    std::string why;
    for (const recipe::EffectiveField& field : effective.fields) {
        if (field.severity == recipe::Severity::Info || field.reason.empty()) continue;
        why += wrappedText(fmt::format("{}: {}: {}. [{}]", recipe::severityName(field.severity), field.key,
                                       field.reason, field.source.empty() ? "Octet" : field.source),
                           textColumns()) +
               "\n";
    }
    for (const recipe::TargetReport& report : effective.reports) {
        why += wrappedText(
                   fmt::format("{}: {} [{}]", recipe::severityName(report.severity), report.sentence, report.source),
                   textColumns()) +
               "\n";
    }
    return why.empty() ? text : text + "\n" + why;
}

Result<void> showEffective(const Context& context, const EffectiveOptions& options) {
    auto loaded = recipe::loadRecipe(options.recipe);
    if (!loaded) return loaded.error();
    recipe::Recipe& recipe = loaded->recipe;
    if (auto applied = applyTarget(recipe, options.target); !applied) return applied;
    const recipe::EffectiveRecipe effective = recipe::effectiveRecipe(recipe);
    if (!context.json) {
        for (const std::string& warning : loaded->warnings)
            printNote(warning);
        fmt::print("{}", asText(recipe, effective));
        return {};
    }
    const auto model = arch::parseModelSpec(options.model);
    if (!model) return model.error();
    const auto plan = recipe::planTraining(recipe, arch::listModules(*model));
    printJson(recipe::effectiveJson(recipe, effective, plan ? &*plan : nullptr));
    return {};
}

}  // namespace

void addRecipeEffective(CLI::App& group, Context& context) {
    const auto options = std::make_shared<EffectiveOptions>();
    CLI::App& command =
        addCommand(group, context, kText, [&context, options] { return showEffective(context, *options); });
    command.add_option("recipe", options->recipe, "A recipe file or preset:NAME")->required()->type_name("R");
    command.add_option("--model", options->model, "Model SPEC for the layers in --json")
        ->type_name("SPEC")
        ->capture_default_str();
    addTargetOptions(command, options->target);
}

}  // namespace octet::app
