// SPDX-License-Identifier: Apache-2.0
// FP8 on the CPU: operands are rounded to FP8 values held in float32 and multiplied by a float32 GEMM (FP8 and bf16
// products are exact there). bf16 GEMMs are not used: without AMX they run a hundred times slower.
#include <ATen/Parallel.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/mul.h>
#include <fmt/format.h>

#include <cmath>

#include "engine/backend/backend_torch.h"
#include "engine/backend/parallel_blocks.h"
#include "engine/numerics/fp8_scalar.h"

namespace octet::backend {
namespace {

std::span<const float> readable(const at::Tensor& tensor) {
    return {tensor.const_data_ptr<float>(), static_cast<size_t>(tensor.numel())};
}

std::span<float> writable(at::Tensor& tensor) {
    return {tensor.mutable_data_ptr<float>(), static_cast<size_t>(tensor.numel())};
}

at::Tensor oriented(const GemmInput& input) {
    return input.layout == Layout::Transposed ? input.operand.values.t() : input.operand.values;
}

class CpuBackend final : public Backend {
public:
    [[nodiscard]] std::string description() const override {
        return fmt::format("CPU, {} threads, {}, FP8 emulated: fp32 accumulation, fast accumulation not modelled",
                           at::get_num_threads(), numerics::simdTargetName());
    }

    Operand cast(const at::Tensor& in, const numerics::QuantiseSpec& spec,
                 numerics::CastStatistics& statistics) override {
        const at::Tensor source = in.contiguous();
        at::Tensor values = at::empty_like(source);
        statistics = quantiseParallel(readable(source), writable(values), spec);
        return {values, 1.0f / spec.scale};
    }

    Operand castTiles(const at::Tensor& in, const scaling::TileCastSpec& spec,
                      scaling::TileCastResult& result) override {
        const at::Tensor source = in.contiguous();
        at::Tensor values = at::empty_like(source);
        result = castTilesParallel({source.const_data_ptr<float>(), source.size(0), source.size(1),
                                    values.mutable_data_ptr<float>(), nullptr, nullptr},
                                   spec);
        return {values, 1.0f};
    }

    numerics::CastStatistics measureAmax(const at::Tensor& in, bool roundToBf16) override {
        const at::Tensor source = in.contiguous();
        numerics::CastStatistics found = measureAmaxParallel(readable(source));
        // Rounding keeps the order of magnitudes, so the rounded amax is the amax of the rounded values.
        if (roundToBf16) found.amax = numerics::roundToBf16(found.amax);
        if (std::isfinite(found.amax)) return found;
        at::Tensor rounded = at::empty_like(source);  // a finite value that rounds to infinity
        roundToBf16Parallel(readable(source), writable(rounded));
        return measureAmaxParallel(readable(rounded));
    }

    Operand dequantised(const Operand& operand, bool roundToBf16) override {
        const at::Tensor values = operand.scaleInv == 1.0f ? operand.values : operand.values.mul(operand.scaleInv);
        return highPrecision(values, roundToBf16);
    }

    Operand highPrecision(const at::Tensor& in, bool roundToBf16) override {
        const at::Tensor source = in.contiguous();
        if (!roundToBf16) return {source, 1.0f};
        at::Tensor values = at::empty_like(source);
        roundToBf16Parallel(readable(source), writable(values));
        return {values, 1.0f};
    }

    at::Tensor matmul(GemmInput a, GemmInput b, const GemmResult& result) override {
        const at::Tensor left = oriented(a), right = oriented(b);
        const float alpha = a.operand.scaleInv * b.operand.scaleInv;
        at::Tensor out = multiply(left, right, alpha, {a.operand.scaleInv, b.operand.scaleInv});
        if (result.bias && !result.biasAfterRounding) out.add_(*result.bias);
        if (result.roundToBf16) roundToBf16Parallel(readable(out), writable(out));
        if (!result.bias || !result.biasAfterRounding) return out;
        out.add_(*result.bias);
        if (result.roundToBf16) roundToBf16Parallel(readable(out), writable(out));
        return out;
    }

    numerics::ExponentCounts exponents(const at::Tensor& in) override {
        const at::Tensor source = in.contiguous();
        return countExponentsParallel(readable(source));
    }

private:
    static at::Tensor multiply(const at::Tensor& left, const at::Tensor& right, float alpha,
                               std::array<float, 2> scaleInvs) {
        if (scaleInvs[0] == 1.0f && scaleInvs[1] == 1.0f) return at::mm(left, right);
        // The product of two extreme inverse scales may leave float32 although each of them is in range.
        if (!std::isnormal(alpha)) return at::mm(left, right).mul_(scaleInvs[0]).mul_(scaleInvs[1]);
        at::Tensor out = at::empty({left.size(0), right.size(1)}, left.options());
        at::addmm_out(out, out, left, right, 0, alpha);
        return out;
    }
};

}  // namespace

std::unique_ptr<Backend> makeCpuBackend(int threads) {
    if (threads > 0) at::set_num_threads(threads);
    return std::make_unique<CpuBackend>();
}

}  // namespace octet::backend
