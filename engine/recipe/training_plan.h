// SPDX-License-Identifier: Apache-2.0
// From what a recipe asks to what a training run does: the delayed-scaling rule and the decision for every layer.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/arch/module_list.h"
#include "engine/core/result.h"
#include "engine/numerics/fp8_format.h"
#include "engine/recipe/recipe.h"

namespace octet::recipe {

/// Delayed scaling of one run, after the library (or the documentation) has had its say.
struct ScalingPlan {
    numerics::Fp8Format forward = numerics::Fp8Format::E4M3;   // inputs and weights
    numerics::Fp8Format backward = numerics::Fp8Format::E5M2;  // gradients of outputs
    int margin = 0;
    int historyLen = 1024;
    AmaxAlgo algo = AmaxAlgo::Max;
    int interval = 1;  // > 1 only with documented semantics
};

/// Which library's arithmetic makes the scale.
enum class ScalingKind : uint8_t {
    Delayed,    // TE: from the history of amaxes
    TeCurrent,  // TE: from the tensor's own amax, in float32
    TeBlock,    // TE: per block, in float32, rounded down to a power of two unless told otherwise
    Mx,         // one E8M0 scale per 32 values
    Torchao,    // torchao: max / amax in double, dequantised by division
};

/// Values that share one scale. Rows and blocks run along the dimension that the GEMM contracts.
enum class Granularity : uint8_t { Tensor, Row, Block1x128, Block128x128, Block1x32, Block32x32 };

/// How one operand of one GEMM is cast.
struct OperandCast {
    bool fp8 = false;  // false: high precision
    numerics::Fp8Format format = numerics::Fp8Format::E4M3;
    ScalingKind scaling = ScalingKind::Delayed;
    Granularity granularity = Granularity::Tensor;
    bool powerOfTwo = false;
    float amaxEpsilon = 0;
    MxScaleMode mxMode = MxScaleMode::Te;
    bool operator==(const OperandCast&) const = default;

    [[nodiscard]] bool hasManyScales() const { return fp8 && granularity != Granularity::Tensor; }
};

/// One of a layer's three GEMMs: fprop y = x w^T (a = x, b = w), dgrad dx = dy w (a = dy, b = w),
/// wgrad dw = dy^T x (a = dy, b = x).
struct GemmPlan {
    bool fp8 = false;               // multiplied in FP8
    bool dequantised = false;       // multiplied in high precision from dequantised FP8 operands (backward_override)
    bool fastAccumulation = false;  // asked of the GPU's GEMM; the CPU accumulates in float32
    OperandCast a, b;
    bool operator==(const GemmPlan&) const = default;
};

/// What one Linear does in training.
struct LayerPlan {
    std::string name;
    int64_t outFeatures = 0;
    int64_t inFeatures = 0;
    bool converted = false;                        // at least one GEMM runs in FP8
    std::array<bool, 3> fp8{false, false, false};  // fprop, dgrad, wgrad
    std::string reason;                            // one sentence: which rule decided, with its source
    std::array<GemmPlan, 3> gemms{};               // fp8[i] == gemms[i].fp8
};

struct TrainingPlan {
    bool fp8 = false;                    // false: the BF16 baseline
    std::optional<ScalingPlan> scaling;  // delayed scaling, where an operand has it
    bool fp8DuringEval = false;          // evaluation runs inside FP8 and feeds the amax histories
    std::vector<LayerPlan> layers;       // every Linear, in module order
    std::vector<std::string> notes;      // what was asked and does not happen, one sentence each
};

/// The cast that an operand's series and statistics are of: that of the first FP8 GEMM that takes it, in the order
/// fprop, dgrad, wgrad; nullptr when there is none. @param operand  0 input, 1 weight, 2 grad_output
[[nodiscard]] const OperandCast* firstCastOf(const LayerPlan& layer, size_t operand);

/// "E4M3", "E4M3 a row", "E5M2 1x32": format and what shares a scale; "high" without FP8.
[[nodiscard]] std::string castText(const OperandCast& cast);

/// "E5M2 x E4M3", "E4M3 1x128 by E4M3 128x128"; empty in high precision.
[[nodiscard]] std::string gemmText(const GemmPlan& gemm);

/// Decides every layer and every cast. Refuses what the libraries refuse (E5M2 under `library`, torchao's mixed
/// operands), with a sentence that says so.
[[nodiscard]] Result<TrainingPlan> planTraining(const Recipe& recipe, const std::vector<arch::Module>& modules);

}  // namespace octet::recipe
