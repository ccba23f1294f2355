// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/field.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/core/text.h"
#include "engine/recipe/recipe.h"

namespace octet::recipe {
namespace {

std::string rangeText(const FieldInfo& field) {
    if (field.low == field.high) return {};
    const bool whole = field.type == FieldType::Integer || field.type == FieldType::IntegerList;
    const auto end = [&](double value) {
        return whole ? groupedDigits(static_cast<long long>(value)) : numberText(value);
    };
    return fmt::format(" from {} to {}{}", end(field.low), field.highIsOpen ? "below " : "", end(field.high));
}

bool inRange(const FieldInfo& field, double value) {
    if (field.low == field.high) return std::isfinite(value);
    return value >= field.low && (field.highIsOpen ? value < field.high : value <= field.high);
}

/// @param where  "recipe file a.json: te.margin", or the flag
Error expectedError(const FieldInfo& field, const std::string& where, const std::string& found,
                    const std::string& hint = "") {
    return {ErrorCode::Usage, fmt::format("{}: expected {}, found {}.", where, expectedText(field), found), hint};
}

std::string whereInFile(const FieldInfo& field, std::string_view what) {
    return fmt::format("{}: {}", what, field.key);
}

/// The spelling of the table, or nullopt.
std::optional<std::string> choiceOf(const FieldInfo& field, std::string_view text) {
    const auto sameLetters = [](char a, char b) { return std::tolower(a) == std::tolower(b); };
    for (const std::string& choice : field.choices) {
        if (choice == text || (field.anyCase && std::ranges::equal(choice, text, sameLetters))) return choice;
    }
    return std::nullopt;
}

std::string choiceHint(const FieldInfo& field, std::string_view text) {
    const auto nearest = nearestWord(text, field.choices);
    return nearest ? fmt::format("Did you mean \"{}\"?", *nearest) : std::string();
}

bool isVersion(std::string_view text) {
    return std::ranges::all_of(split(text, '.'), [](const std::string& part) {
        return !part.empty() && part.size() < 9 &&
               std::ranges::all_of(part, [](char c) { return c >= '0' && c <= '9'; });
    });
}

// ---- JSON to value; nullopt when the JSON type is wrong ----

std::optional<int64_t> integerFromJson(const Json& json) {
    if (json.is_number_unsigned() && json.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX)) return std::nullopt;
    return json.is_number_integer() ? std::optional(json.get<int64_t>()) : std::nullopt;
}

std::optional<FieldValue> threeBooleansFromJson(const Json& json) {
    std::array<bool, 3> values{};
    if (!json.is_array() || json.size() != values.size()) return std::nullopt;
    for (size_t i = 0; i < values.size(); ++i) {
        if (!json[i].is_boolean()) return std::nullopt;
        values[i] = json[i].get<bool>();
    }
    return values;
}

std::optional<FieldValue> highGemmsFromJson(const Json& json) {
    if (!json.is_object()) return std::nullopt;
    std::array<bool, 3> high{};
    for (const auto& [key, value] : json.items()) {
        const auto gemm = std::ranges::find(kGemmNames, key);
        if (gemm == kGemmNames.end() || (value != "high" && value != "fp8")) return std::nullopt;
        high[static_cast<size_t>(gemm - kGemmNames.begin())] = value == "high";
    }
    return high;
}

std::optional<FieldValue> textListFromJson(const Json& json) {
    if (!json.is_array() || !std::ranges::all_of(json, [](const Json& item) { return item.is_string(); })) {
        return std::nullopt;
    }
    return json.get<std::vector<std::string>>();
}

std::optional<FieldValue> integerListFromJson(const Json& json) {
    std::vector<int64_t> values;
    if (!json.is_array()) return std::nullopt;
    for (const Json& item : json) {
        const auto value = integerFromJson(item);
        if (!value) return std::nullopt;
        values.push_back(*value);
    }
    return values;
}

std::optional<FieldValue> numberPairFromJson(const Json& json) {
    if (!json.is_array() || json.size() != 2 || !json[0].is_number() || !json[1].is_number()) return std::nullopt;
    return std::array<double, 2>{json[0].get<double>(), json[1].get<double>()};
}

std::optional<FieldValue> textFromJson(const Json& json) {
    return json.is_string() ? std::optional<FieldValue>(json.get<std::string>()) : std::nullopt;
}

std::optional<FieldValue> valueFromJson(FieldType type, const Json& json) {
    switch (type) {
        case FieldType::Boolean:
            return json.is_boolean() ? std::optional<FieldValue>(json.get<bool>()) : std::nullopt;
        case FieldType::Integer: {
            const auto value = integerFromJson(json);
            return value ? std::optional<FieldValue>(*value) : std::nullopt;
        }
        case FieldType::OptionalNumber:
            if (json.is_null()) return FieldValue();
            [[fallthrough]];
        case FieldType::Number:
            return json.is_number() ? std::optional<FieldValue>(json.get<double>()) : std::nullopt;
        case FieldType::Text:
        case FieldType::Version:
        case FieldType::Choice:
            return textFromJson(json);
        case FieldType::ThreeBooleans:
            return threeBooleansFromJson(json);
        case FieldType::HighGemms:
            return highGemmsFromJson(json);
        case FieldType::TextList:
            return textListFromJson(json);
        case FieldType::IntegerList:
            return integerListFromJson(json);
        case FieldType::NumberPair:
            return numberPairFromJson(json);
    }
    return std::nullopt;
}

// ---- text to value ----

std::optional<bool> booleanFromText(std::string_view text) {
    if (text == "true" || text == "yes" || text == "on" || text == "1") return true;
    if (text == "false" || text == "no" || text == "off" || text == "0") return false;
    return std::nullopt;
}

/// All comma-separated parts of all texts.
std::vector<std::string> partsOf(std::span<const std::string> texts) {
    std::vector<std::string> parts;
    for (const std::string& text : texts) {
        for (const std::string& part : split(text, ','))
            parts.push_back(trimmed(part));
    }
    return parts;
}

/// "lm_head, gate" -> lm_head and gate; nothing typed gives no word.
std::vector<std::string> wordsOf(std::span<const std::string> texts) {
    std::vector<std::string> words;
    for (std::string text : texts) {
        std::ranges::replace(text, ',', ' ');
        for (std::string& word : split(text, ' ')) {
            if (!word.empty()) words.push_back(std::move(word));
        }
    }
    return words;
}

/// The JSON that the texts of a flag stand for, so that flags and files are read by the same code.
Json jsonFromTexts(const FieldInfo& field, std::span<const std::string> texts) {
    const auto scalar = [&](const std::string& text) -> Json {
        if (field.type == FieldType::Boolean || field.type == FieldType::ThreeBooleans) {
            const auto value = booleanFromText(text);
            return value ? Json(*value) : Json(text);
        }
        if (const auto integer = parseInteger(text)) return *integer;
        const auto number = parseNumber(text);
        return number && std::isfinite(*number) ? Json(*number) : Json(text);
    };
    switch (field.type) {
        case FieldType::Text:
        case FieldType::Version:
        case FieldType::Choice:
        case FieldType::HighGemms:
            return texts.empty() ? Json("") : Json(texts.back());
        case FieldType::TextList:
            return field.words ? wordsOf(texts) : std::vector<std::string>(texts.begin(), texts.end());
        case FieldType::ThreeBooleans:
        case FieldType::IntegerList:
        case FieldType::NumberPair: {
            Json list = Json::array();
            for (const std::string& part : partsOf(texts))
                list.push_back(scalar(part));
            return list;
        }
        case FieldType::Boolean:
            return texts.empty() ? Json(true) : scalar(texts.back());
        case FieldType::OptionalNumber:
            if (!texts.empty() && (texts.back().empty() || texts.back() == "none")) return nullptr;
            [[fallthrough]];
        case FieldType::Integer:
        case FieldType::Number:
            return texts.empty() ? Json("") : scalar(texts.back());
    }
    return nullptr;
}

/// The nearest GEMM name for a key that is none.
std::string gemmHint(const FieldInfo& field, const Json& json) {
    if (field.type != FieldType::HighGemms || !json.is_object()) return {};
    const std::vector<std::string> known(kGemmNames.begin(), kGemmNames.end());
    for (const auto& [key, value] : json.items()) {
        if (std::ranges::find(known, key) != known.end()) continue;
        const auto nearest = nearestWord(key, known);
        return fmt::format("\"{}\" is no GEMM{}", key, nearest ? fmt::format("; did you mean \"{}\"?", *nearest) : ".");
    }
    return {};
}

Result<FieldValue> readValue(const FieldInfo& field, const Json& json, const std::string& where) {
    auto value = valueFromJson(field.type, json);
    if (!value) return expectedError(field, where, jsonKind(json), gemmHint(field, json));
    if (field.type == FieldType::Choice) {
        const std::string text = std::get<std::string>(*value);
        const auto choice = choiceOf(field, text);
        if (!choice) return expectedError(field, where, jsonKind(json), choiceHint(field, text));
        value = *choice;
    }
    return std::move(*value);
}

std::string badValue(const FieldInfo& field, const FieldValue& value) {
    const auto outside = [&](double number) { return !inRange(field, number); };
    if (const auto* integer = std::get_if<int64_t>(&value)) {
        return outside(static_cast<double>(*integer)) ? std::to_string(*integer) : "";
    }
    if (const auto* number = std::get_if<double>(&value)) return outside(*number) ? numberText(*number) : "";
    if (const auto* pair = std::get_if<std::array<double, 2>>(&value)) {
        for (double number : *pair) {
            if (outside(number)) return numberText(number);
        }
    }
    if (const auto* list = std::get_if<std::vector<int64_t>>(&value)) {
        if (list->empty()) return "an empty list";
        for (int64_t number : *list) {
            if (outside(static_cast<double>(number))) return std::to_string(number);
        }
    }
    if (const auto* list = std::get_if<std::vector<std::string>>(&value)) {
        if (field.words) return std::ranges::find(*list, "") == list->end() ? "" : "an empty text in it";
        return list->empty() ? "an empty list" : "";
    }
    if (const auto* text = std::get_if<std::string>(&value)) {
        const bool bad = (field.type == FieldType::Choice && !choiceOf(field, *text)) ||
                         (field.type == FieldType::Version && !isVersion(*text));
        return bad ? fmt::format("\"{}\"", *text) : "";
    }
    return "";
}

Result<FieldValue> readAndCheck(const FieldInfo& field, const Json& json, const std::string& where) {
    auto value = readValue(field, json, where);
    if (!value) return value.error();
    const std::string bad = badValue(field, *value);
    if (!bad.empty()) return expectedError(field, where, bad);
    return value;
}

}  // namespace

