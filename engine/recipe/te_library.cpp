// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/te_library.h"

#include <fmt/format.h>

#include <utility>

#include "engine/core/text.h"
#include "engine/recipe/schema.h"

namespace octet::recipe {
namespace {

using Version = std::pair<long long, long long>;  // major, minor

Version versionOf(const std::string& text) {
    const auto parts = split(text, '.');
    return {parseInteger(parts[0]).value_or(0), parts.size() > 1 ? parseInteger(parts[1]).value_or(0) : 0};
}

Error refused(std::string message, std::string hint) {
    return {ErrorCode::Refused, std::move(message), std::move(hint)};
}

std::optional<Error> mxfp8Refusal(const Recipe& recipe) {
    const Version capability = versionOf(recipe.target.computeCapability);
    if (capability < Version{10, 0} || capability >= Version{12, 0}) {
        return refused(
            fmt::format("Accelerate refuses use_mxfp8_block_scaling on compute capability {}: MXFP8 needs 10.0 "
                        "up to below 12.0.",
                        recipe.target.computeCapability),
            "Set use_mxfp8_block_scaling to false, or aim target.compute_capability at 10.0.");
    }
    const TeRecipe defaults;
    if (recipe.te.amaxComputeAlgo != defaults.amaxComputeAlgo) {
        return refused("Accelerate refuses amax_compute_algo max together with use_mxfp8_block_scaling.",
                       "Leave amax_compute_algo at most_recent: block scaling has no amax history.");
    }
    if (recipe.te.amaxHistoryLen != defaults.amaxHistoryLen) {
        return refused(
            fmt::format("Accelerate refuses amax_history_len {} together with use_mxfp8_block_scaling.",
                        recipe.te.amaxHistoryLen),
            fmt::format("Leave amax_history_len at {}: block scaling has no amax history.", defaults.amaxHistoryLen));
    }
    return std::nullopt;
}

std::string ignoredInterval(const Recipe& recipe) {
    const bool stored = versionOf(recipe.target.transformerEngine) < Version{2, 2};
    return fmt::format("interval {} has no effect: {}.", recipe.te.interval,
                       stored ? fmt::format("Transformer Engine {} stores it, warns, and never uses it",
                                            recipe.target.transformerEngine)
                              : "Transformer Engine has had no such field since 2.2");
}

}  // namespace

std::optional<Error> libraryRefusal(const Recipe& recipe) {
    if (versionOf(recipe.target.transformerEngine) < Version{2, 0}) {
        return refused(
            fmt::format("Accelerate {} cannot use Transformer Engine {}: it imports a check that exists since 2.0.",
                        recipe.target.accelerate, recipe.target.transformerEngine),
            "Aim target.transformer_engine at 2.0 or newer.");
    }
    if (recipe.te.useMxfp8BlockScaling) {
        if (auto refusal = mxfp8Refusal(recipe)) return refusal;
    }
    if (recipe.te.fp8Format == TeFormat::E5M2) {
        return refused("Transformer Engine refuses fp8_format E5M2: it does not train with E5M2 in both directions.",
                       "Use HYBRID or E4M3, or set semantics to documented to see in Octet what E5M2 would do.");
    }
    return std::nullopt;
}

std::vector<std::string> fieldsWithoutEffect(const Recipe& recipe) {
    std::vector<std::string> notes;
    const bool mxfp8 = recipe.te.useMxfp8BlockScaling;
    if (recipe.te.amaxComputeAlgo == AmaxAlgo::MostRecent && !mxfp8) {
        notes.emplace_back(
            "amax_compute_algo most_recent has no effect: it is Accelerate's own default and is never "
            "passed on, so Transformer Engine runs max.");
    }
    if (recipe.te.interval != 1) notes.push_back(ignoredInterval(recipe));
    const auto& high = recipe.te.overrideLinearPrecision;
    if (high != TeRecipe{}.overrideLinearPrecision) {
        notes.push_back(
            fmt::format("override_linear_precision has no effect: Transformer Engine has had no such field "
                        "since 2.0, so FP8 runs in {} too; a layer rule can keep a GEMM in high precision.",
                        gemmsText(high)));
    }
    if (mxfp8 && recipe.te.fp8Format == TeFormat::Hybrid) {
        notes.emplace_back(
            "fp8_format HYBRID has no effect: it is Accelerate's default and dropped, so MXFP8 runs E4M3.");
    }
    return notes;
}

std::vector<std::string> targetReports(const Recipe& recipe) {
    std::vector<std::string> notes;
    const std::string& parallel = recipe.target.parallel;
    if (parallel == "fsdp2") {
        notes.emplace_back(
            "On the target, FSDP2 swaps the layers but never enters FP8 autocast: nothing runs in FP8 there.");
    } else if (parallel == "deepspeed") {
        notes.emplace_back(
            "On the target, DeepSpeed ignores these settings and runs Transformer Engine's defaults (HYBRID, "
            "1024, max).");
    } else if (parallel == "megatron") {
        notes.emplace_back(
            "On the target, Accelerate converts nothing under Megatron; FP8 comes from the model's own "
            "configuration.");
    }
    if (versionOf(recipe.target.computeCapability) < Version{8, 9}) {
        notes.push_back(
            fmt::format("On the target, compute capability {} has no FP8: Accelerate warns and trains in fp16.",
                        recipe.target.computeCapability));
    }
    return notes;
}

std::string gemmsText(const std::array<bool, 3>& gemms) {
    std::vector<std::string> names;
    for (size_t i = 0; i < gemms.size(); ++i) {
        if (gemms[i]) names.emplace_back(kGemmNames[i]);
    }
    if (names.size() < 2) return names.empty() ? "none" : names[0];
    const std::string last = names.back();
    names.pop_back();
    return fmt::format("{} and {}", fmt::join(names, ", "), last);
}

}  // namespace octet::recipe
