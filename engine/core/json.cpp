// SPDX-License-Identifier: Apache-2.0
#include "engine/core/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "engine/core/text.h"

namespace octet {
namespace {

/// Remembers the keys of each open object and the first key that came twice.
class DuplicateWatch {
public:
    bool operator()(int, Json::parse_event_t event, Json& parsed) {
        using Event = Json::parse_event_t;
        if (event == Event::object_start) m_open.emplace_back();
        if (event == Event::object_end && !m_open.empty()) m_open.pop_back();
        if (event == Event::key && !m_open.empty()) {
            const std::string key = parsed.get<std::string>();
            if (!m_open.back().insert(key).second && m_duplicate.empty()) m_duplicate = key;
        }
        return true;
    }
    [[nodiscard]] const std::string& duplicate() const { return m_duplicate; }

private:
    std::vector<std::set<std::string>> m_open;
    std::string m_duplicate;
};

/// A path or flag may hold bytes that are no UTF-8; they are replaced, not thrown over.
std::string dumped(const Json& value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool isPlain(const Json& value) {
    return !value.is_structured() || value.empty();
}

void writePretty(const Json& value, size_t depth, std::string& out) {
    const bool isPlainList = value.is_array() && std::ranges::all_of(value, isPlain);
    if (isPlain(value) || isPlainList) {
        std::string separator;
        if (isPlain(value)) {
            out += dumped(value);
            return;
        }
        out += '[';
        for (const Json& item : value) {
            out += separator + dumped(item);
            separator = ", ";
        }
        out += ']';
        return;
    }
    const std::string indent(2 * (depth + 1), ' ');
    std::string separator = "\n";
    out += value.is_array() ? '[' : '{';
    for (const auto& [key, item] : value.items()) {
        out += separator + indent;
        if (value.is_object()) out += dumped(Json(key)) + ": ";
        writePretty(item, depth + 1, out);
        separator = ",\n";
    }
    out += "\n" + std::string(2 * depth, ' ') + (value.is_array() ? ']' : '}');
}

/// What the library says, without its own error number in front.
std::string reasonIn(const Json::exception& failure) {
    const std::string text = failure.what();
    return text.substr(text.find("] ") + 2);
}

}  // namespace

Result<Json> parseJson(std::string_view text, std::string_view what) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    DuplicateWatch watch;
    try {
        Json parsed = Json::parse(text.begin(), text.end(), std::ref(watch));
        if (!watch.duplicate().empty()) {
            return Error{ErrorCode::Usage, fmt::format("{} has the key \"{}\" twice.", what, watch.duplicate()),
                         "Keep one of the two."};
        }
        return parsed;
    } catch (const Json::parse_error& failure) {
        return Error{ErrorCode::Usage,
                     fmt::format("{} is not valid JSON: {} (byte {}).", what, reasonIn(failure), failure.byte),
                     "Check brackets, quotes and commas near that byte."};
    } catch (const Json::out_of_range& failure) {
        return Error{ErrorCode::Usage, fmt::format("{} has a number out of range: {}.", what, reasonIn(failure)),
                     "Write a number that a double can hold."};
    }
}

Json jsonNumber(double value) {
    if (std::isfinite(value)) return value;
    return numberText(value);
}

std::optional<double> numberFromJson(const Json& value) {
    if (value.is_number()) return value.get<double>();
    if (!value.is_string()) return std::nullopt;
    const auto& text = value.get_ref<const std::string&>();
    if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
    if (text == "Infinity") return std::numeric_limits<double>::infinity();
    if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
    return std::nullopt;
}

std::string jsonKind(const Json& value) {
    if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
    if (value.is_number_integer()) return fmt::format("the whole number {}", dumped(value));
    if (value.is_number()) return fmt::format("the number {}", dumped(value));
    if (value.is_string()) return fmt::format("the text {}", dumped(value));
    if (value.is_array()) return fmt::format("a list of {}", value.size());
    if (value.is_object()) return "an object";
    return "null";
}

std::string prettyJson(const Json& value) {
    std::string text;
    writePretty(value, 0, text);
    return text + "\n";
}

}  // namespace octet
