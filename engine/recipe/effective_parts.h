// SPDX-License-Identifier: Apache-2.0
// The resolver's part of each backend.
#pragma once

#include "engine/recipe/effective.h"
#include "engine/recipe/schema.h"

namespace octet::recipe {

/// Fields below one block ("te."), asked values filled in, everything else as "used".
[[nodiscard]] std::vector<EffectiveField> askedFields(const Recipe& recipe, std::string_view block);

/// "true", "max", "false,false,true"
[[nodiscard]] std::string plainText(const Json& value);

/// "DelayedScaling(margin=0, fp8_format=HYBRID)" of {"class": "DelayedScaling", "margin": 0, ...}
[[nodiscard]] std::string callText(const Json& object);

[[nodiscard]] EffectiveRecipe effectiveTe(const Recipe& recipe);
[[nodiscard]] EffectiveRecipe effectiveAo(const Recipe& recipe);
[[nodiscard]] EffectiveRecipe effectiveNative(const Recipe& recipe);

/// Compute capability in [from, before); "" has no end.
[[nodiscard]] bool hasCapability(const Target& target, const char* from, const char* before);

}  // namespace octet::recipe
