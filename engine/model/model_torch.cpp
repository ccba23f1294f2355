// SPDX-License-Identifier: Apache-2.0
#include "engine/model/model_torch.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/normal.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <stdexcept>

#include "engine/arch/module_list.h"
#include "engine/model/bert_torch.h"
#include "engine/model/gpt_torch.h"
#include "engine/model/llama_torch.h"
#include "engine/model/mlp_torch.h"

namespace octet::model {
namespace {

/// Linears that write into the residual stream.
bool writesResidual(const std::string& name) {
    for (const char* end : {"o_proj", "down_proj", ".w2", "c_proj", "output.dense"}) {
        if (name.ends_with(end)) return true;
    }
    return false;
}

/// Standard deviation of a module's start weights. Linears that write into the residual stream start smaller, so that
/// its variance does not grow with depth; the head starts near zero, so that the first loss is that of a uniform guess.
double startDeviation(const arch::Module& module, const arch::ModelSpec& spec) {
    if (module.kind == arch::ModuleKind::Embedding) {
        const bool positions = module.name.ends_with("wpe") || module.name.ends_with("position_embeddings");
        return positions ? 0.1 : 0.5;
    }
    const double fanIn = 1.0 / std::sqrt(static_cast<double>(module.inFeatures()));
    if (writesResidual(module.name)) return fanIn / std::sqrt(2.0 * static_cast<double>(spec.layers));
    return module.name.ends_with("head") || module.name.ends_with("decoder") ? 0.1 * fanIn : fanIn;
}

at::Tensor startValue(const arch::Module& module, const arch::ModelSpec& spec, const at::Generator& random) {
    if (module.kind == arch::ModuleKind::RmsNorm || module.kind == arch::ModuleKind::LayerNorm) {
        return at::ones(module.dims, at::kFloat);
    }
    return at::empty(module.dims, at::kFloat).normal_(0.0, startDeviation(module, spec), random);
}

}  // namespace

Model::Model(const arch::ModelSpec& spec, const recipe::TrainingPlan& plan, uint64_t seed) : m_spec(spec) {
    const at::Generator random = at::detail::createCPUGenerator(seed);
    size_t nextLinear = 0;
    for (const arch::Module& module : arch::listModules(spec)) {
        at::Tensor weight = startValue(module, spec, random).set_requires_grad(true);
        m_parameters.push_back({module.name + ".weight", weight});
        std::optional<at::Tensor> bias;
        if (module.bias) {
            bias = at::zeros({module.outFeatures()}, at::kFloat).set_requires_grad(true);
            m_parameters.push_back({module.name + ".bias", *bias});
        }
        if (module.kind != arch::ModuleKind::Linear) continue;
        const recipe::LayerPlan& layer = plan.layers.at(nextLinear++);
        m_linears.push_back(std::make_unique<Fp8Linear>(layer, plan.scaling, weight, bias));
    }
}

void Model::updateScaling() {
    for (const auto& linear : m_linears)
        linear->updateScaling();
}

at::Tensor Model::parameter(const std::string& name) const {
    for (const NamedParameter& parameter : m_parameters) {
        if (parameter.name == name) return parameter.value;
    }
    throw std::logic_error("no parameter " + name);
}

Norm Model::norm(const std::string& name) const {
    return {parameter(name + ".weight"), parameter(name + ".bias")};
}

Fp8Linear* Model::linear(const std::string& name) const {
    for (const auto& linear : m_linears) {
        if (linear->plan().name == name) return linear.get();
    }
    throw std::logic_error("no linear " + name);
}

std::unique_ptr<Model> buildModel(const arch::ModelSpec& spec, const recipe::TrainingPlan& plan, uint64_t seed) {
    switch (spec.kind) {
        case arch::ModelKind::Llama:
        case arch::ModelKind::Moe:
            return std::make_unique<Llama>(spec, plan, seed);
        case arch::ModelKind::Gpt:
            return std::make_unique<Gpt>(spec, plan, seed);
        case arch::ModelKind::Bert:
            return std::make_unique<Bert>(spec, plan, seed);
        case arch::ModelKind::Mlp:
            break;
    }
    return std::make_unique<Mlp>(spec, plan, seed);
}

void perturbParameters(Model& model, double size, uint64_t seed) {
    const at::NoGradGuard noGrad;
    const at::Generator random = at::detail::createCPUGenerator(seed);
    for (const NamedParameter& parameter : model.parameters()) {
        parameter.value.add_(at::empty(parameter.value.sizes(), at::kFloat).normal_(0.0, size, random));
    }
}

}  // namespace octet::model
