// SPDX-License-Identifier: Apache-2.0
// What is known about the place where text ends up.
#pragma once

#include <cstdio>
#include <string_view>

namespace octet::app {

/// Columns of the terminal behind `descriptor`; `otherwise` where there is none.
[[nodiscard]] int terminalColumns(int descriptor, int otherwise);

/// Columns for sentences on standard output: those of its terminal, 60 to 100.
[[nodiscard]] int textColumns();

/// Writes and flushes; false, with errno set, when not all of it went out. Never throws: whoever reports trouble with
/// an output must not fail over that same output.
bool putText(std::FILE* stream, std::string_view text);

}  // namespace octet::app
