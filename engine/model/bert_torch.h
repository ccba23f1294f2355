// SPDX-License-Identifier: Apache-2.0
// A BERT that guesses masked bytes: LayerNorm after each part, learned positions, attention both ways, GELU. Names are
// Hugging Face's BertForMaskedLM.
#pragma once

#include "engine/model/model_torch.h"

namespace octet::model {

/// Which positions are asked about and what the model sees there: of 15 % of the positions, 80 % become [MASK], 10 %
/// any byte, 10 % stay. Fixed by the seed and the text itself, so every recipe, and every pass, asks the same.
struct MaskedTokens {
    at::Tensor seen;     // [batch, ctx] int64
    at::Tensor targets;  // the same, -100 where nothing is asked
};
[[nodiscard]] MaskedTokens maskTokens(const at::Tensor& tokens, int64_t vocab, uint64_t seed);

class Bert final : public Model {
public:
    Bert(const arch::ModelSpec& spec, const recipe::TrainingPlan& plan, uint64_t seed);
    at::Tensor loss(const at::Tensor& tokens, backend::Backend& backend, const PassContext& pass) override;

private:
    struct Block {
        Fp8Linear *query, *key, *value, *output;
        Norm attentionNorm;
        Fp8Linear *up, *down;
        Norm outputNorm;
    };

    uint64_t m_seed;
    std::vector<Block> m_blocks;
    at::Tensor m_tokens, m_positions;
    Norm m_embeddingNorm, m_headNorm;
    Fp8Linear *m_transform, *m_decoder;
};

}  // namespace octet::model
