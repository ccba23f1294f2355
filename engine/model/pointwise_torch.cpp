// SPDX-License-Identifier: Apache-2.0
// Compiled with -fopenmp for at::parallel_for. Each row is done by one thread and the weight gradient is summed over
// fixed chunks of rows in order, so results do not depend on the number of threads.
#include "engine/model/pointwise_torch.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cmath>

namespace octet::model {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

constexpr float kEpsilon = 1e-6f;
constexpr int64_t kChunkRows = 64;

struct RmsNormFunction : torch::autograd::Function<RmsNormFunction> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& xIn, const at::Tensor& weight) {
        const at::Tensor x = xIn.contiguous();
        const int64_t d = x.size(-1), count = x.numel() / d;
        at::Tensor y = at::empty_like(x), inverse = at::empty({count}, x.options());
        const float* px = x.const_data_ptr<float>();
        const float* pw = weight.const_data_ptr<float>();
        auto* py = y.mutable_data_ptr<float>();
        auto* pi = inverse.mutable_data_ptr<float>();
        at::parallel_for(0, count, kChunkRows, [&](int64_t begin, int64_t end) {
            for (int64_t r = begin; r < end; ++r) {
                const float* row = px + r * d;
                float sum = 0;
#pragma omp simd reduction(+ : sum)
                for (int64_t i = 0; i < d; ++i)
                    sum += row[i] * row[i];
                const float scale = 1.0f / std::sqrt(sum / static_cast<float>(d) + kEpsilon);
                pi[r] = scale;
                for (int64_t i = 0; i < d; ++i)
                    py[r * d + i] = row[i] * scale * pw[i];
            }
        });
        context->save_for_backward({x, weight, inverse});
        return y;
    }

    static variable_list backward(AutogradContext* context, variable_list grads) {
        const auto saved = context->get_saved_variables();
        const at::Tensor &x = saved[0], &weight = saved[1], &inverse = saved[2];
        const at::Tensor dy = grads[0].contiguous();
        const int64_t d = x.size(-1), count = x.numel() / d, chunks = (count + kChunkRows - 1) / kChunkRows;
        at::Tensor dx = at::empty_like(x), partial = at::zeros({chunks, d}, x.options());
        const float* pi = inverse.const_data_ptr<float>();
        at::parallel_for(0, chunks, 1, [&](int64_t begin, int64_t end) {
            for (int64_t chunk = begin; chunk < end; ++chunk) {
                auto* dw = partial.mutable_data_ptr<float>() + chunk * d;
                const int64_t last = std::min(count, (chunk + 1) * kChunkRows);
                for (int64_t r = chunk * kChunkRows; r < last; ++r) {
                    backwardRow(x.const_data_ptr<float>() + r * d, dy.const_data_ptr<float>() + r * d,
                                weight.const_data_ptr<float>(), pi[r], d, dx.mutable_data_ptr<float>() + r * d, dw);
                }
            }
        });
        return {dx, partial.sum(0)};
    }

private:
    static void backwardRow(const float* x, const float* dy, const float* w, float inverse, int64_t d, float* dx,
                            float* dw) {
        float dot = 0;
#pragma omp simd reduction(+ : dot)
        for (int64_t i = 0; i < d; ++i)
            dot += dy[i] * w[i] * x[i];
        const float correction = dot * inverse * inverse * inverse / static_cast<float>(d);
        for (int64_t i = 0; i < d; ++i) {
            dx[i] = dy[i] * w[i] * inverse - x[i] * correction;
            dw[i] += dy[i] * x[i] * inverse;
        }
    }
};

/// direction +1 rotates, -1 rotates back (the gradient).
at::Tensor rotated(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin, float direction) {
    const int64_t positions = x.size(1), heads = x.size(2), half = x.size(3) / 2;
    at::Tensor y = at::empty_like(x);
    const float* px = x.const_data_ptr<float>();
    const float* pc = cos.const_data_ptr<float>();
    const float* ps = sin.const_data_ptr<float>();
    auto* py = y.mutable_data_ptr<float>();
    at::parallel_for(0, x.size(0) * positions, kChunkRows, [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
            const float* c = pc + row % positions * half;
            const float* s = ps + row % positions * half;
            for (int64_t h = row * heads; h < (row + 1) * heads; ++h) {
                const float *first = px + h * 2 * half, *second = first + half;
                float *outFirst = py + h * 2 * half, *outSecond = outFirst + half;
                for (int64_t i = 0; i < half; ++i) {
                    const float turn = direction * s[i];
                    outFirst[i] = first[i] * c[i] - second[i] * turn;
                    outSecond[i] = second[i] * c[i] + first[i] * turn;
                }
            }
        }
    });
    return y;
}

struct RotateFunction : torch::autograd::Function<RotateFunction> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& cos,
                              const at::Tensor& sin) {
        context->save_for_backward({cos, sin});
        return rotated(x.contiguous(), cos, sin, 1.0f);
    }
    static variable_list backward(AutogradContext* context, variable_list grads) {
        const auto saved = context->get_saved_variables();
        return {rotated(grads[0].contiguous(), saved[0], saved[1], -1.0f), Variable(), Variable()};
    }
};

}  // namespace

at::Tensor rmsNorm(const at::Tensor& x, const at::Tensor& weight) {
    return RmsNormFunction::apply(x, weight);
}

at::Tensor rotateHalves(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin) {
    return RotateFunction::apply(x, cos, sin);
}

}  // namespace octet::model
