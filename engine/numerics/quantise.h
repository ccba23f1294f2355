// SPDX-License-Identifier: Apache-2.0
// The fused pass over one tensor: optional bf16 rounding, amax, FP8 cast and statistics from one read of the source.
// SIMD (Highway) with run-time dispatch; quantise_reference.h is the plain definition it equals bit for bit.
#pragma once

#include <cstdint>
#include <span>

#include "engine/numerics/cast_statistics.h"
#include "engine/numerics/fp8_format.h"

namespace octet::numerics {

/// What a pass gathers besides the cast; each level includes the ones before it.
enum class StatisticsLevel : uint8_t {
    Amax,      // finite amax, NaN and Inf counts
    Counters,  // underflows, overflows, saturated
    Errors,    // sums for MSE, SQNR and cosine
};

struct QuantiseSpec {
    Fp8Format format = Fp8Format::E4M3;
    float scale = 1.0f;  // multiplies before the cast; finite, > 0
    bool roundInputToBf16 = false;
    StatisticsLevel level = StatisticsLevel::Errors;
};

/// Casts `in` to FP8 and keeps the code values in float32 (unscaled: x * scale rounded to the format), as the CPU GEMM
/// takes them. Round to nearest even, saturating; NaN stays NaN. Dequantised value = value * fl32(1 / scale).
/// @param in     n floats; may hold NaN and infinities
/// @param values n floats; must not overlap `in`
CastStatistics quantise(std::span<const float> in, std::span<float> values, const QuantiseSpec& spec);

/// The same cast to codes, one byte each (CastPolicy::SatFinite).
CastStatistics quantiseToCodes(std::span<const float> in, std::span<uint8_t> codes, const QuantiseSpec& spec);

/// Rounds to bf16 values held in float32 (ties to even). `out` may be `in` itself.
void roundToBf16(std::span<const float> in, std::span<float> out);

/// Finite amax with NaN and Inf counts, without a cast.
CastStatistics measureAmax(std::span<const float> in);

/// Name of the instruction set the passes run with on this machine, e.g. "AVX2".
const char* simdTargetName();

}  // namespace octet::numerics
