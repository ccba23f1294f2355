// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/recipe/family_sentences.h"

#include <QCoreApplication>
#include <algorithm>
#include <utility>

namespace octet::ui {
namespace {

using recipe::NativeKind;

using recipe::Recipe;

QString tr(const char* text) {
    return QCoreApplication::translate("FamilySentences", text);
}

QString configSentence(const Recipe& recipe) {
    switch (recipe.ao.config) {
        case recipe::AoConfig::None:
            return tr("Accelerate builds the tensorwise config from the two switches below.");
        case recipe::AoConfig::Tensorwise:
            return tr("One scale a tensor; E5M2 gradients.");
        case recipe::AoConfig::Rowwise:
            return tr("One power-of-two scale a row; E4M3 everywhere.");
        case recipe::AoConfig::RowwiseWithGwHp:
            return tr("As rowwise, and the weight gradient in high precision.");
        case recipe::AoConfig::Custom:
            break;
    }
    return tr("The fields of float8 below decide.");
}

QString paddingSentence(const Recipe& recipe) {
    return recipe.ao.padInnerDim ? tr("Token counts that are not multiples of 16 are padded with zeros.")
                                 : tr("Token counts that are not multiples of 16 fail in backward.");
}

QString allGatherSentence(const Recipe& recipe) {
    if (!recipe.ao.enableFsdpFloat8AllGather) return tr("Weights are gathered in their own type.");
    return recipe.target.parallel == "fsdp2" ? tr("FSDP2 gathers the weights as FP8.")
                                             : tr("Without FSDP2 the optimizer loses the converted weights.");
}

QString kindSentence(const Recipe& recipe) {
    switch (recipe.native.recipe) {
        case NativeKind::Float8CurrentScaling:
            return tr("The scale comes from the tensor's own amax; no history.");
        case NativeKind::Float8BlockScaling:
            return tr("One scale per 1 x 128 values, weights per 128 x 128.");
        case NativeKind::Mxfp8BlockScaling:
            break;
    }
    return tr("One power-of-two scale per 32 values.");
}

QString nativeFormatSentence(const Recipe& recipe) {
    switch (recipe.native.fp8Format) {
        case recipe::NativeFormat::Default:
            return recipe.native.recipe == NativeKind::Float8CurrentScaling
                       ? tr("Transformer Engine's HYBRID: E4M3 forward, E5M2 gradients.")
                       : tr("Transformer Engine's E4M3 everywhere.");
        case recipe::NativeFormat::Hybrid:
            return tr("E4M3 forward, E5M2 gradients.");
        case recipe::NativeFormat::E4M3:
            return tr("E4M3 for gradients too.");
        case recipe::NativeFormat::E5M2:
            break;
    }
    return tr("E5M2 in both directions.");
}

QString powerSentence(const Recipe& recipe) {
    if (recipe.native.recipe != NativeKind::Float8CurrentScaling) return tr("Only Float8CurrentScaling reads it.");
    return recipe.native.usePower2Scales ? tr("Scales are cut to a power of two.") : tr("Scales keep their mantissa.");
}

QString epsilonSentence(const Recipe& recipe) {
    if (recipe.native.recipe == NativeKind::Mxfp8BlockScaling) return tr("MXFP8 does not read it.");
    return recipe.native.amaxEpsilon == 0 ? tr("No floor below the amax.") : tr("A smaller amax is raised to it.");
}

QString f32Sentence(const Recipe& recipe) {
    if (recipe.native.recipe != NativeKind::Float8BlockScaling) return tr("Only Float8BlockScaling reads it.");
    return recipe.native.useF32Scales ? tr("Scales keep their mantissa.") : tr("Scales are cut to a power of two.");
}

QString squareSentence(const Recipe& recipe) {
    if (recipe.native.recipe != NativeKind::Mxfp8BlockScaling) return tr("Only MXFP8BlockScaling reads it.");
    return recipe.native.enable2dQuantization ? tr("Weights have one scale per 32 x 32 values.")
                                              : tr("Weights have one scale per 32 values, as activations.");
}

QString modeSentence(const Recipe& recipe) {
    if (recipe.native.recipe != NativeKind::Mxfp8BlockScaling) return tr("Only MXFP8BlockScaling reads it.");
    return recipe.native.mxScaleMode == recipe::MxScaleMode::Te
               ? tr("Scales are rounded up exactly: nothing saturates.")
               : tr("As torchao's mode of that name.");
}

using Sentence = QString (*)(const Recipe&);

}  // namespace

QString familySentence(const Recipe& recipe, std::string_view key) {
    static constexpr std::pair<std::string_view, Sentence> sentences[] = {
        {"ao.config", configSentence},
        {"ao.pad_inner_dim", paddingSentence},
        {"ao.enable_fsdp_float8_all_gather", allGatherSentence},
        {"native.recipe", kindSentence},
        {"native.fp8_format", nativeFormatSentence},
        {"native.use_power_2_scales", powerSentence},
        {"native.amax_epsilon", epsilonSentence},
        {"native.use_f32_scales", f32Sentence},
        {"native.enable_2d_quantization", squareSentence},
        {"native.mx_scale_mode", modeSentence},
    };
    const auto* found = std::ranges::find(sentences, key, &std::pair<std::string_view, Sentence>::first);
    return found == std::end(sentences) ? QString() : found->second(recipe);
}

}  // namespace octet::ui
