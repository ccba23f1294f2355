// SPDX-License-Identifier: Apache-2.0
// Reference definitions of FP8 and bf16 rounding, one value at a time. Dependency-free, so that host code and GPU
// kernels share them; the SIMD pass is tested against them bit for bit.
// Policy: zero keeps its sign; a magnitude that rounds above the largest finite value saturates (SatFinite, Torchao);
// infinity does too; NaN stays NaN. Rounding is to nearest even, through subnormals, without flush to zero.
// Sources: OCP OFP8 1.0; golden/casts.json (CUDA 13.0 cuda_fp8.h, torch 2.11, torchao 0.18).
#pragma once

#include <cstdint>

#include "engine/numerics/fp8_format.h"

#if defined(__CUDACC__)
#define OCTET_HOST_DEVICE __host__ __device__
#else
#define OCTET_HOST_DEVICE
#endif

namespace octet::numerics {

inline constexpr uint32_t kSignBit = 0x80000000u;
inline constexpr uint32_t kInfinityBits = 0x7F800000u;

OCTET_HOST_DEVICE constexpr uint32_t bitsOf(float value) {
    return __builtin_bit_cast(uint32_t, value);
}
OCTET_HOST_DEVICE constexpr float floatOf(uint32_t bits) {
    return __builtin_bit_cast(float, bits);
}

/// Field widths and special codes of a format.
template <Fp8Format F>
struct FormatTraits;

template <>
struct FormatTraits<Fp8Format::E4M3> {
    static constexpr int kMantissaBits = 3, kBias = 7;
    static constexpr uint8_t kMaxCode = 0x7E, kOverflowCode = 0x7F, kNanCode = 0x7F;
};
template <>
struct FormatTraits<Fp8Format::E5M2> {
    static constexpr int kMantissaBits = 2, kBias = 15;
    static constexpr uint8_t kMaxCode = 0x7B, kOverflowCode = 0x7C, kNanCode = 0x7F;
};

/// Rounds a magnitude to the nearest value of the format, saturating.
/// @param magnitude  >= 0 and not NaN; infinity gives the largest finite value
/// Adding and taking away 2^(e + 23 - m) lets the float adder do the rounding, for normals and subnormals alike.
template <Fp8Format F>
OCTET_HOST_DEVICE constexpr float roundMagnitude(float magnitude) {
    using Traits = FormatTraits<F>;
    constexpr uint32_t minExponent = static_cast<uint32_t>(1 - Traits::kBias + 127) << 23;
    constexpr uint32_t shift = static_cast<uint32_t>(23 - Traits::kMantissaBits) << 23;
    const float clamped = magnitude < fp8Max(F) ? magnitude : fp8Max(F);
    const uint32_t exponent = bitsOf(clamped) & kInfinityBits;
    const float anchor = floatOf((exponent > minExponent ? exponent : minExponent) + shift);
    const float sum = clamped + anchor;
    return sum - anchor;
}

/// The code (sign bit 0) of a magnitude that the format holds exactly.
template <Fp8Format F>
OCTET_HOST_DEVICE constexpr uint8_t codeOfMagnitude(float exact) {
    using Traits = FormatTraits<F>;
    constexpr float minNormal = floatOf(static_cast<uint32_t>(1 - Traits::kBias + 127) << 23);
    constexpr float stepsPerUnit =
        floatOf(static_cast<uint32_t>(Traits::kBias - 1 + Traits::kMantissaBits + 127) << 23);
    if (exact < minNormal) return static_cast<uint8_t>(exact * stepsPerUnit);
    constexpr uint32_t rebias = static_cast<uint32_t>(127 - Traits::kBias) << Traits::kMantissaBits;
    return static_cast<uint8_t>((bitsOf(exact) >> (23 - Traits::kMantissaBits)) - rebias);
}

/// One float32 to one code.
template <Fp8Format F>
OCTET_HOST_DEVICE constexpr uint8_t encode(float value, CastPolicy policy = CastPolicy::SatFinite) {
    using Traits = FormatTraits<F>;
    const uint32_t bits = bitsOf(value);
    const auto sign = static_cast<uint8_t>((bits & kSignBit) >> 24);
    const uint32_t magnitudeBits = bits & ~kSignBit;
    if (magnitudeBits > kInfinityBits) {
        return policy == CastPolicy::SatFinite ? Traits::kNanCode : static_cast<uint8_t>(sign | Traits::kNanCode);
    }
    const float magnitude = floatOf(magnitudeBits);
    if (policy == CastPolicy::Plain && roundsAboveMax(F, magnitude)) {
        return static_cast<uint8_t>(sign | Traits::kOverflowCode);
    }
    return static_cast<uint8_t>(sign | codeOfMagnitude<F>(roundMagnitude<F>(magnitude)));
}

/// The float32 value of a code; NaN codes give a quiet NaN with the code's sign.
template <Fp8Format F>
OCTET_HOST_DEVICE constexpr float decode(uint8_t code) {
    using Traits = FormatTraits<F>;
    constexpr int m = Traits::kMantissaBits;
    const uint32_t sign = static_cast<uint32_t>(code & 0x80) << 24;
    const uint32_t magnitude = code & 0x7Fu;
    if (magnitude > Traits::kMaxCode) {
        const bool infinite = F == Fp8Format::E5M2 && magnitude == Traits::kOverflowCode;
        return floatOf(sign | (infinite ? kInfinityBits : 0x7FC00000u));
    }
    const uint32_t exponent = magnitude >> m;
    if (exponent == 0) {
        constexpr float step = floatOf(static_cast<uint32_t>(1 - Traits::kBias - m + 127) << 23);
        const float value = static_cast<float>(magnitude) * step;
        return floatOf(sign | bitsOf(value));
    }
    return floatOf(sign | ((magnitude + (static_cast<uint32_t>(127 - Traits::kBias) << m)) << (23 - m)));
}

/// Nearest bf16 value (ties to even), held in float32. NaN stays NaN; a finite value may round to infinity.
OCTET_HOST_DEVICE constexpr float roundToBf16(float value) {
    const uint32_t bits = bitsOf(value);
    if ((bits & ~kSignBit) > kInfinityBits) return floatOf((bits & kSignBit) | 0x7FC00000u);
    return floatOf((bits + 0x7FFFu + ((bits >> 16) & 1u)) & 0xFFFF0000u);
}

}  // namespace octet::numerics