std::string expectedText(const FieldInfo& field) {
    switch (field.type) {
        case FieldType::Boolean:
            return "true or false";
        case FieldType::Integer:
            return "a whole number" + rangeText(field);
        case FieldType::Number:
            return "a number" + rangeText(field);
        case FieldType::OptionalNumber:
            return "a number" + rangeText(field) + ", or null";
        case FieldType::Text:
            return "text";
        case FieldType::Version:
            return "a version as text, such as \"2.20\"";
        case FieldType::Choice:
            return fmt::format("one of {}", fmt::join(field.choices, ", "));
        case FieldType::ThreeBooleans:
            return "a list of three booleans (fprop, dgrad, wgrad)";
        case FieldType::HighGemms:
            return "an object of fprop, dgrad or wgrad, each \"high\" or \"fp8\"";
        case FieldType::TextList:
            return field.words ? "a list of words" : "a list of texts, at least one";
        case FieldType::IntegerList:
            return "a list of whole numbers" + rangeText(field) + ", at least one";
        case FieldType::NumberPair:
            return "two numbers" + rangeText(field);
    }
    return {};
}

Result<FieldValue> fieldFromJson(const FieldInfo& field, const Json& json, std::string_view what) {
    return readAndCheck(field, json, whereInFile(field, what));
}

