// SPDX-License-Identifier: Apache-2.0
// The few habits of Python that decide what Accelerate reads out of a text and writes into an environment variable.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/core/json.h"

namespace octet::recipe {

/// accelerate.utils.str_to_bool: y, yes, t, true, on, 1 and n, no, f, false, off, 0 in any letter case.
[[nodiscard]] std::optional<bool> truthOf(std::string_view text);

/// int(text): blanks around it, a sign and underscores between digits are fine; "1e3" and "16.0" are not.
[[nodiscard]] std::optional<int64_t> pythonInt(std::string_view text);

/// str(value): "True", "None", "1024.0", "[False, True]".
[[nodiscard]] std::string pythonText(const Json& value);

/// repr(value): as str, with quotes around text.
[[nodiscard]] std::string pythonLiteral(const Json& value);

/// bool(value)
[[nodiscard]] bool isTruthy(const Json& value);

}  // namespace octet::recipe
