// SPDX-License-Identifier: Apache-2.0
// Parts of the schema table that only one backend reads; schema.cpp puts the table together.
#pragma once

#include <vector>

#include "engine/recipe/schema.h"

namespace octet::recipe {

[[nodiscard]] std::vector<RecipeField> aoFields();
[[nodiscard]] std::vector<RecipeField> nativeFields();

}  // namespace octet::recipe
