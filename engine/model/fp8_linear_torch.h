// SPDX-License-Identifier: Apache-2.0
// The linear layer whose three GEMMs (fprop, dgrad, wgrad) each run in FP8 or in high precision, as an autograd
// function. Each operand is cast for its two GEMMs as the plan says; delayed scaling keeps its state here.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <optional>
#include <string>

#include "engine/backend/backend_torch.h"
#include "engine/model/operand_cast_torch.h"
#include "engine/recipe/training_plan.h"
#include "engine/scaling/delayed_scaling.h"

namespace octet::model {

/// The three tensors of a linear that are cast.
enum class OperandRole { Input, Weight, GradOutput };
inline constexpr std::array<const char*, 3> kOperandNames{"input", "weight", "grad_output"};

/// How the running pass treats FP8.
enum class PassMode {
    Train,  // casts feed the amax history
    EvalHighPrecision,
    EvalFp8,         // casts with the current scales, changes nothing
    EvalFp8Feeding,  // use_autocast_during_eval: casts raise row 0, as in TE
};

/// What is the same for every layer in one pass; owned by the model's caller and set before the pass.
struct PassContext {
    PassMode mode = PassMode::Train;
    numerics::StatisticsLevel level = numerics::StatisticsLevel::Errors;
    bool countExponents = false;
    bool bf16Activations = true;
    bool keepWeightCodes = false;   // later micro-batches of this step will reuse the weight codes
    bool reuseWeightCodes = false;  // this micro-batch takes the weight codes of the one before
    bool checkFinite = false;       // look for NaN and Inf in outputs and in operands that are not cast (costs a pass)
};

/// One operand's scaling state and what its last cast did. Where its two GEMMs take different casts (rows and columns,
/// 1x128 and 128x1), all of it is of the first one: fprop's for inputs and weights, dgrad's for gradients, unless that
/// GEMM runs in high precision.
struct OperandState {
    recipe::OperandCast cast;
    std::optional<scaling::DelayedScaling> scaling;  // ScalingKind::Delayed
    float castScale = 1.0f;                          // the scale of the last cast; 0 where it had many
    float scaleInvMin = 1.0f, scaleInvMax = 1.0f;    // TE's terms: smallest and largest 1 / scale
    std::optional<numerics::CastStatistics> last;    // empty until a cast in training
    std::optional<numerics::ExponentCounts> exponents;

    [[nodiscard]] bool isCold() const { return scaling && scaling->isCold(); }
};

class Fp8Linear {
public:
    /// @param weight [out, in] leaf; @param bias [out] leaf or nullopt
    /// @param plan   the casts of every GEMM; @param scaling needed where one of them is delayed
    Fp8Linear(const recipe::LayerPlan& plan, const std::optional<recipe::ScalingPlan>& scaling, at::Tensor weight,
              std::optional<at::Tensor> bias);

    /// @param x [..., in] float32 -> [..., out] float32 (bf16 values when the activations are bf16)
    at::Tensor forward(const at::Tensor& x, backend::Backend& backend, const PassContext& pass);

    /// Goes on with another plan; the scaling of every operand starts anew.
    void changePlan(const recipe::LayerPlan& plan, const std::optional<recipe::ScalingPlan>& scaling);

    /// One history update of every operand, at the end of a micro-batch.
    void updateScaling();

    [[nodiscard]] const recipe::LayerPlan& plan() const { return m_plan; }
    /// nullptr for an operand that no FP8 GEMM of this layer takes.
    [[nodiscard]] const OperandState* operand(OperandRole role) const;
    [[nodiscard]] const at::Tensor& weight() const { return m_weight; }
    [[nodiscard]] const std::optional<at::Tensor>& bias() const { return m_bias; }

    /// First tensor of the last pass that held NaN or Inf: "input", "weight", "output", "grad_output"; nullptr when
    /// none did. Outputs, and operands that are not cast, are looked at only when the pass asked for it (checkFinite).
    [[nodiscard]] const char* firstNotFinite() const { return m_firstNotFinite; }

private:
    friend struct LinearFunction;
    /// What the two GEMMs that take an operand multiply: fprop's and wgrad's input, fprop's and dgrad's weight, dgrad's
    /// and wgrad's gradient.
    struct BothUses {
        backend::Operand first, second;
    };
    /// @param firstOnly  evaluation: no backward pass follows
    BothUses operandsFor(OperandRole role, const at::Tensor& in, bool firstOnly);
    BothUses castBoth(OperandRole role, const at::Tensor& in, bool firstOnly);
    [[nodiscard]] bool runsFp8(recipe::Gemm gemm) const;
    backend::Operand castUse(OperandRole role, const at::Tensor& in, bool second, CastOutcome& outcome);
    void noteCast(OperandRole role, const at::Tensor& in, const CastOutcome& outcome);
    void noteNotFinite(const char* name, const numerics::CastStatistics& statistics);
    void checkFinite(const char* name, const at::Tensor& tensor);

    recipe::LayerPlan m_plan;
    std::array<std::optional<OperandState>, 3> m_operands;
    at::Tensor m_weight;
    std::optional<at::Tensor> m_bias;
    std::optional<BothUses> m_weightCodes;  // of the first micro-batch, when they are reused
    // Of the running pass; backward runs in the pass that forward began.
    backend::Backend* m_backend = nullptr;
    PassContext m_pass;
    const char* m_firstNotFinite = nullptr;
};

}  // namespace octet::model
