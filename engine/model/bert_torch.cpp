// SPDX-License-Identifier: Apache-2.0
#include "engine/model/bert_torch.h"

#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/gelu.h>

#include "engine/core/hash.h"
#include "engine/model/attention_torch.h"

namespace octet::model {
namespace {

constexpr double kAsked = 0.15, kMasked = 0.8, kReplaced = 0.9;  // the rest stays as it is
constexpr int64_t kNotAsked = -100;                              // cross_entropy_loss's ignore_index

uint64_t hashOfRow(const int64_t* row, int64_t length, uint64_t seed) {
    uint64_t state = mixed(seed);
    for (int64_t i = 0; i < length; ++i)
        state = mixed(state ^ static_cast<uint64_t>(row[i]));
    return state;
}

}  // namespace

MaskedTokens maskTokens(const at::Tensor& tokensIn, int64_t vocab, uint64_t seed) {
    const at::Tensor tokens = tokensIn.contiguous();
    MaskedTokens masked{tokens.clone(), at::empty_like(tokens)};
    const int64_t length = tokens.size(1);
    auto* seen = masked.seen.mutable_data_ptr<int64_t>();
    auto* targets = masked.targets.mutable_data_ptr<int64_t>();
    for (int64_t row = 0; row < tokens.size(0); ++row) {
        const int64_t* bytes = tokens.const_data_ptr<int64_t>() + row * length;
        const uint64_t state = hashOfRow(bytes, length, seed);
        const auto forced = static_cast<int64_t>(state % static_cast<uint64_t>(length));  // at least one is asked
        for (int64_t i = 0; i < length; ++i) {
            const uint64_t draw = state + 3 * static_cast<uint64_t>(i);
            const bool asked = i == forced || mixedUnit(draw) < kAsked;
            targets[row * length + i] = asked ? bytes[i] : kNotAsked;
            if (!asked) continue;
            const double what = mixedUnit(draw + 1);
            if (what < kMasked) {
                seen[row * length + i] = vocab;  // [MASK] is the embedding's last row
            } else if (what < kReplaced) {
                seen[row * length + i] = static_cast<int64_t>(mixedUnit(draw + 2) * static_cast<double>(vocab));
            }
        }
    }
    return masked;
}

Bert::Bert(const arch::ModelSpec& spec, const recipe::TrainingPlan& plan, uint64_t seed)
    : Model(spec, plan, seed),
      m_seed(seed),
      m_tokens(parameter("bert.embeddings.word_embeddings.weight")),
      m_positions(parameter("bert.embeddings.position_embeddings.weight")),
      m_embeddingNorm(norm("bert.embeddings.LayerNorm")),
      m_headNorm(norm("cls.predictions.transform.LayerNorm")),
      m_transform(linear("cls.predictions.transform.dense")),
      m_decoder(linear("cls.predictions.decoder")) {
    for (int64_t i = 0; i < spec.layers; ++i) {
        const std::string at = "bert.encoder.layer." + std::to_string(i);
        m_blocks.push_back({linear(at + ".attention.self.query"), linear(at + ".attention.self.key"),
                            linear(at + ".attention.self.value"), linear(at + ".attention.output.dense"),
                            norm(at + ".attention.output.LayerNorm"), linear(at + ".intermediate.dense"),
                            linear(at + ".output.dense"), norm(at + ".output.LayerNorm")});
    }
}

at::Tensor Bert::loss(const at::Tensor& tokens, backend::Backend& backend, const PassContext& pass) {
    const MaskedTokens masked = maskTokens(tokens, spec().vocab, m_seed);
    at::Tensor x = at::embedding(m_tokens, masked.seen).add(m_positions.narrow(0, 0, tokens.size(1)));
    x = layerNorm(x, m_embeddingNorm);
    for (const Block& block : m_blocks) {
        const at::Tensor mixed = mixHeads(block.query->forward(x, backend, pass), block.key->forward(x, backend, pass),
                                          block.value->forward(x, backend, pass), spec().heads, /*causal=*/false);
        x = layerNorm(x.add(block.output->forward(mixed, backend, pass)), block.attentionNorm);
        const at::Tensor up = at::gelu(block.up->forward(x, backend, pass));
        x = layerNorm(x.add(block.down->forward(up, backend, pass)), block.outputNorm);
    }
    x = layerNorm(at::gelu(m_transform->forward(x, backend, pass)), m_headNorm);
    const at::Tensor logits = m_decoder->forward(x, backend, pass);
    return at::cross_entropy_loss(logits.view({-1, spec().vocab}), masked.targets.view({-1}), {}, 1, kNotAsked);
}

}  // namespace octet::model
