// SPDX-License-Identifier: Apache-2.0
#include "app/target_options.h"

#include <CLI/CLI.hpp>
#include <array>

#include "engine/recipe/schema.h"

namespace octet::app {
namespace {

constexpr std::pair<const char*, const char*> kFlags[] = {{"--accelerate", "target.accelerate"},
                                                          {"--te", "target.transformer_engine"},
                                                          {"--torchao", "target.torchao"},
                                                          {"--capability", "target.compute_capability"},
                                                          {"--parallel", "target.parallel"}};

}  // namespace

void addTargetOptions(CLI::App& command, TargetOptions& options) {
    for (const auto& [flag, key] : kFlags)
        command.add_option(flag, options[key], recipe::recipeField(key).help)->type_name("VALUE");
}

Result<void> applyTarget(recipe::Recipe& recipe, const TargetOptions& options) {
    for (const auto& [key, text] : options) {
        if (text.empty()) continue;
        const recipe::RecipeField& field = recipe::recipeField(key);
        auto value = recipe::fieldFromText(field, std::array{text});
        if (!value) return value.error();
        field.set(recipe, *value);
    }
    return {};
}

}  // namespace octet::app
