// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/quantise_reference.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "engine/numerics/cast_counter.h"

namespace octet::numerics {
namespace {

using Lanes = std::array<float, kVirtualLanes>;

double laneSum(const Lanes& lanes) {
    double sum = 0;
    for (const float lane : lanes)
        sum += static_cast<double>(lane);
    return sum;
}

/// Counts one element and returns its cast value (unscaled).
template <Fp8Format F>
float castElement(float x, float scale, float overflowLimit, CastStatistics& statistics) {
    const float magnitude = std::fabs(x);
    const float scaled = magnitude * scale;
    const float rounded = std::isnan(x) ? std::numeric_limits<float>::quiet_NaN() : roundMagnitude<F>(scaled);
    countElement<F>(statistics, magnitude, scaled, rounded == 0, overflowLimit);
    if (std::isnan(x)) return rounded;
    return std::copysign(rounded, x);
}

void dropAbove(StatisticsLevel level, CastStatistics& statistics) {
    if (level < StatisticsLevel::Counters) statistics.underflows = statistics.overflows = statistics.saturated = 0;
}

}  // namespace

template <Fp8Format F>
CastStatistics quantiseBlockReference(std::span<const float> in, float* values, uint8_t* codes,
                                      const QuantiseSpec& spec) {
    const float scaleInv = 1.0f / spec.scale;
    const float overflowLimit = fp8Max(F) * scaleInv;
    CastStatistics statistics;
    statistics.elements = in.size();
    for (size_t runStart = 0; runStart < in.size(); runStart += kRunElements) {
        const size_t runEnd = std::min(in.size(), runStart + static_cast<size_t>(kRunElements));
        Lanes error{}, square{}, squareCast{};
        for (size_t i = runStart; i < runEnd; ++i) {
            const float x = spec.roundInputToBf16 ? roundToBf16(in[i]) : in[i];
            const float value = castElement<F>(x, spec.scale, overflowLimit, statistics);
            if (values != nullptr) values[i] = value;
            if (codes != nullptr) codes[i] = encode<F>(value);
            if (spec.level < StatisticsLevel::Errors || !std::isfinite(x)) continue;
            const float dequantised = value * scaleInv;
            const float difference = x - dequantised;
            const size_t lane = (i - runStart) % kVirtualLanes;
            error[lane] += difference * difference;
            square[lane] += x * x;
            squareCast[lane] += dequantised * dequantised;
        }
        statistics.squaredError += laneSum(error);
        statistics.sumSquares += laneSum(square);
        statistics.sumSquaresCast += laneSum(squareCast);
    }
    dropAbove(spec.level, statistics);
    return statistics;
}

template CastStatistics quantiseBlockReference<Fp8Format::E4M3>(std::span<const float>, float*, uint8_t*,
                                                                const QuantiseSpec&);
template CastStatistics quantiseBlockReference<Fp8Format::E5M2>(std::span<const float>, float*, uint8_t*,
                                                                const QuantiseSpec&);

CastStatistics quantiseReference(std::span<const float> in, float* values, uint8_t* codes, const QuantiseSpec& spec) {
    CastStatistics total;
    for (size_t at = 0; at < in.size(); at += kBlockElements) {
        const auto block = in.subspan(at, std::min(in.size() - at, static_cast<size_t>(kBlockElements)));
        float* blockValues = values == nullptr ? nullptr : values + at;
        uint8_t* blockCodes = codes == nullptr ? nullptr : codes + at;
        total.merge(spec.format == Fp8Format::E4M3
                        ? quantiseBlockReference<Fp8Format::E4M3>(block, blockValues, blockCodes, spec)
                        : quantiseBlockReference<Fp8Format::E5M2>(block, blockValues, blockCodes, spec));
    }
    return total;
}

}  // namespace octet::numerics
