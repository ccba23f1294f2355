// SPDX-License-Identifier: Apache-2.0
#include "engine/model/gpt_torch.h"

#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/gelu.h>

#include "engine/model/attention_torch.h"

namespace octet::model {

Gpt::Gpt(const arch::ModelSpec& spec, const recipe::TrainingPlan& plan, uint64_t seed)
    : Model(spec, plan, seed),
      m_tokens(parameter("transformer.wte.weight")),
      m_positions(parameter("transformer.wpe.weight")),
      m_norm(norm("transformer.ln_f")),
      m_head(linear("lm_head")) {
    for (int64_t i = 0; i < spec.layers; ++i) {
        const std::string at = "transformer.h." + std::to_string(i);
        m_blocks.push_back({norm(at + ".ln_1"), linear(at + ".attn.c_attn"), linear(at + ".attn.c_proj"),
                            norm(at + ".ln_2"), linear(at + ".mlp.c_fc"), linear(at + ".mlp.c_proj")});
    }
}

at::Tensor Gpt::attention(const Block& block, const at::Tensor& x, backend::Backend& backend,
                          const PassContext& pass) const {
    const at::Tensor qkv = block.qkv->forward(x, backend, pass);
    const int64_t d = spec().d;
    const at::Tensor mixed =
        mixHeads(qkv.narrow(-1, 0, d), qkv.narrow(-1, d, d), qkv.narrow(-1, 2 * d, d), spec().heads, /*causal=*/true);
    return block.projection->forward(mixed, backend, pass);
}

at::Tensor Gpt::loss(const at::Tensor& tokens, backend::Backend& backend, const PassContext& pass) {
    const int64_t length = tokens.size(1) - 1;
    at::Tensor x = at::embedding(m_tokens, tokens.narrow(1, 0, length)).add(m_positions.narrow(0, 0, length));
    for (const Block& block : m_blocks) {
        x = x.add(attention(block, layerNorm(x, block.attentionNorm), backend, pass));
        const at::Tensor up = block.up->forward(layerNorm(x, block.feedForwardNorm), backend, pass);
        x = x.add(block.down->forward(at::gelu(up), backend, pass));
    }
    const at::Tensor logits = m_head->forward(layerNorm(x, m_norm), backend, pass);
    return at::cross_entropy_loss(logits.view({-1, spec().vocab}), tokens.narrow(1, 1, length).reshape({-1}));
}

}  // namespace octet::model
