// SPDX-License-Identifier: Apache-2.0
// Flags that replace the target of a recipe: versions, GPU, way of running.
#pragma once

#include <map>
#include <string>

#include "engine/core/result.h"
#include "engine/recipe/recipe.h"

namespace CLI {
class App;
}

namespace octet::app {

using TargetOptions = std::map<std::string, std::string>;  // key of the schema -> what was typed

void addTargetOptions(CLI::App& command, TargetOptions& options);

/// Sets what was typed.
[[nodiscard]] Result<void> applyTarget(recipe::Recipe& recipe, const TargetOptions& options);

}  // namespace octet::app
