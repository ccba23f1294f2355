// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/accelerate_python.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/core/text.h"

namespace octet::recipe {
namespace {

/// repr of a float: the shortest digits, an exponent below 1e-4 and from 1e16 on, ".0" where nothing else says float.
std::string pythonFloat(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
    const double size = std::abs(value);
    if (size != 0 && (size < 1e-4 || size >= 1e16)) {
        std::string text = fmt::format("{:e}", value);
        for (int digits = 0; digits < 17; ++digits) {
            text = fmt::format("{:.{}e}", value, digits);
            if (parseNumber(text) == value) break;
        }
        return text;
    }
    std::string text = numberText(value);
    if (text.find('e') != std::string::npos) text = fmt::format("{:.0f}", value);
    return text.find('.') == std::string::npos ? text + ".0" : text;
}

std::string joined(const Json& list, char open, char close) {
    std::string text(1, open);
    for (const Json& item : list)
        text += (text.size() > 1 ? ", " : "") + pythonLiteral(item);
    return text + close;
}

}  // namespace

std::optional<bool> truthOf(std::string_view text) {
    static constexpr std::array<std::string_view, 6> yes{"y", "yes", "t", "true", "on", "1"};
    static constexpr std::array<std::string_view, 6> no{"n", "no", "f", "false", "off", "0"};
    std::string lower(text);
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (std::ranges::find(yes, lower) != yes.end()) return true;
    if (std::ranges::find(no, lower) != no.end()) return false;
    return std::nullopt;
}

std::optional<int64_t> pythonInt(std::string_view text) {
    std::string digits = trimmed(text);
    const bool edge = digits.starts_with('_') || digits.ends_with('_') || digits.find("__") != std::string::npos;
    if (edge) return std::nullopt;
    std::erase(digits, '_');
    if (digits.starts_with('+') && digits.size() > 1 && digits[1] != '-') digits.erase(0, 1);
    return parseInteger(digits);
}

std::string pythonText(const Json& value) {
    return value.is_string() ? value.get<std::string>() : pythonLiteral(value);
}

std::string pythonLiteral(const Json& value) {
    if (value.is_null()) return "None";
    if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
    if (value.is_number_integer()) return value.dump();
    if (value.is_number()) return pythonFloat(value.get<double>());
    if (value.is_string()) {
        const std::string text = value.get<std::string>();
        const bool plain =
            std::ranges::all_of(text, [](unsigned char c) { return c >= 0x20 && c != '"' && c != '\\'; });
        return plain ? fmt::format("\"{}\"", text) : Json(text).dump();
    }
    if (value.is_array()) return joined(value, '[', ']');
    std::string text = "{";
    for (const auto& [key, item] : value.items())
        text += fmt::format("{}{}: {}", text.size() > 1 ? ", " : "", pythonLiteral(key), pythonLiteral(item));
    return text + "}";
}

bool isTruthy(const Json& value) {
    if (value.is_boolean()) return value.get<bool>();
    if (value.is_number()) return value.get<double>() != 0;
    return !value.is_null() && !value.empty() && !(value.is_string() && value.get_ref<const std::string&>().empty());
}

}  // namespace octet::recipe
