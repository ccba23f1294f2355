// SPDX-License-Identifier: Apache-2.0
// Sources: facts/transformer_engine.md 1.3-1.8, 4, 6; facts/torchao.md 2.4, 3.3.
#include "engine/recipe/gemm_plan.h"

#include "engine/recipe/ao_config.h"

namespace octet::recipe {
namespace {

using numerics::Fp8Format;

struct Formats {
    Fp8Format forward = Fp8Format::E4M3;  // inputs and weights
    Fp8Format backward = Fp8Format::E4M3;
};
constexpr Formats kHybrid{Fp8Format::E4M3, Fp8Format::E5M2};
constexpr Formats kE4M3{Fp8Format::E4M3, Fp8Format::E4M3};
constexpr Formats kE5M2{Fp8Format::E5M2, Fp8Format::E5M2};

/// The scaling's own default: HYBRID with one scale a tensor, E4M3 with finer scales.
Formats defaultFormats(RuleScaling scaling) {
    const bool perTensor =
        scaling == RuleScaling::Delayed || scaling == RuleScaling::Current || scaling == RuleScaling::Tensorwise;
    return perTensor ? kHybrid : kE4M3;
}

template <typename Format>
Formats formatsOf(Format format, Formats otherwise) {
    if (format == Format::Hybrid) return kHybrid;
    if (format == Format::E4M3) return kE4M3;
    return format == Format::E5M2 ? kE5M2 : otherwise;
}

Formats formatsOf(const Recipe& recipe, const LayerRule* rule) {
    const RuleScaling scaling = scalingOf(recipe, rule);
    const Formats normal = defaultFormats(scaling);
    if (rule != nullptr && rule->format != RuleFormat::Inherit) return formatsOf(rule->format, normal);
    if (scaling != scalingOf(recipe, nullptr)) return normal;  // another scaling brings its own
    if (recipe.backend == Backend::Native) return formatsOf(recipe.native.fp8Format, normal);
    // Accelerate drops HYBRID, its own default, and MXFP8 then runs Transformer Engine's E4M3.
    if (recipe.te.useMxfp8BlockScaling && recipe.semantics == Semantics::Library) return normal;
    return formatsOf(recipe.te.fp8Format, normal);
}

/// What Transformer Engine's scalings read besides the format.
NativeRecipe nativeSettings(const Recipe& recipe) {
    return recipe.backend == Backend::Native ? recipe.native : NativeRecipe{};
}

/// @param isWeight  weights have square blocks where the recipe says so
OperandCast teCast(RuleScaling scaling, const NativeRecipe& native, Fp8Format format, bool isWeight) {
    OperandCast cast;
    cast.fp8 = true;
    cast.format = format;
    switch (scaling) {
        case RuleScaling::Current:
            cast.scaling = ScalingKind::TeCurrent;
            cast.powerOfTwo = native.usePower2Scales;
            cast.amaxEpsilon = static_cast<float>(native.amaxEpsilon);
            break;
        case RuleScaling::Block:
            cast.scaling = ScalingKind::TeBlock;
            cast.granularity = isWeight ? Granularity::Block128x128 : Granularity::Block1x128;
            cast.powerOfTwo = !native.useF32Scales;
            cast.amaxEpsilon = static_cast<float>(native.amaxEpsilon);
            break;
        case RuleScaling::Mxfp8:
            cast.scaling = ScalingKind::Mx;
            cast.granularity =
                isWeight && native.enable2dQuantization ? Granularity::Block32x32 : Granularity::Block1x32;
            cast.powerOfTwo = true;
            cast.mxMode = native.mxScaleMode;
            break;
        default:
            cast.scaling = ScalingKind::Delayed;
            break;
    }
    return cast;
}

std::array<GemmPlan, 3> teGemms(const Recipe& recipe, const LayerRule* rule) {
    const RuleScaling scaling = scalingOf(recipe, rule);
    const NativeRecipe native = nativeSettings(recipe);
    const Formats formats = formatsOf(recipe, rule);
    const OperandCast x = teCast(scaling, native, formats.forward, false);
    const OperandCast w = teCast(scaling, native, formats.forward, true);
    const OperandCast dy = teCast(scaling, native, formats.backward, false);
    // Block scaling asserts split accumulators in all three GEMMs.
    const std::array<bool, 3> fast = scaling == RuleScaling::Block ? std::array<bool, 3>{} : native.useFastAccum;
    std::array<GemmPlan, 3> gemms{GemmPlan{true, false, fast[0], x, w}, GemmPlan{true, false, fast[1], dy, w},
                                  GemmPlan{true, false, fast[2], dy, x}};
    if (native.backwardOverride == BackwardOverride::None) return gemms;
    const bool dequantised = native.backwardOverride == BackwardOverride::Dequantized;
    gemms[1] = {false, dequantised, false, {}, dequantised ? w : OperandCast{}};
    gemms[2] = {false, dequantised, false, {}, dequantised ? x : OperandCast{}};
    return gemms;
}

OperandCast aoCast(AoCast asked, bool powerOfTwo) {
    OperandCast cast;
    if (asked == AoCast::Disabled) return cast;
    cast.fp8 = true;
    const bool e5m2 = asked == AoCast::DynTenE5M2 || asked == AoCast::DynAxsE5M2;
    const bool axiswise = asked == AoCast::DynAxsE4M3 || asked == AoCast::DynAxsE5M2;
    cast.format = e5m2 ? Fp8Format::E5M2 : Fp8Format::E4M3;
    cast.scaling = ScalingKind::Torchao;
    cast.granularity = axiswise ? Granularity::Row : Granularity::Tensor;
    cast.powerOfTwo = powerOfTwo;
    return cast;
}

AoRecipe aoRecipeOf(const Recipe& recipe, RuleScaling scaling) {
    if (scaling == RuleScaling::Inherit) return recipe.ao;
    AoRecipe named;
    named.config = scaling == RuleScaling::Rowwise ? AoConfig::Rowwise : AoConfig::Tensorwise;
    return named;
}

std::array<GemmPlan, 3> aoGemms(const Recipe& recipe, const LayerRule* rule) {
    const AoFloat8 config = float8ConfigOf(aoRecipeOf(recipe, scalingOf(recipe, rule)));
    const std::array<std::array<AoCast, 2>, 3> asked{{{config.input, config.weight},
                                                      {config.gradOutput, config.weightForGradInput},
                                                      {config.gradOutputForGradWeight, config.inputForGradWeight}}};
    std::array<GemmPlan, 3> gemms;
    for (size_t g = 0; g < gemms.size(); ++g) {
        gemms[g].a = aoCast(asked[g][0], config.roundScalesToPowerOf2);
        gemms[g].b = aoCast(asked[g][1], config.roundScalesToPowerOf2);
        gemms[g].fp8 = gemms[g].a.fp8 && gemms[g].b.fp8;
        gemms[g].fastAccumulation = gemms[g].fp8 && config.useFastAccum[g];
        if (rule == nullptr || rule->format == RuleFormat::Inherit || !gemms[g].fp8) continue;
        const Formats formats = formatsOf(rule->format, kHybrid);
        gemms[g].a.format = g == 0 ? formats.forward : formats.backward;
        gemms[g].b.format = formats.forward;
    }
    return gemms;
}

RuleScaling ownScaling(const Recipe& recipe) {
    if (recipe.backend == Backend::Ao) return RuleScaling::Inherit;
    if (recipe.backend != Backend::Native) {
        return recipe.te.useMxfp8BlockScaling ? RuleScaling::Mxfp8 : RuleScaling::Delayed;
    }
    switch (recipe.native.recipe) {
        case NativeKind::Float8CurrentScaling:
            return RuleScaling::Current;
        case NativeKind::Float8BlockScaling:
            return RuleScaling::Block;
        case NativeKind::Mxfp8BlockScaling:
            break;
    }
    return RuleScaling::Mxfp8;
}

}  // namespace

RuleScaling scalingOf(const Recipe& recipe, const LayerRule* rule) {
    return rule != nullptr && rule->scaling != RuleScaling::Inherit ? rule->scaling : ownScaling(recipe);
}

std::array<GemmPlan, 3> gemmPlans(const Recipe& recipe, const LayerRule* rule) {
    const RuleScaling scaling = scalingOf(recipe, rule);
    const bool torchao =
        scaling == RuleScaling::Inherit || scaling == RuleScaling::Tensorwise || scaling == RuleScaling::Rowwise;
    return torchao ? aoGemms(recipe, rule) : teGemms(recipe, rule);
}

}  // namespace octet::recipe
