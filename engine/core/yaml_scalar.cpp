// SPDX-License-Identifier: Apache-2.0
// The type of a YAML 1.1 scalar without quotes. Source: the implicit resolvers of PyYAML 6.0.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <regex>

#include "engine/core/text.h"
#include "engine/core/yaml.h"

namespace octet {
namespace {

using Kind = MarkedValue::Kind;

/// Longer ones are text: no number that a recipe holds has more digits, and std::regex recurses once per character.
constexpr size_t kLongestNumber = 64;

bool matches(std::string_view text, const std::regex& pattern) {
    return std::regex_match(text.begin(), text.end(), pattern);
}

std::string withoutUnderscores(std::string_view text) {
    std::string plain(text);
    std::erase(plain, '_');
    return plain;
}

/// "1:30:00": base 60, the first part may be larger. The last part of a number may have a fraction.
double sexagesimal(std::string_view digits) {
    double value = 0;
    for (const std::string& part : split(digits, ':'))
        value = value * 60 + parseNumber(part).value_or(0);
    return value;
}

Json integerOf(std::string_view text) {
    std::string digits = withoutUnderscores(text);
    const bool negative = digits[0] == '-';
    if (negative || digits[0] == '+') digits.erase(0, 1);
    int base = 10;
    if (digits.starts_with("0b")) base = 2;
    if (digits.starts_with("0x")) base = 16;
    if (base != 10) digits.erase(0, 2);
    if (base == 10 && digits.size() > 1 && digits[0] == '0') base = 8;
    if (digits.find(':') != std::string::npos) {
        return static_cast<int64_t>(sexagesimal(digits)) * (negative ? -1 : 1);
    }
    int64_t value = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (read.ec != std::errc()) return std::numeric_limits<int64_t>::max();  // Python has no limit; out of every range
    return negative ? -value : value;
}

Json floatOf(std::string_view text) {
    std::string digits = withoutUnderscores(text);
    std::ranges::transform(digits, digits.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    double sign = 1;
    if (digits[0] == '-') sign = -1;
    if (digits[0] == '-' || digits[0] == '+') digits.erase(0, 1);
    if (digits == ".inf") return sign * std::numeric_limits<double>::infinity();
    if (digits == ".nan") return std::numeric_limits<double>::quiet_NaN();
    if (digits.find(':') != std::string::npos) return sign * sexagesimal(digits);
    double value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return sign * value;
}

}  // namespace

YamlScalar typedScalar(std::string_view text) {
    static constexpr std::array kTrue{"yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"};
    static constexpr std::array kFalse{"no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"};
    static constexpr std::array kNull{"", "~", "null", "Null", "NULL"};
    static const std::regex integer(
        R"([-+]?0b[01_]+|[-+]?0[0-7_]+|[-+]?(0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(:[0-5]?[0-9])+)");
    static const std::regex number(
        R"([-+]?[0-9][0-9_]*\.[0-9_]*([eE][-+][0-9]+)?|\.[0-9][0-9_]*([eE][-+][0-9]+)?)"
        R"(|[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))");
    static const std::regex date(
        R"(\d{4}-\d\d-\d\d|\d{4}-\d\d?-\d\d?([Tt]|[ \t]+)\d\d?:\d\d:\d\d(\.\d*)?([ \t]*(Z|[-+]\d\d?(:\d\d)?))?)");
    if (std::ranges::find(kNull, text) != kNull.end()) return {Kind::Null, nullptr};
    if (std::ranges::find(kTrue, text) != kTrue.end()) return {Kind::Boolean, true};
    if (std::ranges::find(kFalse, text) != kFalse.end()) return {Kind::Boolean, false};
    const std::string written(text);
    if (text.size() > kLongestNumber) return {Kind::Text, written};
    if (matches(text, integer)) return {Kind::Integer, integerOf(text)};
    if (matches(text, number)) return {Kind::Float, floatOf(text)};
    if (matches(text, date)) return {Kind::Date, written};
    return {Kind::Text, written};
}

}  // namespace octet
