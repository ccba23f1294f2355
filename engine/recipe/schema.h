// SPDX-License-Identifier: Apache-2.0
// The schema table of recipes: every key of a recipe file, once. Drives JSON, validation, help, diff and the form.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "engine/recipe/field.h"
#include "engine/recipe/recipe.h"

namespace octet::recipe {

inline constexpr int kRecipeVersion = 1;

template <>
struct EnumNames<Backend> {
    static constexpr std::array names{"none", "TE", "AO", "native"};
};
template <>
struct EnumNames<Semantics> {
    static constexpr std::array names{"library", "documented"};
};
template <>
struct EnumNames<TeFormat> {
    static constexpr std::array names{"HYBRID", "E4M3", "E5M2"};
};
template <>
struct EnumNames<AmaxAlgo> {
    static constexpr std::array names{"max", "most_recent"};
};
template <>
struct EnumNames<LayerBase> {
    static constexpr std::array names{"accelerate", "all", "none", "torchao_auto"};
};

template <>
struct EnumNames<AoConfig> {
    static constexpr std::array names{"none", "tensorwise", "rowwise", "rowwise_with_gw_hp", "custom"};
};
/// torchao's own short form of a CastConfig.
template <>
struct EnumNames<AoCast> {
    static constexpr std::array names{"default",      "dyn_ten_e4m3", "dyn_ten_e5m2",
                                      "dyn_axs_e4m3", "dyn_axs_e5m2", "disabled"};
};
template <>
struct EnumNames<NativeKind> {
    static constexpr std::array names{"Float8CurrentScaling", "Float8BlockScaling", "MXFP8BlockScaling"};
};
template <>
struct EnumNames<NativeFormat> {
    static constexpr std::array names{"default", "HYBRID", "E4M3", "E5M2"};
};
template <>
struct EnumNames<MxScaleMode> {
    static constexpr std::array names{"te", "floor", "ceil", "even", "rceil"};
};
template <>
struct EnumNames<BackwardOverride> {
    static constexpr std::array names{"none", "high_precision", "dequantized"};
};
template <>
struct EnumNames<RuleFormat> {
    static constexpr std::array names{"inherit", "HYBRID", "E4M3", "E5M2"};
};
template <>
struct EnumNames<RuleScaling> {
    static constexpr std::array names{"inherit", "delayed", "current", "block", "mxfp8", "tensorwise", "rowwise"};
};

using RecipeField = Field<Recipe>;
using RuleField = Field<LayerRule>;

/// Every scalar field of a recipe in file order; the rules have their own table.
[[nodiscard]] std::span<const RecipeField> recipeFields();

/// The fields of one entry of layers.rules.
[[nodiscard]] std::span<const RuleField> ruleFields();

/// The field with this dotted key; it must exist.
[[nodiscard]] const RecipeField& recipeField(std::string_view key);

/// Both tables as help text.
[[nodiscard]] std::string recipeSchemaHelp();

/// One field that two recipes have differently.
struct FieldDifference {
    std::string key;  // "te.margin", "layers.rules[0]"
    std::string a;    // value as text; "" for a rule that is not there
    std::string b;
};

/// Every difference, in file order. Equal recipes give none.
[[nodiscard]] std::vector<FieldDifference> differingFields(const Recipe& a, const Recipe& b);

}  // namespace octet::recipe
