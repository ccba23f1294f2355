// SPDX-License-Identifier: Apache-2.0
// The fused pass written plainly: what quantise() must give, bit for bit, and what it falls back to for a block that
// holds NaN or Inf. Error sums run in 16 virtual float lanes over runs of 1,024 elements (64 per lane), then in double.
#pragma once

#include "engine/numerics/fp8_scalar.h"
#include "engine/numerics/quantise.h"

namespace octet::numerics {

inline constexpr int kVirtualLanes = 16;
inline constexpr int64_t kRunElements = 1024;

/// One block of at most kBlockElements.
/// @param values  n floats, or nullptr
/// @param codes   n bytes, or nullptr
template <Fp8Format F>
CastStatistics quantiseBlockReference(std::span<const float> in, float* values, uint8_t* codes,
                                      const QuantiseSpec& spec);

/// The whole span, block by block.
CastStatistics quantiseReference(std::span<const float> in, float* values, uint8_t* codes, const QuantiseSpec& spec);

}  // namespace octet::numerics
