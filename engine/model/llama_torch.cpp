// SPDX-License-Identifier: Apache-2.0
#include "engine/model/llama_torch.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/outer.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/scaled_dot_product_attention.h>

#include "engine/model/pointwise_torch.h"

namespace octet::model {

constexpr double kBalanceWeight = 0.02;  // Mixtral's router_aux_loss_coef

Llama::Llama(const arch::ModelSpec& spec, const recipe::TrainingPlan& plan, uint64_t seed) : Model(spec, plan, seed) {
    for (int64_t i = 0; i < spec.layers; ++i) {
        const std::string at = "model.layers." + std::to_string(i);
        Block block{linear(at + ".self_attn.q_proj"),
                    linear(at + ".self_attn.k_proj"),
                    linear(at + ".self_attn.v_proj"),
                    linear(at + ".self_attn.o_proj"),
                    {},
                    {},
                    parameter(at + ".input_layernorm.weight"),
                    parameter(at + ".post_attention_layernorm.weight")};
        if (hasExperts()) {
            block.experts.router = linear(at + ".block_sparse_moe.gate");
            for (int64_t expert = 0; expert < spec.experts; ++expert) {
                const std::string name = at + ".block_sparse_moe.experts." + std::to_string(expert);
                block.experts.experts.push_back(feedForwardAt(name + ".w1", name + ".w3", name + ".w2"));
            }
        } else {
            block.feedForward = feedForwardAt(at + ".mlp.gate_proj", at + ".mlp.up_proj", at + ".mlp.down_proj");
        }
        m_blocks.push_back(std::move(block));
    }
    m_embedding = parameter("model.embed_tokens.weight");
    m_norm = parameter("model.norm.weight");
    m_head = linear("lm_head");
    const int64_t headSize = spec.d / spec.heads;
    const at::Tensor exponents = at::arange(0, headSize, 2, at::kFloat).div(static_cast<double>(headSize));
    const at::Tensor angles = at::outer(at::arange(spec.ctx, at::kFloat), at::pow(10000.0, exponents.neg()));
    m_cos = angles.cos().contiguous();
    m_sin = angles.sin().contiguous();
}

at::Tensor Llama::attention(const Block& block, const at::Tensor& x, backend::Backend& backend,
                            const PassContext& pass) const {
    const int64_t heads = spec().heads, headSize = spec().d / heads;
    const auto byHead = [&](const at::Tensor& t) { return t.view({x.size(0), x.size(1), heads, headSize}); };
    const at::Tensor q = rotateHalves(byHead(block.q->forward(x, backend, pass)), m_cos, m_sin).transpose(1, 2);
    const at::Tensor k = rotateHalves(byHead(block.k->forward(x, backend, pass)), m_cos, m_sin).transpose(1, 2);
    const at::Tensor v = byHead(block.v->forward(x, backend, pass)).transpose(1, 2);
    const at::Tensor mixed = at::scaled_dot_product_attention(q, k, v, {}, 0.0, /*is_causal=*/true);
    return block.o->forward(mixed.transpose(1, 2).reshape(x.sizes()), backend, pass);
}

FeedForward Llama::feedForwardAt(const std::string& gate, const std::string& up, const std::string& down) const {
    return {linear(gate), linear(up), linear(down)};
}

at::Tensor Llama::loss(const at::Tensor& tokens, backend::Backend& backend, const PassContext& pass) {
    const int64_t length = tokens.size(1) - 1;
    at::Tensor x = at::embedding(m_embedding, tokens.narrow(1, 0, length)), balance;
    for (const Block& block : m_blocks) {
        x = x.add(attention(block, rmsNorm(x, block.inputNorm), backend, pass));
        const at::Tensor normed = rmsNorm(x, block.postAttentionNorm);
        x = x.add(hasExperts() ? block.experts.forward(normed, backend, pass, balance)
                               : block.feedForward.forward(normed, backend, pass));
    }
    const at::Tensor logits = m_head->forward(rmsNorm(x, m_norm), backend, pass);
    const at::Tensor targets = tokens.narrow(1, 1, length).reshape({-1});
    const at::Tensor loss = at::cross_entropy_loss(logits.view({-1, spec().vocab}), targets);
    if (!hasExperts()) return loss;
    // The balancing term has its gradient but not its value, so that losses stay comparable with other models.
    const at::Tensor term = balance.mul(kBalanceWeight / static_cast<double>(m_blocks.size()));
    return loss.add(term.sub(term.detach()));
}

}  // namespace octet::model
