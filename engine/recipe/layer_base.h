// SPDX-License-Identifier: Apache-2.0
// What decides a layer before any rule: the conversion of Accelerate or torchao, then the filters by name and block.
#pragma once

#include <string>
#include <vector>

#include "engine/arch/module_list.h"
#include "engine/core/result.h"
#include "engine/recipe/recipe.h"

namespace octet::recipe {

/// The decision for one Linear before any rule and, with layers.base all, before any shape.
struct BaseDecision {
    bool fp8 = false;
    std::string reason;  // a sentence
};

/// One decision per Linear, in module order. Fails where the library's own conversion fails.
[[nodiscard]] Result<std::vector<BaseDecision>> baseDecisions(const Recipe& recipe,
                                                              const std::vector<arch::Module>& modules);

/// Filters that keep nothing, or meet a text inside a longer part of a name, one sentence each.
[[nodiscard]] std::vector<std::string> filterNotes(const Recipe& recipe, const std::vector<arch::Module>& modules);

}  // namespace octet::recipe
