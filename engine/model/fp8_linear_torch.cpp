// SPDX-License-Identifier: Apache-2.0
#include "engine/model/fp8_linear_torch.h"

#include <ATen/ops/sum.h>
#include <torch/csrc/autograd/custom_function.h>

#include <limits>

namespace octet::model {
namespace {

using backend::GemmResult;
using backend::Layout;
using backend::Operand;
using recipe::Gemm;
using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

at::Tensor rows(const at::Tensor& tensor) {
    return tensor.reshape({-1, tensor.size(-1)});
}

scaling::DelayedScalingRule ruleFor(const recipe::ScalingPlan& plan, numerics::Fp8Format format) {
    scaling::DelayedScalingRule rule;
    rule.fp8Max = numerics::fp8Max(format);
    rule.margin = plan.margin;
    rule.historyLen = plan.historyLen;
    rule.algo = plan.algo;
    rule.interval = plan.interval;
    return rule;
}

/// The GEMMs that take an operand, in the order of the pass, and the side on which they take it.
struct Use {
    Gemm gemm;
    recipe::OperandCast recipe::GemmPlan::*side;
    Contracts contracts;
};
constexpr std::array<std::array<Use, 2>, 3> kUses{
    {{{{Gemm::Fprop, &recipe::GemmPlan::a, Contracts::Columns}, {Gemm::Wgrad, &recipe::GemmPlan::b, Contracts::Rows}}},
     {{{Gemm::Fprop, &recipe::GemmPlan::b, Contracts::Columns}, {Gemm::Dgrad, &recipe::GemmPlan::b, Contracts::Rows}}},
     {{{Gemm::Dgrad, &recipe::GemmPlan::a, Contracts::Columns},
       {Gemm::Wgrad, &recipe::GemmPlan::a, Contracts::Rows}}}}};

const recipe::GemmPlan& gemmOf(const recipe::LayerPlan& plan, const Use& use) {
    return plan.gemms[static_cast<size_t>(use.gemm)];
}

}  // namespace

/// Autograd function; inputs x [t, k], w [n, k], bias [n] or none, and the layer, which its model keeps alive.
struct LinearFunction : torch::autograd::Function<LinearFunction> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& w,
                              const std::optional<at::Tensor>& bias, int64_t layerAddress) {
        Fp8Linear& layer = *reinterpret_cast<Fp8Linear*>(layerAddress);
        const bool training = layer.m_pass.mode == PassMode::Train;
        const auto xUses = layer.operandsFor(OperandRole::Input, x, !training);
        const auto wUses = layer.operandsFor(OperandRole::Weight, w, !training);
        const bool bf16 = layer.m_pass.bf16Activations;
        GemmResult result{bf16};
        const recipe::GemmPlan& fprop = layer.m_plan.gemms[0];
        result.biasAfterRounding = fprop.fp8 && fprop.a.scaling == recipe::ScalingKind::Torchao;
        if (bias) result.bias = layer.m_backend->highPrecision(*bias, bf16).values;
        const at::Tensor y = layer.m_backend->matmul({xUses.first}, {wUses.first, Layout::Transposed}, result);
        layer.checkFinite("output", y);
        if (training) {
            context->save_for_backward({xUses.second.values, wUses.second.values});
            context->saved_data["x_scale_inv"] = static_cast<double>(xUses.second.scaleInv);
            context->saved_data["w_scale_inv"] = static_cast<double>(wUses.second.scaleInv);
            context->saved_data["has_bias"] = bias.has_value();
            context->saved_data["layer"] = layerAddress;
        }
        return y;
    }

    static variable_list backward(AutogradContext* context, variable_list grads) {
        Fp8Linear& layer = *reinterpret_cast<Fp8Linear*>(context->saved_data["layer"].toInt());
        const auto saved = context->get_saved_variables();
        const Operand x{saved[0], static_cast<float>(context->saved_data["x_scale_inv"].toDouble())};
        const Operand w{saved[1], static_cast<float>(context->saved_data["w_scale_inv"].toDouble())};
        const at::Tensor& dy = grads[0];
        const auto dyUses = layer.operandsFor(OperandRole::GradOutput, dy, false);
        const GemmResult result{layer.m_pass.bf16Activations};
        at::Tensor dx, db;
        if (context->needs_input_grad(0)) dx = layer.m_backend->matmul({dyUses.first}, {w}, result);
        at::Tensor dw = layer.m_backend->matmul({dyUses.second, Layout::Transposed}, {x}, result);
        if (context->saved_data["has_bias"].toBool()) db = dy.sum(0);  // from high precision, as in TE
        return {dx, dw, db, Variable()};
    }
};

Fp8Linear::Fp8Linear(const recipe::LayerPlan& plan, const std::optional<recipe::ScalingPlan>& scaling,
                     at::Tensor weight, std::optional<at::Tensor> bias)
    : m_weight(std::move(weight)), m_bias(std::move(bias)) {
    changePlan(plan, scaling);
}

void Fp8Linear::changePlan(const recipe::LayerPlan& plan, const std::optional<recipe::ScalingPlan>& scaling) {
    m_plan = plan;
    m_operands = {};
    m_weightCodes.reset();
    for (size_t role = 0; role < m_operands.size(); ++role) {
        const recipe::OperandCast* cast = recipe::firstCastOf(plan, role);
        if (cast == nullptr) continue;
        OperandState state;
        state.cast = *cast;
        if (cast->scaling == recipe::ScalingKind::Delayed) {
            state.scaling.emplace(ruleFor(scaling.value(), cast->format));
        }
        m_operands[role].emplace(std::move(state));
    }
}

