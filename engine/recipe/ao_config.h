// SPDX-License-Identifier: Apache-2.0
// What an AO recipe means to torchao: the Float8LinearConfig behind a name, and torchao's own refusals.
// Source: torchao 0.18.0, float8/config.py (facts/torchao.md 2.2-2.4); accelerate 1.15.0, AORecipeKwargs.
#pragma once

#include <optional>

#include "engine/core/result.h"
#include "engine/recipe/recipe.h"

namespace octet::recipe {

/// The configuration that trains, with nothing left at Default: none and the names written out, the second use of an
/// operand filled in from its first.
[[nodiscard]] AoFloat8 float8ConfigOf(const AoRecipe& recipe);

/// The assertion that torchao's Float8LinearConfig would raise, as a sentence, or nullopt.
[[nodiscard]] std::optional<Error> aoRefusal(const AoRecipe& recipe);

}  // namespace octet::recipe
