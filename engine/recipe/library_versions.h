// SPDX-License-Identifier: Apache-2.0
// What changed between versions of Accelerate, Transformer Engine and torchao, as one table. Code asks whether a fact
// holds for a target; only this table knows versions.
#pragma once

#include <span>
#include <string>
#include <utility>

#include "engine/recipe/recipe.h"

namespace octet::recipe {

enum class Library { Accelerate, TransformerEngine, Torchao };

enum class VersionFact {
    AccelerateHybridDefault,      // fp8_format defaults to HYBRID
    AccelerateAo,                 // AORecipeKwargs
    AccelerateFileChoosesRecipe,  // the config file alone selects the backend
    AccelerateMxfp8,              // use_mxfp8_block_scaling
    AccelerateNeedsTe2,           // imports TE's MXFP8 check whether or not MXFP8 is asked
    AccelerateAoFlagsOn,          // pad_inner_dim and all-gather default to true
    AccelerateMsampDeprecated,
    AccelerateLegacyKwargs,  // FP8RecipeKwargs
    TeMxfp8,                 // MXFP8BlockScaling and the check that Accelerate imports
    TeMxfp8With2d,           // MXFP8BlockScaling.enable_2d_quantization
    TeInterval,              // DelayedScaling.interval is a field (never used)
    TeOverride,              // DelayedScaling.override_linear_precision is a field
    TeCurrentScaling,
    TeBlockScaling,
    TeInspectQuantizationNames,  // DisableQuantizationGEMM, in place of DisableFP8GEMM
    TorchaoForAccelerate,        // the oldest that Accelerate accepts
    TorchaoRowwisePo2,           // rowwise recipes round scales to powers of two
};

struct VersionRule {
    VersionFact fact;
    Library library;
    const char* from;    // first version in which it holds; "" since ever
    const char* before;  // first version in which it no longer holds; "" still
    const char* what;
    const char* source;
};

[[nodiscard]] std::span<const VersionRule> versionRules();
[[nodiscard]] const VersionRule& ruleFor(VersionFact fact);

/// Whether the fact holds for the version that the target names.
[[nodiscard]] bool holds(VersionFact fact, const Target& target);

[[nodiscard]] const std::string& versionIn(const Target& target, Library library);
[[nodiscard]] const char* libraryName(Library library);

/// Compares dotted versions number by number; "2.2" equals "2.2.0", and "1.15.0.dev0" counts as 1.15.0.
[[nodiscard]] bool isBefore(const std::string& a, const std::string& b);

/// "from 2.0", "before 2.2", "from 1.8 to before 2.2"
[[nodiscard]] std::string rangeText(const VersionRule& rule);

}  // namespace octet::recipe
