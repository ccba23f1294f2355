// SPDX-License-Identifier: Apache-2.0
#include "engine/model/mlp_torch.h"

#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/gelu.h>

namespace octet::model {

Mlp::Mlp(const arch::ModelSpec& spec, const recipe::TrainingPlan& plan, uint64_t seed)
    : Model(spec, plan, seed), m_embedding(parameter("embed.weight")), m_head(linear("head")) {
    for (int64_t i = 0; i < spec.layers; ++i)
        m_hidden.push_back(linear("layers." + std::to_string(i)));
}

at::Tensor Mlp::loss(const at::Tensor& tokens, backend::Backend& backend, const PassContext& pass) {
    const int64_t window = tokens.size(1) - 1;
    at::Tensor x = at::embedding(m_embedding, tokens.narrow(1, 0, window)).flatten(1);
    for (Fp8Linear* hidden : m_hidden)
        x = at::gelu(hidden->forward(x, backend, pass));
    return at::cross_entropy_loss(m_head->forward(x, backend, pass), tokens.select(1, window));
}

}  // namespace octet::model
