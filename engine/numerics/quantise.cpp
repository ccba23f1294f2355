// SPDX-License-Identifier: Apache-2.0
// One block of 4,096 elements per inner call: 16 elements a step (1, 2 or 4 vectors), so every vector width adds its
// error terms in the same 16 lanes. Two things are taken out of the inner loop:
// - a block whose largest bit pattern is Inf or NaN is done again by the reference;
// - overflow and saturation are counted only in blocks whose amax reaches the limit.
// Moves 4 bytes in and 4 (or 1) out an element. No multiply-add is fused: a fused one rounds other codes near ties.
#include "engine/numerics/quantise.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/numerics/quantise.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "engine/numerics/fp8_vectors-inl.h"
#include "engine/numerics/quantise_reference.h"

HWY_BEFORE_NAMESPACE();
namespace octet::numerics::HWY_NAMESPACE {
/// Running state of one block; all of it lives in registers.
struct Accumulators {
    BitsVec maxBits;
    IntVec underflows;
    FloatVec error[kVectors], square[kVectors], squareCast[kVectors];
};

HWY_INLINE void clearSums(Accumulators& acc) {
#pragma GCC unroll 16
    for (size_t v = 0; v < kVectors; ++v) {
        acc.error[v] = acc.square[v] = acc.squareCast[v] = hn::Zero(kFloat);
    }
}

template <Fp8Format F, StatisticsLevel kLevel, bool kBf16, typename Out>
HWY_INLINE void castGroup(const float* in, Out* out, float scale, float scaleInv, Accumulators& acc) {
    const auto zero = hn::Zero(kFloat);
#pragma GCC unroll 16
    for (size_t v = 0; v < kVectors; ++v) {
        auto x = hn::LoadU(kFloat, in + v * kLanes);
        if constexpr (kBf16) x = roundVecToBf16(x);
        const auto magnitude = hn::Abs(x);
        acc.maxBits = hn::Max(acc.maxBits, hn::BitCast(kBits, magnitude));
        const auto rounded = roundMagnitudes<F>(hn::Mul(magnitude, hn::Set(kFloat, scale)));
        const auto value = hn::CopySignToAbs(rounded, x);
        store<F>(value, rounded, out + v * kLanes);
        if constexpr (kLevel >= StatisticsLevel::Counters) {
            const auto flushed = hn::And(hn::Eq(rounded, zero), hn::Gt(magnitude, zero));
            acc.underflows = hn::Sub(acc.underflows, hn::BitCast(kInt, hn::VecFromMask(kFloat, flushed)));
        }
        if constexpr (kLevel >= StatisticsLevel::Errors) {
            const auto dequantised = hn::Mul(rounded, hn::Set(kFloat, scaleInv));
            const auto difference = hn::Sub(magnitude, dequantised);
            acc.error[v] = hn::Add(acc.error[v], hn::Mul(difference, difference));
            acc.square[v] = hn::Add(acc.square[v], hn::Mul(magnitude, magnitude));
            acc.squareCast[v] = hn::Add(acc.squareCast[v], hn::Mul(dequantised, dequantised));
        }
    }
}

/// Overflow and saturation of a block whose amax reaches the limit.
template <Fp8Format F, bool kBf16>
void countBeyondMax(const float* in, size_t n, float scale, float scaleInv, CastStatistics& statistics) {
    const float overflowLimit = fp8Max(F) * scaleInv;
    for (size_t i = 0; i < n; ++i) {
        const float x = kBf16 ? numerics::roundToBf16(in[i]) : in[i];
        const float magnitude = floatOf(bitsOf(x) & ~kSignBit);
        statistics.overflows += magnitude > overflowLimit;
        statistics.saturated += roundsAboveMax(F, magnitude * scale);
    }
}

/// The last n % 16 elements, padded with zeros, which change no count and no sum.
template <Fp8Format F, StatisticsLevel kLevel, bool kBf16, typename Out>
HWY_INLINE void castTail(const float* in, Out* out, size_t n, float scale, float scaleInv, Accumulators& acc) {
    float padded[kVirtualLanes] = {};
    Out results[kVirtualLanes];
    std::memcpy(padded, in, n * sizeof(float));
    castGroup<F, kLevel, kBf16>(padded, results, scale, scaleInv, acc);
    std::memcpy(out, results, n * sizeof(Out));
}

template <Fp8Format F, StatisticsLevel kLevel, bool kBf16, typename Out>
CastStatistics castBlock(const float* in, Out* out, size_t n, const QuantiseSpec& spec) {
    const float scale = spec.scale;
    const float scaleInv = 1.0f / scale;
    CastStatistics statistics;
    statistics.elements = n;
    Accumulators acc;
    acc.maxBits = hn::Zero(kBits);
    acc.underflows = hn::Zero(kInt);
    clearSums(acc);
    for (size_t runStart = 0; runStart < n; runStart += kRunElements) {
        const size_t runEnd = std::min(n, runStart + static_cast<size_t>(kRunElements));
        size_t i = runStart;
        for (; i + kVirtualLanes <= runEnd; i += kVirtualLanes) {
            castGroup<F, kLevel, kBf16>(in + i, out + i, scale, scaleInv, acc);
        }
        if (i < runEnd) castTail<F, kLevel, kBf16>(in + i, out + i, runEnd - i, scale, scaleInv, acc);
        if constexpr (kLevel >= StatisticsLevel::Errors) {
            statistics.squaredError += laneSum(acc.error);
            statistics.sumSquares += laneSum(acc.square);
            statistics.sumSquaresCast += laneSum(acc.squareCast);
            clearSums(acc);
        }
    }
    HWY_ALIGN uint32_t maxLanes[kLanes];
    hn::Store(acc.maxBits, kBits, maxLanes);
    const uint32_t maxBits = *std::max_element(maxLanes, maxLanes + kLanes);
    if (maxBits >= kInfinityBits) {
        if constexpr (std::is_same_v<Out, float>)
            return quantiseBlockReference<F>({in, n}, out, nullptr, spec);
        else
            return quantiseBlockReference<F>({in, n}, nullptr, out, spec);
    }
    statistics.amax = floatOf(maxBits);
    if constexpr (kLevel >= StatisticsLevel::Counters) {
        statistics.underflows = laneTotal(kInt, acc.underflows);
        const bool mayOverflow = statistics.amax > fp8Max(F) * scaleInv || statistics.amax * scale > fp8Max(F);
        if (mayOverflow) countBeyondMax<F, kBf16>(in, n, scale, scaleInv, statistics);
    }
    return statistics;
}

template <Fp8Format F, StatisticsLevel kLevel, bool kBf16, typename Out>
CastStatistics castSpan(std::span<const float> in, Out* out, const QuantiseSpec& spec) {
    CastStatistics total;
    for (size_t at = 0; at < in.size(); at += kBlockElements) {
        const size_t n = std::min(in.size() - at, static_cast<size_t>(kBlockElements));
        total.merge(castBlock<F, kLevel, kBf16>(in.data() + at, out + at, n, spec));
    }
    return total;
}

template <Fp8Format F, StatisticsLevel kLevel>
CastStatistics castValues(std::span<const float> in, float* out, const QuantiseSpec& spec) {
    return spec.roundInputToBf16 ? castSpan<F, kLevel, true>(in, out, spec) : castSpan<F, kLevel, false>(in, out, spec);
}

template <Fp8Format F>
CastStatistics castValuesAtLevel(std::span<const float> in, float* out, const QuantiseSpec& spec) {
    switch (spec.level) {
        case StatisticsLevel::Amax:
            return castValues<F, StatisticsLevel::Amax>(in, out, spec);
        case StatisticsLevel::Counters:
            return castValues<F, StatisticsLevel::Counters>(in, out, spec);
        case StatisticsLevel::Errors:
            break;
    }
    return castValues<F, StatisticsLevel::Errors>(in, out, spec);
}

CastStatistics quantiseValues(std::span<const float> in, float* out, const QuantiseSpec& spec) {
    return spec.format == Fp8Format::E4M3 ? castValuesAtLevel<Fp8Format::E4M3>(in, out, spec)
                                          : castValuesAtLevel<Fp8Format::E5M2>(in, out, spec);
}

template <Fp8Format F>
CastStatistics castCodes(std::span<const float> in, uint8_t* out, const QuantiseSpec& spec) {
    return spec.roundInputToBf16 ? castSpan<F, StatisticsLevel::Errors, true>(in, out, spec)
                                 : castSpan<F, StatisticsLevel::Errors, false>(in, out, spec);
}

CastStatistics quantiseCodes(std::span<const float> in, uint8_t* out, const QuantiseSpec& spec) {
    return spec.format == Fp8Format::E4M3 ? castCodes<Fp8Format::E4M3>(in, out, spec)
                                          : castCodes<Fp8Format::E5M2>(in, out, spec);
}

void roundSpanToBf16(const float* in, float* out, size_t n) {
    size_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        const auto x = hn::LoadU(kFloat, in + i);
        const auto nan = hn::IsNaN(x);
        const auto quiet = hn::Or(hn::And(x, hn::BitCast(kFloat, hn::Set(kBits, kSignBit))),
                                  hn::BitCast(kFloat, hn::Set(kBits, 0x7FC00000u)));
        hn::StoreU(hn::IfThenElse(nan, quiet, roundVecToBf16(x)), kFloat, out + i);
    }
    for (; i < n; ++i)
        out[i] = numerics::roundToBf16(in[i]);
}

