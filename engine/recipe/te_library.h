// SPDX-License-Identifier: Apache-2.0
// What Accelerate and Transformer Engine make of a TE recipe: what they refuse, and which fields change nothing.
// Source: facts/accelerate.md 2.3, 3.1-3.3, 4.4; golden runs of accelerate 1.15.0 with TE 2.20.2.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/core/result.h"
#include "engine/recipe/recipe.h"

namespace octet::recipe {

/// The first refusal that a user of the target versions would meet, in the libraries' own order, or nullopt.
[[nodiscard]] std::optional<Error> libraryRefusal(const Recipe& recipe);

/// One sentence for each field whose asked value has no effect there: most_recent, interval, override_linear_precision.
[[nodiscard]] std::vector<std::string> fieldsWithoutEffect(const Recipe& recipe);

/// What the target's way of running does to the recipe (FSDP2, DeepSpeed, old GPUs), one sentence each.
[[nodiscard]] std::vector<std::string> targetReports(const Recipe& recipe);

/// "wgrad", "fprop and wgrad": the GEMMs that are set.
[[nodiscard]] std::string gemmsText(const std::array<bool, 3>& gemms);

}  // namespace octet::recipe
