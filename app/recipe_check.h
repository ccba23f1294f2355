// SPDX-License-Identifier: Apache-2.0
// octet-engine recipe check: findings in a recipe file of any form, and their repair.
#pragma once

namespace CLI {
class App;
}

namespace octet::app {

struct Context;

void addRecipeCheck(CLI::App& group, Context& context);

}  // namespace octet::app
