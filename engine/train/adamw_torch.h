// SPDX-License-Identifier: Apache-2.0
// AdamW with decoupled weight decay on matrices (not on norms and biases) and clipping of the global gradient norm.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "engine/model/model_torch.h"
#include "engine/recipe/run_spec.h"

namespace octet::train {

class AdamW {
public:
    AdamW(const std::vector<model::NamedParameter>& parameters, const recipe::OptimizerSpec& spec);

    /// Norm of all gradients times `gradientScale` (1 / micro-batches); NaN or infinity when one of them is.
    [[nodiscard]] double gradientNorm(double gradientScale) const;

    /// One update from the gradients, clipped by their `norm` as torch.nn.utils.clip_grad_norm_ does, then cleared.
    /// A norm that is not finite spoils the weights, as it does there: nothing is hidden.
    void step(double learningRate, double gradientScale, double norm);

private:
    struct Group {
        std::vector<at::Tensor> parameters, firstMoments, secondMoments, steps;
        double weightDecay = 0;
    };
    void update(Group& group, const std::vector<at::Tensor>& gradients, double learningRate) const;

    recipe::OptimizerSpec m_spec;
    Group m_matrices, m_others;
};

}  // namespace octet::train
