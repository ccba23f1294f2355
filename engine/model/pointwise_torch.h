// SPDX-License-Identifier: Apache-2.0
// Pointwise parts of a Llama block as fused autograd functions: one pass each way instead of several temporaries.
#pragma once

#include <ATen/core/Tensor.h>

namespace octet::model {

/// y = x / sqrt(mean(x^2) + 1e-6) * weight over the last dimension.
/// @param x [..., d] float32; @param weight [d]
at::Tensor rmsNorm(const at::Tensor& x, const at::Tensor& weight);

/// Rotary position embedding on the two halves of the last dimension (Hugging Face's layout).
/// @param x [b, t, heads, d] float32, contiguous; @param cos, sin [t, d / 2]
at::Tensor rotateHalves(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin);

}  // namespace octet::model
