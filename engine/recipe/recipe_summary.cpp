// SPDX-License-Identifier: Apache-2.0
// One line on what a recipe asks, for lists and presets.
#include <fmt/format.h>

#include "engine/core/text.h"
#include "engine/recipe/recipe_json.h"
#include "engine/recipe/schema.h"

namespace octet::recipe {
namespace {

std::string formatText(NativeFormat format, NativeKind kind) {
    if (format == NativeFormat::Default) {
        format = kind == NativeKind::Float8CurrentScaling ? NativeFormat::Hybrid : NativeFormat::E4M3;
    }
    return format == NativeFormat::Hybrid ? "E4M3 forward, E5M2 gradients"
                                          : fmt::format("{} everywhere", nameOf(format));
}

std::string teSummary(const Recipe& recipe) {
    const TeRecipe& te = recipe.te;
    if (te.useMxfp8BlockScaling) {
        // Accelerate drops HYBRID, its default, and MXFP8 then runs Transformer Engine's own.
        return "E4M3 everywhere; one power of two per 32 values (MXFP8)";
    }
    std::string text = te.fp8Format == TeFormat::Hybrid ? "E4M3 forward, E5M2 gradients"
                                                        : fmt::format("{} everywhere", nameOf(te.fp8Format));
    text += fmt::format("; history {}, ", groupedDigits(te.amaxHistoryLen));
    const bool dropped = te.amaxComputeAlgo == AmaxAlgo::MostRecent && recipe.semantics == Semantics::Library;
    text += dropped ? "asks most_recent, gets max" : nameOf(te.amaxComputeAlgo);
    if (te.margin != 0) text += fmt::format(", margin {}", te.margin);
    return text;
}

std::string aoSummary(const AoRecipe& ao) {
    switch (ao.config) {
        case AoConfig::None:
        case AoConfig::Tensorwise:
            return "torchao tensorwise: E4M3 forward, E5M2 gradients, one scale per tensor";
        case AoConfig::Rowwise:
            return "torchao rowwise: E4M3 everywhere, one power-of-two scale per row";
        case AoConfig::RowwiseWithGwHp:
            return "torchao rowwise, grad_weight in high precision";
        case AoConfig::Custom:
            break;
    }
    return "torchao with a Float8LinearConfig of its own";
}

std::string nativeSummary(const NativeRecipe& native) {
    std::string text = formatText(native.fp8Format, native.recipe);
    switch (native.recipe) {
        case NativeKind::Float8CurrentScaling:
            text += "; scale from the tensor's own amax";
            if (native.usePower2Scales) text += ", powers of two";
            break;
        case NativeKind::Float8BlockScaling:
            text += "; one scale per 1 x 128 values, weights 128 x 128";
            if (native.useF32Scales) text += ", float32 scales";
            break;
        case NativeKind::Mxfp8BlockScaling:
            text += "; one power of two per 32 values (MXFP8)";
            if (native.enable2dQuantization) text += ", weights 32 x 32";
            if (native.mxScaleMode != MxScaleMode::Te) text += fmt::format(", {}", nameOf(native.mxScaleMode));
            break;
    }
    if (native.backwardOverride != BackwardOverride::None) {
        text += fmt::format("; backward {}", nameOf(native.backwardOverride));
    }
    return text;
}

}  // namespace

std::string recipeSummary(const Recipe& recipe) {
    if (recipe.backend == Backend::None) return "BF16 without FP8: the run that others are compared with";
    std::string text = recipe.backend == Backend::Te   ? teSummary(recipe)
                       : recipe.backend == Backend::Ao ? aoSummary(recipe.ao)
                                                       : nativeSummary(recipe.native);
    if (!recipe.layers.rules.empty()) text += fmt::format("; layer rules: {}", recipe.layers.rules.size());
    return text;
}

}  // namespace octet::recipe
