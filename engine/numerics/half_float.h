// SPDX-License-Identifier: Apache-2.0
// IEEE half precision to float32, exactly. Dependency-free.
#pragma once

#include "engine/numerics/fp8_scalar.h"

namespace octet::numerics {

OCTET_HOST_DEVICE constexpr float floatOfHalf(uint16_t bits) {
    const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16, mantissa = bits & 1023u;
    const uint32_t exponent = bits >> 10 & 31u;
    if (exponent == 31) return floatOf(sign | kInfinityBits | mantissa << 13);
    if (exponent != 0) return floatOf(sign | (exponent + 112) << 23 | mantissa << 13);
    constexpr float step = floatOf(103u << 23);  // 2^-24
    return floatOf(sign | bitsOf(static_cast<float>(mantissa) * step));
}

}  // namespace octet::numerics
