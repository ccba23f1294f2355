// SPDX-License-Identifier: Apache-2.0
// FP8 and bf16 rounding in vectors, compiled once for each instruction set (Highway's scheme for -inl headers). Files
// of Highway passes include it. A step is always 16 elements (1, 2 or 4 vectors), so that every vector width adds its
// error terms in the same 16 lanes.
#if defined(OCTET_FP8_VECTORS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef OCTET_FP8_VECTORS_INL_H
#undef OCTET_FP8_VECTORS_INL_H
#else
#define OCTET_FP8_VECTORS_INL_H
#endif

#include <hwy/highway.h>

#include "engine/numerics/fp8_scalar.h"
#include "engine/numerics/quantise_reference.h"

HWY_BEFORE_NAMESPACE();
namespace octet::numerics::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr size_t kLanes = HWY_LANES(float) < kVirtualLanes ? HWY_LANES(float) : kVirtualLanes;
constexpr size_t kVectors = kVirtualLanes / kLanes;
using FloatTag = hn::FixedTag<float, kLanes>;
using BitsTag = hn::FixedTag<uint32_t, kLanes>;
using IntTag = hn::FixedTag<int32_t, kLanes>;
using FloatVec = hn::Vec<FloatTag>;
using BitsVec = hn::Vec<BitsTag>;
using IntVec = hn::Vec<IntTag>;
constexpr FloatTag kFloat;
constexpr BitsTag kBits;
constexpr IntTag kInt;

template <typename Vec, typename Tag>
HWY_INLINE uint64_t laneTotal(Tag tag, Vec counts) {
    HWY_ALIGN int32_t lanes[kLanes];
    hn::Store(counts, tag, lanes);
    uint64_t total = 0;
    for (const int32_t lane : lanes)
        total += static_cast<uint32_t>(lane);
    return total;
}

HWY_INLINE FloatVec roundVecToBf16(FloatVec x) {
    const auto bits = hn::BitCast(kBits, x);
    const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(kBits, 1u));
    const auto sum = hn::Add(bits, hn::Add(odd, hn::Set(kBits, 0x7FFFu)));
    return hn::BitCast(kFloat, hn::And(sum, hn::Set(kBits, 0xFFFF0000u)));
}

/// Magnitude codes of exact magnitudes, as 32-bit integers.
template <Fp8Format F>
HWY_INLINE IntVec codesOf(FloatVec magnitude) {
    using Traits = FormatTraits<F>;
    const auto minNormal = hn::Set(kFloat, floatOf(static_cast<uint32_t>(1 - Traits::kBias + 127) << 23));
    const auto stepsPerUnit =
        hn::Set(kFloat, floatOf(static_cast<uint32_t>(Traits::kBias - 1 + Traits::kMantissaBits + 127) << 23));
    const auto rebias = hn::Set(kInt, (127 - Traits::kBias) << Traits::kMantissaBits);
    const auto normal = hn::Sub(hn::ShiftRight<23 - Traits::kMantissaBits>(hn::BitCast(kInt, magnitude)), rebias);
    const auto small = hn::ConvertTo(kInt, hn::Mul(magnitude, stepsPerUnit));
    return hn::IfThenElse(hn::RebindMask(kInt, hn::Lt(magnitude, minNormal)), small, normal);
}

template <Fp8Format F>
HWY_INLINE void store(FloatVec signedValue, FloatVec, float* out) {
    hn::StoreU(signedValue, kFloat, out);
}

template <Fp8Format F>
HWY_INLINE void store(FloatVec signedValue, FloatVec magnitude, uint8_t* out) {
    const auto sign = hn::ShiftLeft<7>(hn::BitCast(kInt, hn::ShiftRight<31>(hn::BitCast(kBits, signedValue))));
    HWY_ALIGN int32_t lanes[kLanes];
    hn::Store(hn::Or(codesOf<F>(magnitude), sign), kInt, lanes);
    for (size_t lane = 0; lane < kLanes; ++lane)
        out[lane] = static_cast<uint8_t>(lanes[lane]);
}

/// Magnitudes rounded to the format, saturating; see roundMagnitude.
template <Fp8Format F>
HWY_INLINE FloatVec roundMagnitudes(FloatVec magnitude) {
    using Traits = FormatTraits<F>;
    const auto minExponent = hn::Set(kBits, static_cast<uint32_t>(1 - Traits::kBias + 127) << 23);
    const auto anchorShift = hn::Set(kBits, static_cast<uint32_t>(23 - Traits::kMantissaBits) << 23);
    const auto clamped = hn::Min(magnitude, hn::Set(kFloat, fp8Max(F)));
    const auto exponent = hn::Max(hn::And(hn::BitCast(kBits, clamped), hn::Set(kBits, kInfinityBits)), minExponent);
    const auto anchor = hn::BitCast(kFloat, hn::Add(exponent, anchorShift));
    return hn::Sub(hn::Add(clamped, anchor), anchor);
}

HWY_INLINE double laneSum(const FloatVec (&sums)[kVectors]) {
    HWY_ALIGN float lanes[kVirtualLanes];
#pragma GCC unroll 16
    for (size_t v = 0; v < kVectors; ++v)
        hn::Store(sums[v], kFloat, lanes + v * kLanes);
    double total = 0;
    for (const float lane : lanes)
        total += static_cast<double>(lane);
    return total;
}

}  // namespace octet::numerics::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