Result<FieldValue> fieldFromText(const FieldInfo& field, std::span<const std::string> texts) {
    const char* where = *field.flag ? field.flag : field.key;
    auto value = readAndCheck(field, jsonFromTexts(field, texts), where);
    const bool isList = field.type == FieldType::IntegerList || field.type == FieldType::NumberPair ||
                        field.type == FieldType::ThreeBooleans;
    if (value || !isList) return value;
    // What was typed says more than "a list of 2".
    return expectedError(field, where, fmt::format("\"{}\"", fmt::join(texts, ",")));
}

Json fieldToJson(const FieldInfo& field, const FieldValue& value) {
    if (field.type == FieldType::HighGemms) {
        Json gemms = Json::object();
        const auto& high = std::get<std::array<bool, 3>>(value);
        for (size_t i = 0; i < high.size(); ++i) {
            if (high[i]) gemms[kGemmNames[i]] = "high";
        }
        return gemms;
    }
    return std::visit(
        [](const auto& held) -> Json {
            if constexpr (std::same_as<std::remove_cvref_t<decltype(held)>, std::monostate>)
                return nullptr;
            else
                return held;
        },
        value);
}

std::string fieldText(const FieldValue& value) {
    if (std::holds_alternative<std::monostate>(value)) return {};
    if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
    if (const auto* integer = std::get_if<int64_t>(&value)) return std::to_string(*integer);
    if (const auto* number = std::get_if<double>(&value)) return numberText(*number);
    if (const auto* text = std::get_if<std::string>(&value)) return *text;
    if (const auto* three = std::get_if<std::array<bool, 3>>(&value)) return fmt::format("{}", fmt::join(*three, ","));
    if (const auto* texts = std::get_if<std::vector<std::string>>(&value))
        return fmt::format("{}", fmt::join(*texts, " "));
    if (const auto* numbers = std::get_if<std::vector<int64_t>>(&value))
        return fmt::format("{}", fmt::join(*numbers, ","));
    const auto& pair = std::get<std::array<double, 2>>(value);
    return numberText(pair[0]) + "," + numberText(pair[1]);
}

Result<void> checkField(const FieldInfo& field, const FieldValue& value, std::string_view what) {
    const std::string bad = badValue(field, value);
    if (bad.empty()) return {};
    return expectedError(field, whereInFile(field, what), bad);
}

std::optional<std::string> fieldWarning(const FieldInfo& field, const FieldValue& value) {
    const auto* integer = std::get_if<int64_t>(&value);
    if (!integer || !field.warnBelow || static_cast<double>(*integer) >= *field.warnBelow) return std::nullopt;
    return fmt::format("{} {}: {}", field.key, *integer, field.warning);
}

std::string fieldHelp(const FieldInfo& field, const FieldValue& defaultValue) {
    const std::string value = fieldText(defaultValue);
    std::string text = fmt::format("{}: {}", field.key, expectedText(field));
    if (*field.unit) text += fmt::format(" [{}]", field.unit);
    text += fmt::format("; default {}\n    {}\n", value.empty() ? "none" : value, field.help);
    if (*field.library) text += fmt::format("    library: {}\n", field.library);
    if (*field.documented) text += fmt::format("    documented: {}\n", field.documented);
    return text;
}

}  // namespace octet::recipe
