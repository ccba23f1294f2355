// SPDX-License-Identifier: Apache-2.0
// Texts that are not UTF-8: Korean Windows writes CP949.
#pragma once

#include <string>
#include <string_view>

#include "engine/core/result.h"

namespace octet {

/// @param encoding  a name that iconv knows, "cp949"
/// @param what      names the text in messages
[[nodiscard]] Result<std::string> utf8From(std::string_view bytes, const std::string& encoding, std::string_view what);

}  // namespace octet
