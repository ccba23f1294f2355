// SPDX-License-Identifier: Apache-2.0
// The rules about who may include what, as one function over a file's path and text. They come from the design: parts
// of the engine only look down, nothing in it knows Qt, torch stays out of headers, QCustomPlot has one door.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace octet::layering {

/// One #include line.
struct Include {
    int line = 0;           // from 1
    bool angled = false;    // <...>
    bool computed = false;  // a macro instead of a name
    std::string name;       // as written, without the quotes
};

/// Every #include of a C++ text, also those inside #if.
[[nodiscard]] std::vector<Include> includesOf(std::string_view text);

/// What a file breaks, one sentence each, with path and line; empty when it keeps every rule.
/// @param path  from the project's root, e.g. "engine/core/text.h"
[[nodiscard]] std::vector<std::string> brokenIncludeRules(std::string_view path, std::string_view text);

/// The SPDX line: missing, or with another licence than the file's place asks for. Empty when it is right.
[[nodiscard]] std::string brokenLicenceRule(std::string_view path, std::string_view text);

}  // namespace octet::layering
