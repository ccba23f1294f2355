// SPDX-License-Identifier: Apache-2.0
#include "engine/model/experts_torch.h"

#include <ATen/ops/index_select.h>
#include <ATen/ops/nonzero.h>
#include <ATen/ops/one_hot.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/topk.h>
#include <ATen/ops/zeros_like.h>

namespace octet::model {
namespace {

constexpr int64_t kExpertsPerToken = 2;

}  // namespace

at::Tensor FeedForward::forward(const at::Tensor& x, backend::Backend& backend, const PassContext& pass) const {
    const at::Tensor gated = gate->forward(x, backend, pass);
    const at::Tensor straight = up->forward(x, backend, pass);
    return down->forward(at::silu(gated).mul(straight), backend, pass);
}

at::Tensor Experts::forward(const at::Tensor& x, backend::Backend& backend, const PassContext& pass,
                            at::Tensor& balance) const {
    const auto count = static_cast<int64_t>(experts.size());
    const at::Tensor rows = x.reshape({-1, x.size(-1)});
    const at::Tensor probability = at::softmax(router->forward(rows, backend, pass), -1);  // [t, experts]
    const auto [best, chosen] = at::topk(probability, kExpertsPerToken, -1);               // [t, 2]
    const at::Tensor weights = best.div(best.sum(-1, true));
    at::Tensor mixed = at::zeros_like(rows);
    for (int64_t expert = 0; expert < count; ++expert) {
        const at::Tensor places = at::nonzero(chosen.eq(expert));  // [n, 2]: token, first or second choice
        const at::Tensor token = places.select(1, 0), rank = places.select(1, 1);
        // An expert without tokens runs on none, so that its casts are recorded like all others.
        const at::Tensor part =
            experts[static_cast<size_t>(expert)].forward(at::index_select(rows, 0, token), backend, pass);
        const at::Tensor weight = at::index_select(weights.view({-1}), 0, token.mul(kExpertsPerToken).add(rank));
        mixed = mixed.index_add(0, token, part.mul(weight.unsqueeze(-1)));
    }
    const at::Tensor share = at::one_hot(chosen, count).to(at::kFloat).sum(1).mean(0);  // [experts], sums to 2
    const at::Tensor term = share.mul(probability.mean(0)).sum().mul(static_cast<double>(count));
    balance = balance.defined() ? balance.add(term) : term;
    return mixed.view(x.sizes());
}

}  // namespace octet::model
