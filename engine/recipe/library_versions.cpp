// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/library_versions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>

#include "engine/core/text.h"

namespace octet::recipe {
namespace {

using enum VersionFact;
constexpr Library kAccelerate = Library::Accelerate, kTe = Library::TransformerEngine, kTorchao = Library::Torchao;

// Sources name the sections of the libraries' own histories: pull requests and tags. Rows about Transformer
// Engine 1.13, 2.1, 2.2 and 2.20 were also seen by running those versions.
constexpr std::array kRules{
    VersionRule{AccelerateHybridDefault, kAccelerate, "0.34", "", "fp8_format defaults to HYBRID", "accelerate #3018"},
    VersionRule{AccelerateAo, kAccelerate, "1.4", "", "torchao can be the backend", "accelerate #3348"},
    VersionRule{AccelerateFileChoosesRecipe, kAccelerate, "1.9", "", "the config file alone selects the recipe",
                "accelerate #3677"},
    VersionRule{AccelerateMxfp8, kAccelerate, "1.11", "", "use_mxfp8_block_scaling exists", "accelerate #3688"},
    VersionRule{AccelerateNeedsTe2, kAccelerate, "1.11", "", "imports Transformer Engine's MXFP8 check in any case",
                "accelerate #3688"},
    VersionRule{AccelerateAoFlagsOn, kAccelerate, "1.13", "",
                "pad_inner_dim and enable_fsdp_float8_all_gather default to true", "accelerate #3831"},
    VersionRule{AccelerateMsampDeprecated, kAccelerate, "1.13", "", "MS-AMP is deprecated", "accelerate #3857"},
    VersionRule{AccelerateLegacyKwargs, kAccelerate, "", "2.0", "FP8RecipeKwargs exists",
                "its own deprecation warning"},
    VersionRule{TeMxfp8, kTe, "2.0", "", "MXFP8BlockScaling exists", "Transformer Engine 2.0"},
    VersionRule{TeMxfp8With2d, kTe, "2.20", "", "MXFP8BlockScaling has enable_2d_quantization",
                "seen in 2.20.2, not in 2.2.0"},
    VersionRule{TeInterval, kTe, "", "2.2", "DelayedScaling has interval and never uses it",
                "Transformer Engine #1607"},
    VersionRule{TeOverride, kTe, "", "2.0", "DelayedScaling has override_linear_precision",
                "Transformer Engine commit 544dd14b4"},
    VersionRule{TeCurrentScaling, kTe, "2.2", "", "Float8CurrentScaling exists", "Transformer Engine 2.2"},
    VersionRule{TeBlockScaling, kTe, "2.3", "", "Float8BlockScaling exists", "Transformer Engine 2.3"},
    VersionRule{TeInspectQuantizationNames, kTe, "2.14", "", "the debug feature is named DisableQuantizationGEMM",
                "Transformer Engine 2.14"},
    VersionRule{TorchaoForAccelerate, kTorchao, "0.6.1", "", "Accelerate accepts it", "accelerate utils/imports.py"},
    VersionRule{TorchaoRowwisePo2, kTorchao, "0.9", "", "rowwise recipes round scales to powers of two",
                "torchao #1670"},
};

/// Numbers between dots until the first part that is none.
std::array<long long, 3> numbersOf(const std::string& version) {
    std::array<long long, 3> numbers{};
    const auto parts = split(version, '.');
    for (size_t i = 0; i < std::min(parts.size(), numbers.size()); ++i) {
        const auto number = parseInteger(parts[i]);
        if (!number) break;
        numbers[i] = *number;
    }
    return numbers;
}

}  // namespace

std::span<const VersionRule> versionRules() {
    return kRules;
}

const VersionRule& ruleFor(VersionFact fact) {
    const auto* found = std::ranges::find(kRules, fact, &VersionRule::fact);
    assert(found != kRules.end());
    return *found;
}

bool holds(VersionFact fact, const Target& target) {
    const VersionRule& rule = ruleFor(fact);
    const std::string& version = versionIn(target, rule.library);
    return !isBefore(version, rule.from) && (!*rule.before || isBefore(version, rule.before));
}

const std::string& versionIn(const Target& target, Library library) {
    switch (library) {
        case Library::Accelerate:
            return target.accelerate;
        case Library::TransformerEngine:
            return target.transformerEngine;
        case Library::Torchao:
            break;
    }
    return target.torchao;
}

const char* libraryName(Library library) {
    static constexpr std::array names{"Accelerate", "Transformer Engine", "torchao"};
    return names[static_cast<size_t>(library)];
}

bool isBefore(const std::string& a, const std::string& b) {
    return numbersOf(a) < numbersOf(b);
}

std::string rangeText(const VersionRule& rule) {
    if (!*rule.from) return fmt::format("before {}", rule.before);
    return *rule.before ? fmt::format("from {} to before {}", rule.from, rule.before)
                        : fmt::format("from {}", rule.from);
}

}  // namespace octet::recipe