at::Tensor Fp8Linear::forward(const at::Tensor& x, backend::Backend& backend, const PassContext& pass) {
    m_backend = &backend;
    m_pass = pass;
    m_firstNotFinite = nullptr;
    auto sizes = x.sizes().vec();
    sizes.back() = m_weight.size(0);
    const auto address = reinterpret_cast<int64_t>(this);
    return LinearFunction::apply(rows(x), m_weight, m_bias, address).view(sizes);
}

bool Fp8Linear::runsFp8(Gemm gemm) const {
    return m_pass.mode != PassMode::EvalHighPrecision && m_plan.gemms[static_cast<size_t>(gemm)].fp8;
}

void Fp8Linear::noteNotFinite(const char* name, const numerics::CastStatistics& statistics) {
    if (!statistics.allFinite() && m_firstNotFinite == nullptr) m_firstNotFinite = name;
}

void Fp8Linear::checkFinite(const char* name, const at::Tensor& tensor) {
    if (!m_pass.checkFinite) return;
    const at::Tensor flat = tensor.contiguous();
    noteNotFinite(name, numerics::measureAmax({flat.const_data_ptr<float>(), static_cast<size_t>(flat.numel())}));
}

Fp8Linear::BothUses Fp8Linear::operandsFor(OperandRole role, const at::Tensor& in, bool firstOnly) {
    const bool reuses = role == OperandRole::Weight && m_pass.mode == PassMode::Train && m_pass.reuseWeightCodes;
    if (reuses && m_weightCodes) return *m_weightCodes;  // nothing is cast, so row 0 of the history stays 0
    BothUses uses = castBoth(role, in, firstOnly);
    if (role == OperandRole::Weight && m_pass.mode == PassMode::Train && m_pass.keepWeightCodes) m_weightCodes = uses;
    return uses;
}

Fp8Linear::BothUses Fp8Linear::castBoth(OperandRole role, const at::Tensor& in, bool firstOnly) {
    const auto& [first, second] = kUses[static_cast<size_t>(role)];
    const bool firstFp8 = runsFp8(first.gemm), secondFp8 = runsFp8(second.gemm) && !firstOnly;
    BothUses uses;
    std::optional<Operand> high;  // made when the first of the two needs it
    const auto highPrecision = [&] {
        if (!high) {
            checkFinite(kOperandNames[static_cast<size_t>(role)], in);
            high = m_backend->highPrecision(in, m_pass.bf16Activations);
        }
        return *high;
    };
    CastOutcome outcome;
    uses.first = firstFp8 ? castUse(role, in, false, outcome) : highPrecision();
    if (firstFp8) noteCast(role, in, outcome);
    if (firstOnly) return uses;
    const recipe::GemmPlan &firstGemm = gemmOf(m_plan, first), &secondGemm = gemmOf(m_plan, second);
    if (!secondFp8) {
        uses.second = firstFp8 && secondGemm.dequantised && role != OperandRole::GradOutput
                          ? m_backend->dequantised(uses.first, m_pass.bf16Activations)
                          : highPrecision();
        return uses;
    }
    const recipe::OperandCast &firstCast = firstGemm.*first.side, &secondCast = secondGemm.*second.side;
    if (firstFp8 && firstCast == secondCast && isDirectionless(firstCast)) {
        uses.second = uses.first;
        return uses;
    }
    uses.second = castUse(role, in, true, outcome);
    if (!firstFp8) noteCast(role, in, outcome);
    return uses;
}

Operand Fp8Linear::castUse(OperandRole role, const at::Tensor& in, bool second, CastOutcome& outcome) {
    const OperandState& state = *m_operands[static_cast<size_t>(role)];
    const Use& use = kUses[static_cast<size_t>(role)][second ? 1 : 0];
    CastRequest request;
    request.cast = gemmOf(m_plan, use).*use.side;
    request.contracts = use.contracts;
    request.delayedScale = state.scaling ? state.scaling->scale() : 1.0f;
    // torchao casts the weight from its storage type; TE and the baseline from the activations' type.
    const bool master = role == OperandRole::Weight && request.cast.scaling == recipe::ScalingKind::Torchao;
    request.roundInputToBf16 = m_pass.bf16Activations && !master;
    // The second of two casts is not recorded.
    const bool recorded =
        m_pass.mode == PassMode::Train && (!second || !runsFp8(kUses[static_cast<size_t>(role)][0].gemm));
    request.level = recorded ? m_pass.level : numerics::StatisticsLevel::Amax;
    return castOperand(*m_backend, in, request, outcome);
}

void Fp8Linear::noteCast(OperandRole role, const at::Tensor& in, const CastOutcome& outcome) {
    OperandState& state = *m_operands[static_cast<size_t>(role)];
    const numerics::CastStatistics& statistics = outcome.statistics;
    noteNotFinite(kOperandNames[static_cast<size_t>(role)], statistics);
    const bool training = m_pass.mode == PassMode::Train;
    if (state.scaling && (training || m_pass.mode == PassMode::EvalFp8Feeding)) {
        // TE: an infinity enters the amax, NaN elements do not.
        state.scaling->stage(statistics.infinities > 0 ? std::numeric_limits<float>::infinity() : statistics.amax);
    }
    if (!training) return;
    state.castScale = outcome.scale;
    state.scaleInvMin = outcome.scaleInvMin;
    state.scaleInvMax = outcome.scaleInvMax;
    state.last = statistics;
    state.exponents.reset();
    if (m_pass.countExponents) state.exponents = m_backend->exponents(in);
}

void Fp8Linear::updateScaling() {
    for (auto& operand : m_operands) {
        if (operand && operand->scaling) operand->scaling->update();
    }
}

const OperandState* Fp8Linear::operand(OperandRole role) const {
    const auto& state = m_operands[static_cast<size_t>(role)];
    return state ? &*state : nullptr;
}

}  // namespace octet::model
