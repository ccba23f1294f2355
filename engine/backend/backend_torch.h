// SPDX-License-Identifier: Apache-2.0
// What a device does for an FP8 linear: cast an operand, round an operand, multiply two operands. The CPU backend is
// here; a GPU backend implements the same calls. Only backend, model and train .cpp files include this header.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <optional>

#include "engine/numerics/exponents.h"
#include "engine/numerics/quantise.h"
#include "engine/scaling/tile_cast.h"

namespace octet::backend {

/// One operand of a GEMM as the device multiplies it.
/// CPU: `values` holds FP8 code values, dequantised values (many scales) or bf16/fp32 values in float32;
/// value * scaleInv is the dequantised value.
struct Operand {
    at::Tensor values;
    float scaleInv = 1.0f;
};

/// Which way an operand of a GEMM is read.
enum class Layout { Plain, Transposed };

struct GemmInput {
    const Operand& operand;
    Layout layout = Layout::Plain;
};

/// What happens to a GEMM's result on its way out.
struct GemmResult {
    bool roundToBf16 = false;
    std::optional<at::Tensor> bias = std::nullopt;  // [n], added before rounding
    bool biasAfterRounding = false;                 // torchao: added to the bf16 result, which rounds a second time
};

class Backend {
public:
    virtual ~Backend() = default;

    /// "CPU, 2 threads, AVX2, emulated: fp32 accumulation, fast accumulation not modelled"
    [[nodiscard]] virtual std::string description() const = 0;

    /// Casts to FP8 with one given scale, in one pass. @param in [rows, cols] float32
    virtual Operand cast(const at::Tensor& in, const numerics::QuantiseSpec& spec,
                         numerics::CastStatistics& statistics) = 0;
    /// Casts to FP8 with scales made from the tensor itself. @param in [rows, cols] float32
    virtual Operand castTiles(const at::Tensor& in, const scaling::TileCastSpec& spec,
                              scaling::TileCastResult& result) = 0;
    /// Finite amax, NaN and Inf of the tensor, or of its bf16 values, without a cast.
    virtual numerics::CastStatistics measureAmax(const at::Tensor& in, bool roundToBf16) = 0;
    /// FP8 values back in high precision: bf16 values, or float32 when not rounded.
    virtual Operand dequantised(const Operand& operand, bool roundToBf16) = 0;
    /// Keeps an operand out of FP8: bf16 values (rounded copy), or `in` itself when not rounded.
    virtual Operand highPrecision(const at::Tensor& in, bool roundToBf16) = 0;
    /// [m, k] x [k, n] -> [m, n] float32, accumulated in float32 and scaled on the way out.
    virtual at::Tensor matmul(GemmInput a, GemmInput b, const GemmResult& result) = 0;
    virtual numerics::ExponentCounts exponents(const at::Tensor& in) = 0;
};

/// @param threads  0: all cores. Sets torch's own thread count too.
[[nodiscard]] std::unique_ptr<Backend> makeCpuBackend(int threads);

}  // namespace octet::backend
