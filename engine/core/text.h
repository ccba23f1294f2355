// SPDX-License-Identifier: Apache-2.0
// Small text helpers that every part shares: nearest known word, name patterns, splitting, numbers.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace octet {

/// The entry of `known` that `word` was most likely meant to be, or nullopt when none is close
/// (more than a third of the letters differ). Letter case is ignored.
[[nodiscard]] std::optional<std::string> nearestWord(std::string_view word, std::span<const std::string> known);

/// True when `pattern` (`*` any run of characters, `?` one character) covers the whole of `text`.
[[nodiscard]] bool globMatches(std::string_view pattern, std::string_view text);

/// Splits at each `separator`; "" gives one empty part.
[[nodiscard]] std::vector<std::string> split(std::string_view text, char separator);

[[nodiscard]] std::string trimmed(std::string_view text);

/// Whole-text conversions: nullopt when anything but the number is there. Decimal point is '.', whatever the locale.
[[nodiscard]] std::optional<long long> parseInteger(std::string_view text);
[[nodiscard]] std::optional<double> parseNumber(std::string_view text);

/// Shortest text that reads back as the same double; "NaN", "Infinity", "-Infinity" for the others.
[[nodiscard]] std::string numberText(double value);

/// 1234567 -> "1,234,567"
[[nodiscard]] std::string groupedDigits(long long value);

}  // namespace octet
