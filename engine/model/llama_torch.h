// SPDX-License-Identifier: Apache-2.0
// A Llama: RMSNorm, rotary positions, causal attention, SwiGLU, untied head. With experts in place of the feed-forward
// it is a Mixtral. Names are Hugging Face's.
#pragma once

#include "engine/model/experts_torch.h"
#include "engine/model/model_torch.h"

namespace octet::model {

class Llama final : public Model {
public:
    Llama(const arch::ModelSpec& spec, const recipe::TrainingPlan& plan, uint64_t seed);
    at::Tensor loss(const at::Tensor& tokens, backend::Backend& backend, const PassContext& pass) override;

private:
    [[nodiscard]] bool hasExperts() const { return spec().kind == arch::ModelKind::Moe; }
    [[nodiscard]] FeedForward feedForwardAt(const std::string& gate, const std::string& up,
                                            const std::string& down) const;
    struct Block {
        Fp8Linear *q, *k, *v, *o;
        FeedForward feedForward;  // of a Llama
        Experts experts;          // of a Mixtral
        at::Tensor inputNorm, postAttentionNorm;
    };
    [[nodiscard]] at::Tensor attention(const Block& block, const at::Tensor& x, backend::Backend& backend,
                                       const PassContext& pass) const;
    std::vector<Block> m_blocks;
    at::Tensor m_embedding, m_norm, m_cos, m_sin;
    Fp8Linear* m_head;
};

}  // namespace octet::model
