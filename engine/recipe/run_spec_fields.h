// SPDX-License-Identifier: Apache-2.0
// The schema table of run specs: each field is a key of the JSON and a flag of `octet-engine train`.
#pragma once

#include <array>
#include <span>
#include <string>

#include "engine/recipe/field.h"
#include "engine/recipe/run_spec.h"

namespace octet::recipe {

inline constexpr int kRunVersion = 1;

template <>
struct EnumNames<Schedule> {
    static constexpr std::array names{"cosine", "constant"};
};
template <>
struct EnumNames<ActivationDtype> {
    static constexpr std::array names{"bf16", "fp32"};
};
template <>
struct EnumNames<OnNan> {
    static constexpr std::array names{"continue", "pause", "stop"};
};
template <>
struct EnumNames<RunOrder> {
    static constexpr std::array names{"interleaved", "sequential"};
};

using RunField = Field<RunSpec>;

/// Every field in file order, each with its flag.
[[nodiscard]] std::span<const RunField> runFields();

/// A flag that may stand without a value.
[[nodiscard]] inline bool isSwitch(const RunField& field) {
    return field.type == FieldType::Boolean;
}

/// A flag that may be given several times (`--recipe A --recipe B`).
[[nodiscard]] inline bool isRepeatable(const RunField& field) {
    return field.type == FieldType::TextList || field.type == FieldType::IntegerList;
}

/// The default as a flag would be given it; "" where nothing is set.
[[nodiscard]] std::string defaultText(const RunField& field);

/// Sets a field from the texts of its flag; the message names the flag.
[[nodiscard]] Result<void> setFromTexts(RunSpec& spec, const RunField& field, std::span<const std::string> texts);

/// The flags that differ from the defaults, ready for a shell: `--steps 500 --recipe preset:hybrid-16`.
[[nodiscard]] std::string runSpecFlags(const RunSpec& spec);

}  // namespace octet::recipe
