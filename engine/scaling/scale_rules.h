// SPDX-License-Identifier: Apache-2.0
// Every rule that turns an amax into a scale, as pure functions without dependencies, shared by host code and GPU
// kernels. They reproduce the libraries bit for bit, their corners included, with IEEE operations and integer
// arithmetic only: no libm, so both sides agree by construction. `scale` multiplies before the cast.
// Sources: TE 2.20 (recipe_common.cuh, delayed_scaling.cu, quantize_mxfp8.cuh); torchao 0.18.0 as measured
// (golden/torchao_scales.json, mx_scales.json).
#pragma once

#include <cstdint>

#include "engine/numerics/fp8_scalar.h"

namespace octet::scaling {

inline constexpr float kLargestFloat32 = numerics::floatOf(0x7F7FFFFFu);
inline constexpr float kLargestFloat16 = 65504.0f;
inline constexpr float kLargestBf16 = numerics::floatOf(0x7F7F0000u);
inline constexpr float kNan = numerics::floatOf(0x7FC00000u);

OCTET_HOST_DEVICE constexpr bool isNan(float x) {
    return (numerics::bitsOf(x) & ~numerics::kSignBit) > numerics::kInfinityBits;
}
OCTET_HOST_DEVICE constexpr bool isInfinite(float x) {
    return (numerics::bitsOf(x) & ~numerics::kSignBit) == numerics::kInfinityBits;
}
OCTET_HOST_DEVICE constexpr bool isFinite(float x) {
    return (numerics::bitsOf(x) & numerics::kInfinityBits) != numerics::kInfinityBits;
}

/// 2^e for -149 <= e <= 127.
OCTET_HOST_DEVICE constexpr float powerOfTwo(int e) {
    return e >= -126 ? numerics::floatOf(static_cast<uint32_t>(e + 127) << 23) : numerics::floatOf(1u << (e + 149));
}

/// C's fmaxf: a NaN operand gives way.
OCTET_HOST_DEVICE constexpr float maxIgnoringNan(float a, float b) {
    return a > b || isNan(b) ? a : b;
}
/// torch's maximum: NaN spreads.
OCTET_HOST_DEVICE constexpr float maxSpreadingNan(float a, float b) {
    return isNan(a) || isNan(b) ? kNan : (a > b ? a : b);
}

/// What a pass over a tensor found, as kernels and the CPU report it; each library makes its own amax from that.
struct FoundAmax {
    float finite = 0;  // largest finite magnitude
    bool hasNan = false;
    bool hasInfinity = false;
};
/// TE: an infinity enters, NaN elements do not.
OCTET_HOST_DEVICE constexpr float teAmax(const FoundAmax& found) {
    return found.hasInfinity ? numerics::floatOf(numerics::kInfinityBits) : found.finite;
}
/// torchao: NaN spreads.
OCTET_HOST_DEVICE constexpr float torchaoAmax(const FoundAmax& found) {
    return found.hasNan ? kNan : teAmax(found);
}

/// TE's current and block scaling.
struct TeScaleRule {
    float fp8Max = 448.0f;
    bool powerOfTwo = false;  // rounds the scale down to a power of two
    float epsilon = 0.0f;     // floor of the amax
    /// Taken when fp8Max / amax overflows: kLargestFloat32 for current scaling, the input type's largest finite value
    /// for block scaling.
    float onOverflow = kLargestFloat32;
};
OCTET_HOST_DEVICE constexpr float teScale(float amax, const TeScaleRule& rule) {
    if (amax < rule.epsilon) amax = rule.epsilon;
    if (!isFinite(amax) || amax == 0.0f) return 1.0f;
    float scale = rule.fp8Max / amax;
    if (isInfinite(scale)) scale = rule.onOverflow;
    return rule.powerOfTwo ? numerics::floatOf(numerics::bitsOf(scale) & numerics::kInfinityBits) : scale;
}

enum class AmaxAlgo : uint8_t { Max, MostRecent };

/// The two update paths of TE's delayed scaling differ when nothing was recorded, when NaN is in the window, for tiny
/// amaxes with a margin, and at times in the last bit of the scale.
enum class UpdatePath : uint8_t { Fused, Unfused };

/// TE's delayed scaling: the scale made from the window's amax, or `scale` as it is when there is none to make.
/// The unfused path divides in torch, which computes F * (1 / amax): two roundings, and the margin after them.
/// @param margin  -64 to 64
OCTET_HOST_DEVICE constexpr float delayedScale(UpdatePath path, float amax, float scale, float fp8Max, int margin) {
    if (!(amax > 0.0f) || !isFinite(amax)) return scale;
    const float quotient =
        path == UpdatePath::Fused ? fp8Max * powerOfTwo(-margin) / amax : fp8Max * (1.0f / amax) * powerOfTwo(-margin);
    return isInfinite(quotient) ? kLargestFloat32 : quotient;
}

/// floor(log2(n)) of n >= 1.
OCTET_HOST_DEVICE constexpr int floorLog2(uint32_t n) {
    int log = 0;
    while (n >>= 1)
        ++log;
    return log;
}

/// How far log2 in float32 rounds an argument onto the integer k, in relative steps of 2^-24 below or 2^-23 above 2^k:
/// log2(2^k (1 - j 2^-24)) = k - j 2^-24 / ln 2 lies within half a float of k while j <= 2^p ln 2, where [2^p, 2^(p+1))
/// holds the magnitudes next to k on that side.
/// @param k  -149 to 128
OCTET_HOST_DEVICE constexpr uint32_t stepsBelowThatRoundUp(int k) {
    if (k == 0) return 0;  // floats are dense around zero
    const int p = k > 0 ? floorLog2(static_cast<uint32_t>(k) * 2 - 1) - 1 : floorLog2(static_cast<uint32_t>(-k));
    return p < 0 ? 0 : 88u >> (7 - p);  // floor(2^p ln 2)
}
OCTET_HOST_DEVICE constexpr uint32_t stepsAboveThatRoundDown(int k) {
    if (k == 0) return 0;
    return stepsBelowThatRoundUp(-k) / 2;  // the mirror image, with steps twice as long
}

/// torch's exp2(floor(log2(scale))) in float32. Just below a power of two log2 rounds up to the integer, and so does
/// this. @param scale  normal and positive, or 0, infinite, NaN (returned as they are)
OCTET_HOST_DEVICE constexpr float torchaoPowerOfTwo(float scale) {
    const uint32_t bits = numerics::bitsOf(scale);
    if (bits == 0 || !isFinite(scale)) return scale;
    const int k = static_cast<int>(bits >> 23) - 126;  // exponent of the next power of two
    const uint32_t stepsBelow = 0x800000u - (bits & 0x7FFFFFu);
    const uint32_t exponent = stepsBelow <= stepsBelowThatRoundUp(k) ? bits + 0x800000u : bits;
    return numerics::floatOf(exponent & numerics::kInfinityBits);
}

/// torchao's tensorwise and axiswise scale: divided in double with the amax floored at 1e-12, then rounded once.
/// An infinite amax gives 0, NaN gives NaN.
OCTET_HOST_DEVICE constexpr float torchaoScale(float amax, float fp8Max, bool roundToPowerOfTwo) {
    if (isNan(amax)) return kNan;
    const double floored = static_cast<double>(amax) > 1e-12 ? static_cast<double>(amax) : 1e-12;
    const float scale = static_cast<float>(static_cast<double>(fp8Max) / floored);
    return roundToPowerOfTwo ? torchaoPowerOfTwo(scale) : scale;
}

/// How a block's amax becomes an E8M0 byte (value 2^(byte - 127), 255 is NaN).
enum class MxRule : uint8_t { Te, TorchaoFloor, TorchaoCeil, TorchaoEven, TorchaoRceil };

/// Smallest power of two >= v, as TE rounds: saturates at 254.
OCTET_HOST_DEVICE constexpr uint8_t e8m0RoundedUp(float v) {
    const uint32_t bits = numerics::bitsOf(v), exponent = bits >> 23, mantissa = bits & 0x7FFFFFu;
    if (exponent == 255) return mantissa != 0 ? 255 : 254;
    const bool up = mantissa != 0 && exponent != 254 && !(exponent == 0 && mantissa <= 0x400000u);
    return static_cast<uint8_t>(exponent + (up ? 1 : 0));
}

/// ceil(log2(v)) in float32: just above a power of two log2 rounds down to the integer, and so does this.
OCTET_HOST_DEVICE constexpr uint8_t e8m0CeilLog2(float v) {
    const uint32_t bits = numerics::bitsOf(v), exponent = bits >> 23, mantissa = bits & 0x7FFFFFu;
    // 2^-127 is subnormal, where a step is twice as long.
    if (exponent == 0) return mantissa <= 0x400000u + stepsAboveThatRoundDown(-127) / 2 ? 0 : 1;
    const bool down = exponent < 254 && mantissa <= stepsAboveThatRoundDown(static_cast<int>(exponent) - 127);
    return down ? static_cast<uint8_t>(exponent) : e8m0RoundedUp(v);
}

/// @param amax  of one block, >= 0; may be infinite or NaN (torchao's and TE's own amax: teAmax, torchaoAmax)
OCTET_HOST_DEVICE constexpr uint8_t e8m0Byte(MxRule rule, float amax, numerics::Fp8Format format) {
    const bool e4m3 = format == numerics::Fp8Format::E4M3;
    if (isNan(amax)) return 255;
    constexpr float inverseOf448 = numerics::floatOf(0x3B124925u), inverseOf57344 = numerics::floatOf(0x37924925u);
    if (rule == MxRule::Te) return e8m0RoundedUp(amax * (e4m3 ? inverseOf448 : inverseOf57344));
    if (rule == MxRule::TorchaoRceil) return e8m0CeilLog2(amax / numerics::fp8Max(format));
    uint32_t bits = numerics::bitsOf(amax);
    if (rule == MxRule::TorchaoEven) bits += e4m3 ? 1u << 19 : 1u << 20;
    const bool up = rule == MxRule::TorchaoCeil && (bits & 0x7FFFFFu) != 0;
    const int byte = static_cast<int>(bits >> 23) + (up ? 1 : 0) - (e4m3 ? 8 : 15);
    return static_cast<uint8_t>(byte < 0 ? 0 : byte);
}

/// What elements are multiplied by before the cast. 2^(127 - byte), except: byte 0 is 1 in torchao's RCEIL and 2^126 in
/// its other modes; byte 255 is 0 in those (they divide by infinity) and NaN elsewhere.
OCTET_HOST_DEVICE constexpr float e8m0Multiplier(MxRule rule, uint8_t byte) {
    const bool divides = rule != MxRule::Te && rule != MxRule::TorchaoRceil;
    if (byte == 255) return divides ? 0.0f : kNan;
    if (byte == 0 && rule == MxRule::TorchaoRceil) return 1.0f;
    if (byte == 0 && divides) return powerOfTwo(126);
    return powerOfTwo(127 - byte);
}

/// What a code is multiplied by when it is dequantised: the byte's OCP value.
OCTET_HOST_DEVICE constexpr float e8m0Value(uint8_t byte) {
    return byte == 255 ? kNan : powerOfTwo(byte - 127);
}

}  // namespace octet::scaling
