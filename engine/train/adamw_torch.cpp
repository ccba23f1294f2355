// SPDX-License-Identifier: Apache-2.0
#include "engine/train/adamw_torch.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <cmath>

namespace octet::train {
namespace {

constexpr double kEpsilon = 1e-8;
constexpr double kClipEpsilon = 1e-6;  // clip_grad_norm_'s

std::vector<at::Tensor> gradientsOf(const std::vector<at::Tensor>& parameters) {
    std::vector<at::Tensor> gradients;
    for (const at::Tensor& parameter : parameters)
        gradients.push_back(parameter.grad());
    return gradients;
}

double sumOfSquares(const std::vector<at::Tensor>& tensors) {
    double sum = 0;
    for (const at::Tensor& tensor : tensors) {
        const double norm = at::linalg_vector_norm(tensor).item<double>();
        sum += norm * norm;
    }
    return sum;
}

}  // namespace

AdamW::AdamW(const std::vector<model::NamedParameter>& parameters, const recipe::OptimizerSpec& spec) : m_spec(spec) {
    m_matrices.weightDecay = spec.weightDecay;
    for (const model::NamedParameter& parameter : parameters) {
        Group& group = parameter.value.dim() >= 2 ? m_matrices : m_others;
        group.parameters.push_back(parameter.value);
        group.firstMoments.push_back(at::zeros_like(parameter.value));
        group.secondMoments.push_back(at::zeros_like(parameter.value));
        group.steps.push_back(at::zeros({}, at::kFloat));
    }
}

double AdamW::gradientNorm(double gradientScale) const {
    const at::NoGradGuard noGrad;
    return gradientScale *
           std::sqrt(sumOfSquares(gradientsOf(m_matrices.parameters)) + sumOfSquares(gradientsOf(m_others.parameters)));
}

void AdamW::step(double learningRate, double gradientScale, double norm) {
    const at::NoGradGuard noGrad;
    double factor = m_spec.clipNorm > 0 ? m_spec.clipNorm / (norm + kClipEpsilon) : 1.0;
    if (factor > 1.0) factor = 1.0;
    for (Group* group : {&m_matrices, &m_others}) {
        const auto gradients = gradientsOf(group->parameters);
        if (factor * gradientScale != 1.0) at::_foreach_mul_(gradients, factor * gradientScale);
        update(*group, gradients, learningRate);
        for (const at::Tensor& parameter : group->parameters)
            parameter.mutable_grad() = at::Tensor();
    }
}

void AdamW::update(Group& group, const std::vector<at::Tensor>& gradients, double learningRate) const {
    if (group.parameters.empty()) return;
    for (const at::Tensor& count : group.steps)
        count.add_(1);
    const std::vector<at::Tensor> noMaxima;
    at::_fused_adamw_(group.parameters, gradients, group.firstMoments, group.secondMoments, noMaxima, group.steps,
                      learningRate, m_spec.beta1, m_spec.beta2, group.weightDecay, kEpsilon, /*amsgrad=*/false,
                      /*maximize=*/false);
}

}  // namespace octet::train
