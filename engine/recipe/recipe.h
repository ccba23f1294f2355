// SPDX-License-Identifier: Apache-2.0
// The recipe as a value: what a person asks for. What really happens is in training_plan.h.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/scaling/delayed_scaling.h"

namespace octet::recipe {

enum class Backend { None, Te, Ao, Native };
enum class Semantics { Library, Documented };
enum class TeFormat { Hybrid, E4M3, E5M2 };
using scaling::AmaxAlgo;
/// Layers in FP8 before filters and rules. TorchaoAuto: torchao's thresholds, below which float8 was slower.
enum class LayerBase { Accelerate, All, None, TorchaoAuto };

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

/// AORecipeKwargs.config: None lets Accelerate build the tensorwise config from its own two booleans; the named ones
/// are Float8LinearConfig.from_recipe_name(name); Custom is a Float8LinearConfig of its own (AoFloat8).
enum class AoConfig { None, Tensorwise, Rowwise, RowwiseWithGwHp, Custom };

/// One torchao CastConfig in torchao's short form. Default: tensorwise with the operand's default type (input and
/// weight e4m3, grad_output e5m2); for the three `..._for_...` fields: as the operand's first cast.
enum class AoCast { Default, DynTenE4M3, DynTenE5M2, DynAxsE4M3, DynAxsE5M2, Disabled };

/// torchao's Float8LinearConfig, with its defaults. Read only when AoRecipe::config is Custom.
struct AoFloat8 {
    AoCast input = AoCast::Default;
    AoCast inputForGradWeight = AoCast::Default;
    AoCast weight = AoCast::Default;
    AoCast weightForGradInput = AoCast::Default;
    AoCast gradOutput = AoCast::Default;
    AoCast gradOutputForGradWeight = AoCast::Default;
    std::array<bool, 3> useFastAccum{true, false, false};  // output, grad_input, grad_weight
    bool enableFsdpFloat8AllGather = false;
    bool padInnerDim = false;
    bool emulate = false;
    bool roundScalesToPowerOf2 = false;
    bool operator==(const AoFloat8&) const = default;
};

/// Fields of Accelerate's AORecipeKwargs, with Accelerate's defaults. Its module_filter_func is Layers.
struct AoRecipe {
    AoConfig config = AoConfig::None;
    bool padInnerDim = true;                // only read when config is None
    bool enableFsdpFloat8AllGather = true;  // only read when config is None
    AoFloat8 float8;
    bool operator==(const AoRecipe&) const = default;
};

/// Recipes of Transformer Engine that Accelerate cannot reach, and MX training by torchao's scale modes.
enum class NativeKind { Float8CurrentScaling, Float8BlockScaling, Mxfp8BlockScaling };
/// Default: HYBRID for current scaling, E4M3 for block and MX scaling, as in TE.
enum class NativeFormat { Default, Hybrid, E4M3, E5M2 };
/// How the E8M0 scale of an MX block is made. Te rounds up exactly; the others are torchao's ScaleCalculationMode.
enum class MxScaleMode { Te, Floor, Ceil, Even, Rceil };
/// TE's backward_override: dgrad and wgrad in high precision, from the original or from the dequantised operands.
enum class BackwardOverride { None, HighPrecision, Dequantized };

struct NativeRecipe {
    NativeKind recipe = NativeKind::Float8CurrentScaling;
    NativeFormat fp8Format = NativeFormat::Default;
    bool usePower2Scales = false;               // current scaling
    double amaxEpsilon = 0;                     // current and block scaling: amax below it is raised to it
    bool useF32Scales = false;                  // block scaling: no rounding down to a power of two
    bool enable2dQuantization = false;          // MX: one scale per 32x32 for weights
    MxScaleMode mxScaleMode = MxScaleMode::Te;  // MX
    BackwardOverride backwardOverride = BackwardOverride::None;
    std::array<bool, 3> useFastAccum{true, false, false};  // fprop, dgrad, wgrad; block scaling never uses it
    bool operator==(const NativeRecipe&) const = default;
};

/// What a layer rule may change in the layers that it takes; Inherit: as the recipe says.
enum class RuleFormat { Inherit, Hybrid, E4M3, E5M2 };
enum class RuleScaling { Inherit, Delayed, Current, Block, Mxfp8, Tensorwise, Rowwise };

/// One ordered rule of the layer filter; the first rule that matches a layer decides.
struct LayerRule {
    std::string match;                              // glob, or "re:" and a regular expression that is searched
    bool keep = false;                              // keep the whole layer in high precision
    std::array<bool, 3> high{false, false, false};  // these GEMMs in high precision
    std::string why;
    RuleFormat format = RuleFormat::Inherit;
    RuleScaling scaling = RuleScaling::Inherit;
    bool operator==(const LayerRule&) const = default;
};

struct Layers {
    LayerBase base = LayerBase::Accelerate;
    std::vector<LayerRule> rules{};
    std::vector<std::string> filterFqns{};  // torchtitan: names that hold one of these stay in high precision
    int numLayersAtStartInBf16 = 0;         // Megatron: whole blocks, counted from the first
    int numLayersAtEndInBf16 = 0;           // ... and from the last
    bool operator==(const Layers&) const = default;
};

struct Recipe {
    std::string name;
    Backend backend = Backend::Te;
    Semantics semantics = Semantics::Library;
    Target target;
    TeRecipe te;
    AoRecipe ao;
    NativeRecipe native;
    Layers layers;
    bool operator==(const Recipe&) const = default;
};

}  // namespace octet::recipe
