// SPDX-License-Identifier: Apache-2.0
// CLI11's parse errors as one sentence with the nearest known word.
#pragma once

#include "engine/core/result.h"

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace octet::app {

/// @param app  as the failed parse left it
[[nodiscard]] Error usageError(const CLI::App& app, const CLI::ParseError& failure);

/// A command was needed and none was given. @param app  the program, or a group such as `recipe`
[[nodiscard]] Error missingCommand(const CLI::App& app);

}  // namespace octet::app
