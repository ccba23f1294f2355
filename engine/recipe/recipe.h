// SPDX-License-Identifier: Apache-2.0
// The recipe as a value: what a person asks for. What really happens is in training_plan.h.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "engine/scaling/delayed_scaling.h"

namespace octet::recipe {

enum class Backend { None, Te, Ao, Native };
enum class Semantics { Library, Documented };
enum class TeFormat { Hybrid, E4M3, E5M2 };
using scaling::AmaxAlgo;
enum class LayerBase { Accelerate, All, None };

/// The three matrix products of a linear layer, in the order of override_linear_precision.
enum class Gemm { Fprop, Dgrad, Wgrad };
inline constexpr std::array<Gemm, 3> kGemms{Gemm::Fprop, Gemm::Dgrad, Gemm::Wgrad};
inline constexpr std::array<const char*, 3> kGemmNames{"fprop", "dgrad", "wgrad"};

/// Versions and hardware the recipe is meant for; decides what is refused and what is reported.
struct Target {
    std::string accelerate = "1.15.0";
    std::string transformerEngine = "2.20";
    std::string torchao = "0.18.0";
    std::string computeCapability = "9.0";
    std::string parallel = "none";
    bool operator==(const Target&) const = default;
};

/// Fields of Accelerate's TERecipeKwargs, with Accelerate's defaults.
struct TeRecipe {
    TeFormat fp8Format = TeFormat::Hybrid;
    int margin = 0;
    int interval = 1;
    int amaxHistoryLen = 1024;
    AmaxAlgo amaxComputeAlgo = AmaxAlgo::MostRecent;
    std::array<bool, 3> overrideLinearPrecision{false, false, false};  // fprop, dgrad, wgrad; true keeps it out of FP8
    bool useMxfp8BlockScaling = false;
    bool useAutocastDuringEval = false;
    bool operator==(const TeRecipe&) const = default;
};

/// One ordered rule of the layer filter; the first rule that matches a layer decides.
struct LayerRule {
    std::string match;                              // glob, or "re:" and a regular expression that is searched
    bool keep = false;                              // keep the whole layer in high precision
    std::array<bool, 3> high{false, false, false};  // these GEMMs in high precision
    std::string why;
    bool operator==(const LayerRule&) const = default;
};

struct Layers {
    LayerBase base = LayerBase::Accelerate;
    std::vector<LayerRule> rules;
    bool operator==(const Layers&) const = default;
};

struct Recipe {
    std::string name;
    Backend backend = Backend::Te;
    Semantics semantics = Semantics::Library;
    Target target;
    TeRecipe te;
    Layers layers;
    bool operator==(const Recipe&) const = default;
};

}  // namespace octet::recipe
