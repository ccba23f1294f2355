// SPDX-License-Identifier: Apache-2.0
// octet-engine recipe effective: what the target libraries make of a recipe, field by field.
#pragma once

namespace CLI {
class App;
}

namespace octet::app {

struct Context;

void addRecipeEffective(CLI::App& group, Context& context);

}  // namespace octet::app
