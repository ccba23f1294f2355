// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/ao_config.h"

#include <fmt/format.h>

#include "engine/recipe/schema.h"

namespace octet::recipe {
namespace {

AoFloat8 rowwise() {
    AoFloat8 config;
    config.input = config.weight = config.gradOutput = AoCast::DynAxsE4M3;
    config.roundScalesToPowerOf2 = true;
    return config;
}

AoFloat8 rowwiseWithGwHp() {
    AoFloat8 config = rowwise();
    config.weightForGradInput = AoCast::DynTenE4M3;
    config.inputForGradWeight = config.gradOutputForGradWeight = AoCast::Disabled;
    return config;
}

AoFloat8 asAsked(const AoRecipe& recipe) {
    switch (recipe.config) {
        case AoConfig::Custom:
            return recipe.float8;
        case AoConfig::Rowwise:
            return rowwise();
        case AoConfig::RowwiseWithGwHp:
            return rowwiseWithGwHp();
        case AoConfig::Tensorwise:
            return {};
        case AoConfig::None:
            break;
    }
    AoFloat8 config;
    config.padInnerDim = recipe.padInnerDim;
    config.enableFsdpFloat8AllGather = recipe.enableFsdpFloat8AllGather;
    return config;
}

/// One GEMM's two operands by their field names.
struct Pair {
    const char* gemm;
    const char* left;
    AoCast AoFloat8::*leftCast;
    const char* right;
    AoCast AoFloat8::*rightCast;
};
constexpr Pair kGemmOperands[] = {
    {"output", "cast_config_input", &AoFloat8::input, "cast_config_weight", &AoFloat8::weight},
    {"grad_input", "cast_config_grad_output", &AoFloat8::gradOutput, "cast_config_weight_for_grad_input",
     &AoFloat8::weightForGradInput},
    {"grad_weight", "cast_config_input_for_grad_weight", &AoFloat8::inputForGradWeight,
     "cast_config_grad_output_for_grad_weight", &AoFloat8::gradOutputForGradWeight},
};
/// The two uses of one operand.
constexpr Pair kUses[] = {
    {"", "cast_config_input", &AoFloat8::input, "cast_config_input_for_grad_weight", &AoFloat8::inputForGradWeight},
    {"", "cast_config_weight", &AoFloat8::weight, "cast_config_weight_for_grad_input", &AoFloat8::weightForGradInput},
    {"", "cast_config_grad_output", &AoFloat8::gradOutput, "cast_config_grad_output_for_grad_weight",
     &AoFloat8::gradOutputForGradWeight},
};

bool isE5M2(AoCast cast) {
    return cast == AoCast::DynTenE5M2 || cast == AoCast::DynAxsE5M2;
}

}  // namespace

AoFloat8 float8ConfigOf(const AoRecipe& recipe) {
    AoFloat8 config = asAsked(recipe);
    if (config.input == AoCast::Default) config.input = AoCast::DynTenE4M3;
    if (config.weight == AoCast::Default) config.weight = AoCast::DynTenE4M3;
    if (config.gradOutput == AoCast::Default) config.gradOutput = AoCast::DynTenE5M2;
    for (const Pair& uses : kUses) {
        if (config.*uses.rightCast == AoCast::Default) config.*uses.rightCast = config.*uses.leftCast;
    }
    return config;
}

std::optional<Error> aoRefusal(const AoRecipe& recipe) {
    const AoFloat8 config = float8ConfigOf(recipe);
    const bool axiswiseWeight = config.weight == AoCast::DynAxsE4M3 || config.weight == AoCast::DynAxsE5M2;
    if (config.enableFsdpFloat8AllGather && axiswiseWeight) {
        return Error{ErrorCode::Refused,
                     fmt::format("torchao refuses enable_fsdp_float8_all_gather with cast_config_weight {}: FP8 "
                                 "all-gather needs tensorwise weights.",
                                 nameOf(config.weight)),
                     "Set enable_fsdp_float8_all_gather to false, or cast_config_weight to dyn_ten_e4m3."};
    }
    for (const Pair& pair : kGemmOperands) {
        const AoCast left = config.*pair.leftCast, right = config.*pair.rightCast;
        if ((left == AoCast::Disabled) == (right == AoCast::Disabled)) continue;
        return Error{ErrorCode::Refused,
                     fmt::format("torchao refuses incompatible operand precision in the {} GEMM: {} is {}, {} is {}.",
                                 pair.gemm, pair.left, nameOf(left), pair.right, nameOf(right)),
                     "Set both operands of the GEMM to disabled, or neither."};
    }
    for (const Pair& pair : kUses) {
        const AoCast first = config.*pair.leftCast, second = config.*pair.rightCast;
        // A disabled CastConfig may carry the other one's type, as rowwise_with_gw_hp has it.
        if (first == AoCast::Disabled || second == AoCast::Disabled || isE5M2(first) == isE5M2(second)) continue;
        return Error{ErrorCode::Refused,
                     fmt::format("torchao refuses two types for one operand: {} is {}, {} is {}.", pair.left,
                                 nameOf(first), pair.right, nameOf(second)),
                     "Give both uses of the operand the same type."};
    }
    return std::nullopt;
}

}  // namespace octet::recipe
