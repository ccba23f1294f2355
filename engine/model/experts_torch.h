// SPDX-License-Identifier: Apache-2.0
// The feed-forward part of a Llama block, and a router with experts in its place, as in Mixtral.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "engine/model/fp8_linear_torch.h"

namespace octet::model {

/// SwiGLU: down(silu(gate(x)) * up(x)).
struct FeedForward {
    Fp8Linear* gate = nullptr;
    Fp8Linear* up = nullptr;
    Fp8Linear* down = nullptr;

    /// @param x [..., d]
    [[nodiscard]] at::Tensor forward(const at::Tensor& x, backend::Backend& backend, const PassContext& pass) const;
};

/// Every token goes to the two experts that its router likes best, weighed by their softmax among the two.
struct Experts {
    Fp8Linear* router = nullptr;
    std::vector<FeedForward> experts;

    /// @param x        [batch, tokens, d]
    /// @param balance  the load-balancing term is added to it (Switch Transformer): experts times the sum over experts
    /// of
    ///                 share of tokens x mean probability, 2 for an even load
    [[nodiscard]] at::Tensor forward(const at::Tensor& x, backend::Backend& backend, const PassContext& pass,
                                     at::Tensor& balance) const;
};

}  // namespace octet::model
