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

}  // namespace

/// Autograd function; inputs x [t, k], w [n, k], bias [n] or none, and the layer, which its model keeps alive.
struct LinearFunction : torch::autograd::Function<LinearFunction> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& w,
                              const std::optional<at::Tensor>& bias, int64_t layerAddress) {
        Fp8Linear& layer = *reinterpret_cast<Fp8Linear*>(layerAddress);
        const bool fprop = layer.runsFp8(Gemm::Fprop), dgrad = layer.runsFp8(Gemm::Dgrad);
        const bool wgrad = layer.runsFp8(Gemm::Wgrad);
        Operand xCast, wCast, xHigh, wHigh;
        if (fprop || wgrad) xCast = layer.castOperand(OperandRole::Input, x);
        if (fprop || dgrad) wCast = layer.castOperand(OperandRole::Weight, w);
        if (!fprop || !wgrad) xHigh = layer.highPrecisionOperand(OperandRole::Input, x);
        if (!fprop || !dgrad) wHigh = layer.highPrecisionOperand(OperandRole::Weight, w);
        const bool bf16 = layer.m_pass.bf16Activations;
        GemmResult result{bf16, std::nullopt};
        if (bias) result.bias = layer.m_backend->highPrecision(*bias, bf16).values;
        const at::Tensor y =
            layer.m_backend->matmul({fprop ? xCast : xHigh}, {fprop ? wCast : wHigh, Layout::Transposed}, result);
        layer.checkFinite("output", y);
        if (layer.m_pass.mode == PassMode::Train) {
            const Operand& xSaved = wgrad ? xCast : xHigh;
            const Operand& wSaved = dgrad ? wCast : wHigh;
            context->save_for_backward({xSaved.values, wSaved.values});
            context->saved_data["x_scale_inv"] = static_cast<double>(xSaved.scaleInv);
            context->saved_data["w_scale_inv"] = static_cast<double>(wSaved.scaleInv);
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
        const bool dgrad = layer.runsFp8(Gemm::Dgrad), wgrad = layer.runsFp8(Gemm::Wgrad);
        Operand dyCast, dyHigh;
        if (dgrad || wgrad) dyCast = layer.castOperand(OperandRole::GradOutput, dy);
        if (!dgrad || !wgrad) dyHigh = layer.highPrecisionOperand(OperandRole::GradOutput, dy);
        const GemmResult result{layer.m_pass.bf16Activations, std::nullopt};
        at::Tensor dx, db;
        if (context->needs_input_grad(0)) dx = layer.m_backend->matmul({dgrad ? dyCast : dyHigh}, {w}, result);
        at::Tensor dw = layer.m_backend->matmul({wgrad ? dyCast : dyHigh, Layout::Transposed}, {x}, result);
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
    if (!scaling) return;
    const auto [fprop, dgrad, wgrad] = plan.fp8;
    const std::array<bool, 3> used{fprop || wgrad, fprop || dgrad, dgrad || wgrad};
    for (size_t role = 0; role < used.size(); ++role) {
        if (!used[role]) continue;
        const bool gradient = role == static_cast<size_t>(OperandRole::GradOutput);
        const auto format = gradient ? scaling->backward : scaling->forward;
        m_operands[role].emplace(
            OperandState{scaling::DelayedScaling(ruleFor(*scaling, format)), format, 1.0f, {}, {}});
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
    return m_pass.mode != PassMode::EvalHighPrecision && m_plan.fp8[static_cast<size_t>(gemm)];
}

void Fp8Linear::noteNotFinite(const char* name, const numerics::CastStatistics& statistics) {
    if (!statistics.allFinite() && m_firstNotFinite == nullptr) m_firstNotFinite = name;
}

void Fp8Linear::checkFinite(const char* name, const at::Tensor& tensor) {
    if (!m_pass.checkFinite) return;
    const at::Tensor flat = tensor.contiguous();
    noteNotFinite(name, numerics::measureAmax({flat.const_data_ptr<float>(), static_cast<size_t>(flat.numel())}));
}

Operand Fp8Linear::castOperand(OperandRole role, const at::Tensor& in) {
    OperandState& state = *m_operands[static_cast<size_t>(role)];
    const bool training = m_pass.mode == PassMode::Train;
    const bool isWeight = role == OperandRole::Weight;
    if (isWeight && training && m_pass.reuseWeightCodes && m_weightCodes) {
        return *m_weightCodes;  // nothing is cast, so row 0 of the history stays 0
    }
    const auto level = training ? m_pass.level : numerics::StatisticsLevel::Amax;
    numerics::CastStatistics statistics;
    Operand operand =
        m_backend->cast(in, {state.format, state.scaling.scale(), m_pass.bf16Activations, level}, statistics);
    noteNotFinite(kOperandNames[static_cast<size_t>(role)], statistics);
    if (training || m_pass.mode == PassMode::EvalFp8Feeding) {
        // TE: an infinity enters the amax, NaN elements do not.
        state.scaling.stage(statistics.infinities > 0 ? std::numeric_limits<float>::infinity() : statistics.amax);
    }
    if (!training) return operand;
    state.castScale = state.scaling.scale();
    state.last = statistics;
    state.exponents.reset();
    if (m_pass.countExponents) state.exponents = m_backend->exponents(in);
    if (isWeight && m_pass.keepWeightCodes) m_weightCodes = operand;
    return operand;
}

Operand Fp8Linear::highPrecisionOperand(OperandRole role, const at::Tensor& in) {
    checkFinite(kOperandNames[static_cast<size_t>(role)], in);
    return m_backend->highPrecision(in, m_pass.bf16Activations);
}

void Fp8Linear::updateScaling() {
    for (auto& operand : m_operands) {
        if (operand) operand->scaling.update();
    }
}

const OperandState* Fp8Linear::operand(OperandRole role) const {
    const auto& state = m_operands[static_cast<size_t>(role)];
    return state ? &*state : nullptr;
}

}  // namespace octet::model
