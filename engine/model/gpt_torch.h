// SPDX-License-Identifier: Apache-2.0
// A GPT: LayerNorm, learned positions, causal attention, GELU, untied head. Names are GPT-2's, but its projections are
// nn.Linear, so that they can run in FP8.
#pragma once

#include "engine/model/model_torch.h"

namespace octet::model {

class Gpt final : public Model {
public:
    Gpt(const arch::ModelSpec& spec, const recipe::TrainingPlan& plan, uint64_t seed);
    at::Tensor loss(const at::Tensor& tokens, backend::Backend& backend, const PassContext& pass) override;

private:
    struct Block {
        Norm attentionNorm;
        Fp8Linear *qkv, *projection;
        Norm feedForwardNorm;
        Fp8Linear *up, *down;
    };
    [[nodiscard]] at::Tensor attention(const Block& block, const at::Tensor& x, backend::Backend& backend,
                                       const PassContext& pass) const;

    std::vector<Block> m_blocks;
    at::Tensor m_tokens, m_positions;
    Norm m_norm;
    Fp8Linear* m_head;
};

}  // namespace octet::model
