// SPDX-License-Identifier: Apache-2.0
// What a torchao or native recipe asks and its library, or the target, does not do: one sentence each.
// Sources: facts/torchao.md 5.5, facts/accelerate.md 1 (8), 2.4; facts/transformer_engine.md 1.3-1.11.
#pragma once

#include <string>
#include <vector>

#include "engine/recipe/recipe.h"

namespace octet::recipe {

[[nodiscard]] std::vector<std::string> aoNotes(const Recipe& recipe);
[[nodiscard]] std::vector<std::string> nativeNotes(const Recipe& recipe);

}  // namespace octet::recipe
