// SPDX-License-Identifier: Apache-2.0
// One editable field as data: key, type, range, unit, help, and typed access to the struct that holds it. Tables of
// fields drive JSON, validation, command-line flags, help texts and the window's form; nothing else knows the keys.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "engine/core/json.h"
#include "engine/core/result.h"

namespace octet::recipe {

enum class FieldType {
    Boolean,
    Integer,
    Number,
    OptionalNumber,  // null: not set
    Text,
    Version,        // numbers with dots between
    Choice,         // one of `choices`
    ThreeBooleans,  // fprop, dgrad, wgrad
    HighGemms,      // the same three, written {"wgrad": "high"}
    TextList,
    IntegerList,
    NumberPair,
};

/// What a field holds: monostate (null), bool, whole number, number, text or choice, fprop/dgrad/wgrad, lists, a pair.
using FieldValue = std::variant<std::monostate, bool, int64_t, double, std::string, std::array<bool, 3>,
                                std::vector<std::string>, std::vector<int64_t>, std::array<double, 2>>;

/// In which semantics a field changes training.
enum class Effect {
    Always,
    DocumentedOnly,  // `library` drops or ignores it; the field's `library` text says why
    Report,          // changes what is said or refused, never Octet's own training
};

struct FieldInfo {
    const char* key = "";              // dotted path in the file, "te.margin"
    FieldType type = FieldType::Text;  // set by makeField
    std::vector<std::string> choices{};
    bool anyCase = false;               // choices are read in any letter case, as Accelerate reads them
    double low = 0, high = 0;           // Integer, Number and lists, both ends included; low == high: no range
    bool highIsOpen = false;            // [low, high)
    bool words = false;                 // TextList of single words: may be empty; typed with spaces or commas between
    std::optional<double> warnBelow{};  // values below are accepted with `warning`
    const char* warning = "";
    const char* unit = "";
    const char* help = "";         // one sentence
    const char* readBy = "Octet";  // who reads it
    Effect effect = Effect::Always;
    const char* library = "";     // what happens with it under `library`, if that needs saying
    const char* documented = "";  // ... and under `documented`
    const char* flag = "";        // command-line flag, "--lr"; empty: none
};

template <class Owner>
struct Field : FieldInfo {
    FieldValue (*get)(const Owner&) = nullptr;
    void (*set)(Owner&, const FieldValue&) = nullptr;  // the value has the field's type and passed checkField
};

/// Names of an enum's values, in the order of the values. Specialised beside each table.
template <class Enum>
struct EnumNames;

template <class Enum>
[[nodiscard]] const char* nameOf(Enum value) {
    return EnumNames<Enum>::names.at(static_cast<size_t>(value));
}

/// "a whole number from -64 to 64": the words after "expected".
[[nodiscard]] std::string expectedText(const FieldInfo& field);

/// Reads and checks one value. @param what  names the file in the message, "recipe file a.octet.json"
[[nodiscard]] Result<FieldValue> fieldFromJson(const FieldInfo& field, const Json& json, std::string_view what);
[[nodiscard]] Json fieldToJson(const FieldInfo& field, const FieldValue& value);

/// Reads and checks what stood on a command line. Lists take several texts; a Boolean without text is true.
[[nodiscard]] Result<FieldValue> fieldFromText(const FieldInfo& field, std::span<const std::string> texts);

/// The value as a person reads it and a flag takes it: "0.001", "HYBRID", "1,2,3", "" for null.
[[nodiscard]] std::string fieldText(const FieldValue& value);

/// Range and choice of a value that is already in a struct.
[[nodiscard]] Result<void> checkField(const FieldInfo& field, const FieldValue& value, std::string_view what);

/// The field's own warning for an accepted value, or nullopt.
[[nodiscard]] std::optional<std::string> fieldWarning(const FieldInfo& field, const FieldValue& value);

/// One value that readFields found.
struct ReadValue {
    size_t field;  // index into the table
    FieldValue value;
};

/// Reads an object whose layout follows the dotted keys of `fields`. Unknown keys at every level are errors with the
/// nearest known key. @param otherKeys  dotted keys that the caller reads itself
[[nodiscard]] Result<std::vector<ReadValue>> readFields(const Json& json, const std::vector<const FieldInfo*>& fields,
                                                        const std::vector<std::string>& otherKeys,
                                                        std::string_view what);

/// Puts `value` at a dotted key, making the objects on the way.
void putAt(Json& json, std::string_view key, Json value);

/// The table as help text: key, expected value, default, help, effect.
[[nodiscard]] std::string fieldHelp(const FieldInfo& field, const FieldValue& defaultValue);

template <class Owner>
[[nodiscard]] std::vector<const FieldInfo*> infosOf(std::span<const Field<Owner>> fields) {
    std::vector<const FieldInfo*> infos;
    for (const Field<Owner>& field : fields)
        infos.push_back(&field);
    return infos;
}

namespace detail {

template <auto... Members, class Owner>
auto& follow(Owner& owner) {
    return (owner.*....*Members);
}

template <class T>
constexpr FieldType fieldTypeOf() {
    if constexpr (std::is_enum_v<T>)
        return FieldType::Choice;
    else if constexpr (std::same_as<T, bool>)
        return FieldType::Boolean;
    else if constexpr (std::integral<T>)
        return FieldType::Integer;
    else if constexpr (std::floating_point<T>)
        return FieldType::Number;
    else if constexpr (std::same_as<T, std::optional<double>>)
        return FieldType::OptionalNumber;
    else if constexpr (std::same_as<T, std::array<bool, 3>>)
        return FieldType::ThreeBooleans;
    else if constexpr (std::same_as<T, std::vector<std::string>>)
        return FieldType::TextList;
    else if constexpr (std::same_as<T, std::vector<int64_t>>)
        return FieldType::IntegerList;
    else
        return FieldType::Text;
}

template <class T>
FieldValue toFieldValue(const T& value) {
    if constexpr (std::is_enum_v<T>)
        return std::string(nameOf(value));
    else if constexpr (std::same_as<T, bool>)
        return value;
    else if constexpr (std::integral<T>)
        return static_cast<int64_t>(value);
    else if constexpr (std::same_as<T, std::optional<double>>)
        return value ? FieldValue(*value) : FieldValue();
    else
        return value;
}

template <class T>
void fromFieldValue(const FieldValue& value, T& target) {
    if constexpr (std::is_enum_v<T>) {
        const auto& names = EnumNames<T>::names;
        for (size_t i = 0; i < names.size(); ++i) {
            if (std::get<std::string>(value) == names[i]) target = static_cast<T>(i);
        }
    } else if constexpr (std::same_as<T, bool>) {
        target = std::get<bool>(value);
    } else if constexpr (std::integral<T>) {
        target = static_cast<T>(std::get<int64_t>(value));
    } else if constexpr (std::same_as<T, std::optional<double>>) {
        const double* number = std::get_if<double>(&value);
        target = number ? std::optional(*number) : std::nullopt;
    } else {
        target = std::get<T>(value);
    }
}

}  // namespace detail

/// A field that lives at owner.*A.*B...; type and choices follow from the member's type.
template <class Owner, auto... Members>
[[nodiscard]] Field<Owner> makeField(FieldInfo info) {
    using T = std::remove_cvref_t<decltype(detail::follow<Members...>(std::declval<Owner&>()))>;
    const bool isPlainText = std::same_as<T, std::string> && info.type == FieldType::Text;
    if (info.type == FieldType::Text) info.type = detail::fieldTypeOf<T>();
    if (isPlainText && !info.choices.empty()) info.type = FieldType::Choice;
    if constexpr (std::is_enum_v<T>) info.choices.assign(EnumNames<T>::names.begin(), EnumNames<T>::names.end());
    return {std::move(info), [](const Owner& owner) { return detail::toFieldValue(detail::follow<Members...>(owner)); },
            [](Owner& owner, const FieldValue& value) {
                detail::fromFieldValue(value, detail::follow<Members...>(owner));
            }};
}

}  // namespace octet::recipe
