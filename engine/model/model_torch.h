// SPDX-License-Identifier: Apache-2.0
// A model to train: parameters made from arch's module list (one source of names and shapes), its linears, its loss.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/arch/model_spec.h"
#include "engine/backend/backend_torch.h"
#include "engine/model/fp8_linear_torch.h"
#include "engine/recipe/training_plan.h"

namespace octet::model {

struct NamedParameter {
    std::string name;  // "model.norm.weight"
    at::Tensor value;  // leaf, float32
};

/// Weight and bias of a LayerNorm.
struct Norm {
    at::Tensor weight, bias;
};

class Model {
public:
    virtual ~Model() = default;
    Model(const Model&) = delete;
    Model& operator=(const Model&) = delete;

    /// Mean cross entropy in nats over the positions that are asked about, with a graph to walk back.
    /// @param tokens [batch, bytesPerSequence] int64, targets included
    virtual at::Tensor loss(const at::Tensor& tokens, backend::Backend& backend, const PassContext& pass) = 0;

    [[nodiscard]] const std::vector<NamedParameter>& parameters() const { return m_parameters; }
    /// Every Linear in module order; addresses stay.
    [[nodiscard]] const std::vector<std::unique_ptr<Fp8Linear>>& linears() const { return m_linears; }

    /// End of a micro-batch: every amax history takes what the casts left.
    void updateScaling();

protected:
    Model(const arch::ModelSpec& spec, const recipe::TrainingPlan& plan, uint64_t seed);
    [[nodiscard]] at::Tensor parameter(const std::string& name) const;
    [[nodiscard]] Norm norm(const std::string& name) const;
    [[nodiscard]] Fp8Linear* linear(const std::string& name) const;
    [[nodiscard]] const arch::ModelSpec& spec() const { return m_spec; }

private:
    arch::ModelSpec m_spec;
    std::vector<NamedParameter> m_parameters;
    std::vector<std::unique_ptr<Fp8Linear>> m_linears;
};

/// Builds the model of `spec` with start weights drawn from `seed`: equal seeds give equal bits, whatever the plan.
[[nodiscard]] std::unique_ptr<Model> buildModel(const arch::ModelSpec& spec, const recipe::TrainingPlan& plan,
                                                uint64_t seed);

/// Adds `size` times a normal sample to every parameter: the A/A twin of a baseline starts from weights moved by 1e-6.
void perturbParameters(Model& model, double size, uint64_t seed);

}  // namespace octet::model
