// SPDX-License-Identifier: Apache-2.0
// A Llama: RMSNorm, rotary positions, causal attention, SwiGLU, untied head. Names are Hugging Face's.
#pragma once

#include "engine/model/model_torch.h"

namespace octet::model {

class Llama final : public Model {
public:
    Llama(const arch::ModelSpec& spec, const recipe::TrainingPlan& plan, uint64_t seed);
    at::Tensor loss(const at::Tensor& tokens, backend::Backend& backend, const PassContext& pass) override;

private:
    struct Block {
        Fp8Linear *q, *k, *v, *o, *gate, *up, *down;
        at::Tensor inputNorm, postAttentionNorm;
    };
    [[nodiscard]] at::Tensor attention(const Block& block, const at::Tensor& x, backend::Backend& backend,
                                       const PassContext& pass) const;
    [[nodiscard]] at::Tensor feedForward(const Block& block, const at::Tensor& x, backend::Backend& backend,
                                         const PassContext& pass) const;

    std::vector<Block> m_blocks;
    at::Tensor m_embedding, m_norm, m_cos, m_sin;
    Fp8Linear* m_head;
};

}  // namespace octet::model
