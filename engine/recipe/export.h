// SPDX-License-Identifier: Apache-2.0
// A recipe in the form that somebody else reads, with what that form cannot carry.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/core/result.h"
#include "engine/recipe/recipe.h"

namespace octet::recipe {

struct ExportTarget {
    const char* name;    // "octet-json"
    const char* help;    // one line
    const char* suffix;  // of a file in this form, ".octet.json"
};

[[nodiscard]] std::span<const ExportTarget> exportTargets();

struct Exported {
    std::string text;                  // the whole file
    std::vector<std::string> leftOut;  // what was left out or has no effect there, one sentence each
};

/// Refuses what the reader of the target would refuse, with its reason.
[[nodiscard]] Result<Exported> exportRecipe(const Recipe& recipe, const std::string& target);

}  // namespace octet::recipe
