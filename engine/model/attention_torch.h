// SPDX-License-Identifier: Apache-2.0
// Parts that GPT and BERT share.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/scaled_dot_product_attention.h>

#include "engine/model/model_torch.h"

namespace octet::model {

inline at::Tensor layerNorm(const at::Tensor& x, const Norm& norm) {
    return at::layer_norm(x, {x.size(-1)}, norm.weight, norm.bias, 1e-5);
}

/// Attention over heads. @param q, k, v [batch, tokens, d]
inline at::Tensor mixHeads(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, int64_t heads, bool causal) {
    const auto byHead = [&](const at::Tensor& t) {
        return t.reshape({t.size(0), t.size(1), heads, t.size(2) / heads}).transpose(1, 2);
    };
    const at::Tensor mixed = at::scaled_dot_product_attention(byHead(q), byHead(k), byHead(v), {}, 0.0, causal);
    return mixed.transpose(1, 2).reshape(q.sizes());
}

}  // namespace octet::model
