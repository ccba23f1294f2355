// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/plan_notes.h"

#include <fmt/format.h>

#include "engine/core/text.h"
#include "engine/recipe/ao_config.h"
#include "engine/recipe/schema.h"

namespace octet::recipe {
namespace {

/// 9.0 -> 900, 10.0 -> 1000: compute capabilities in order.
long long capabilityOf(const Recipe& recipe) {
    const auto parts = split(recipe.target.computeCapability, '.');
    return parseInteger(parts[0]).value_or(0) * 100 + (parts.size() > 1 ? parseInteger(parts[1]).value_or(0) : 0);
}

void noteCapability(const Recipe& recipe, const char* what, long long from, long long below,
                    std::vector<std::string>& notes) {
    const long long capability = capabilityOf(recipe);
    if (capability >= from && capability < below) return;
    const std::string upTo = below < 10'000 ? fmt::format(" up to below {}.{}", below / 100, below % 100) : "";
    notes.push_back(
        fmt::format("On the target, compute capability {} cannot run it: {} needs {}.{}{}; Octet emulates it.",
                    recipe.target.computeCapability, what, from / 100, from % 100, upTo));
}

/// Fields of the native block that another recipe than the chosen one reads.
void noteUnread(const NativeRecipe& native, std::vector<std::string>& notes) {
    const NativeRecipe normal;
    const auto note = [&](bool changed, NativeKind a, NativeKind b, const char* key) {
        if (!changed || native.recipe == a || native.recipe == b) return;
        notes.push_back(fmt::format("{} has no effect: {} has no such field.", key, nameOf(native.recipe)));
    };
    using enum NativeKind;
    note(native.usePower2Scales, Float8CurrentScaling, Float8CurrentScaling, "use_power_2_scales");
    note(native.amaxEpsilon != normal.amaxEpsilon, Float8CurrentScaling, Float8BlockScaling, "amax_epsilon");
    note(native.useF32Scales, Float8BlockScaling, Float8BlockScaling, "use_f32_scales");
    note(native.enable2dQuantization, Mxfp8BlockScaling, Mxfp8BlockScaling, "enable_2d_quantization");
    note(native.mxScaleMode != normal.mxScaleMode, Mxfp8BlockScaling, Mxfp8BlockScaling, "mx_scale_mode");
    note(native.useFastAccum != normal.useFastAccum, Float8CurrentScaling, Mxfp8BlockScaling, "use_fast_accum");
}

}  // namespace

std::vector<std::string> aoNotes(const Recipe& recipe) {
    std::vector<std::string> notes;
    const AoFloat8 config = float8ConfigOf(recipe.ao);
    const bool fsdp2 = recipe.target.parallel == "fsdp2";
    if (config.enableFsdpFloat8AllGather && !fsdp2) {
        notes.emplace_back(
            "On the target, enable_fsdp_float8_all_gather outside FSDP2 makes new weights that the optimizer does not "
            "hold: they would not be trained. Octet trains them; export it as false.");
    }
    if (config.enableFsdpFloat8AllGather && fsdp2 && config.roundScalesToPowerOf2) {
        notes.emplace_back(
            "On the target, FP8 all-gather ignores round_scales_to_power_of_2: weight scales keep their mantissa.");
    }
    noteCapability(recipe, "FP8", 809, 100'000, notes);
    return notes;
}

std::vector<std::string> nativeNotes(const Recipe& recipe) {
    std::vector<std::string> notes;
    const NativeRecipe& native = recipe.native;
    noteUnread(native, notes);
    switch (native.recipe) {
        case NativeKind::Float8CurrentScaling:
            noteCapability(recipe, "FP8", 809, 100'000, notes);
            break;
        case NativeKind::Float8BlockScaling:
            noteCapability(recipe, "Float8BlockScaling", 900, 100'000, notes);
            break;
        case NativeKind::Mxfp8BlockScaling:
            noteCapability(recipe, "MXFP8BlockScaling", 1000, 1200, notes);
            if (native.mxScaleMode != MxScaleMode::Te) {
                notes.push_back(
                    fmt::format("On the target, mx_scale_mode {} is torchao's: Transformer Engine always "
                                "rounds up exactly.",
                                nameOf(native.mxScaleMode)));
            }
            break;
    }
    return notes;
}

}  // namespace octet::recipe
