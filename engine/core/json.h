// SPDX-License-Identifier: Apache-2.0
// JSON as Octet reads and writes it: keys keep their order, a duplicate key is an error, a byte order mark is skipped,
// and numbers that JSON has no word for travel as the strings "NaN", "Infinity" and "-Infinity".
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "engine/core/result.h"

namespace octet {

using Json = nlohmann::ordered_json;

/// @param what  names the text in the message, e.g. "recipe file a.octet.json"
[[nodiscard]] Result<Json> parseJson(std::string_view text, std::string_view what);

/// A number, or the string form of a number that is not finite.
[[nodiscard]] Json jsonNumber(double value);

/// Reads what jsonNumber wrote; nullopt for anything else.
[[nodiscard]] std::optional<double> numberFromJson(const Json& value);

/// "a boolean", "a whole number", "text" ... for messages of the form "expected X, found Y".
[[nodiscard]] std::string jsonKind(const Json& value);

/// Two spaces a level, lists of plain values on one line, a newline at the end: for files that people read.
[[nodiscard]] std::string prettyJson(const Json& value);

}  // namespace octet