CastStatistics amaxOfBlock(const float* in, size_t n) {
    CastStatistics statistics;
    statistics.elements = n;
    auto maxBits = hn::Zero(kBits);
    size_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        maxBits = hn::Max(maxBits, hn::BitCast(kBits, hn::Abs(hn::LoadU(kFloat, in + i))));
    }
    HWY_ALIGN uint32_t lanes[kLanes];
    hn::Store(maxBits, kBits, lanes);
    uint32_t largest = *std::max_element(lanes, lanes + kLanes);
    for (; i < n; ++i)
        largest = std::max(largest, bitsOf(in[i]) & ~kSignBit);
    if (largest < kInfinityBits) {
        statistics.amax = floatOf(largest);
        return statistics;
    }
    for (size_t k = 0; k < n; ++k) {
        const uint32_t bits = bitsOf(in[k]) & ~kSignBit;
        statistics.nans += bits > kInfinityBits;
        statistics.infinities += bits == kInfinityBits;
        if (bits < kInfinityBits) statistics.amax = std::max(statistics.amax, floatOf(bits));
    }
    return statistics;
}

const char* targetName() {
    return hwy::TargetName(HWY_TARGET);
}

}  // namespace octet::numerics::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace octet::numerics {
HWY_EXPORT(quantiseValues);
HWY_EXPORT(quantiseCodes);
HWY_EXPORT(roundSpanToBf16);
HWY_EXPORT(amaxOfBlock);
HWY_EXPORT(targetName);

CastStatistics quantise(std::span<const float> in, std::span<float> values, const QuantiseSpec& spec) {
    return HWY_DYNAMIC_DISPATCH(quantiseValues)(in, values.data(), spec);
}

CastStatistics quantiseToCodes(std::span<const float> in, std::span<uint8_t> codes, const QuantiseSpec& spec) {
    QuantiseSpec full = spec;
    full.level = StatisticsLevel::Errors;
    return HWY_DYNAMIC_DISPATCH(quantiseCodes)(in, codes.data(), full);
}

void roundToBf16(std::span<const float> in, std::span<float> out) {
    HWY_DYNAMIC_DISPATCH(roundSpanToBf16)(in.data(), out.data(), in.size());
}

CastStatistics measureAmax(std::span<const float> in) {
    CastStatistics total;
    for (size_t at = 0; at < in.size(); at += kBlockElements) {
        const size_t n = std::min(in.size() - at, static_cast<size_t>(kBlockElements));
        total.merge(HWY_DYNAMIC_DISPATCH(amaxOfBlock)(in.data() + at, n));
    }
    return total;
}

const char* simdTargetName() {
    return HWY_DYNAMIC_DISPATCH(targetName)();
}

}  // namespace octet::numerics
#endif
