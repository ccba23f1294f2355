// SPDX-License-Identifier: Apache-2.0
// What a cast counts for one element: one definition for the CPU reference and the GPU kernels. Dependency-free.
// Policy: NaN is only counted as NaN; an infinity saturates, overflows and never enters the finite amax; zero
// underflows never.
#pragma once

#include "engine/numerics/fp8_scalar.h"

namespace octet::numerics {

/// @param Counts  has underflows, overflows, saturated, nans, infinities (integers) and amax (float)
/// @param magnitude        |x|
/// @param scaledMagnitude  |x| * scale
/// @param roundsToZero     the element's code is a zero
/// @param overflowLimit    F * scale_inv, the bound of TE's overflows
template <Fp8Format F, class Counts>
OCTET_HOST_DEVICE constexpr void countElement(Counts& counts, float magnitude, float scaledMagnitude, bool roundsToZero,
                                              float overflowLimit) {
    const uint32_t bits = bitsOf(magnitude);
    if (bits > kInfinityBits) {
        ++counts.nans;
        return;
    }
    if (bits == kInfinityBits) {
        ++counts.infinities;
    } else if (magnitude > counts.amax) {
        counts.amax = magnitude;
    }
    counts.underflows += roundsToZero && bits != 0 ? 1 : 0;
    counts.overflows += magnitude > overflowLimit ? 1 : 0;
    counts.saturated += roundsAboveMax(F, scaledMagnitude) ? 1 : 0;
}

}  // namespace octet::numerics
