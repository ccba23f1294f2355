// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/exponents.h"

#include "engine/numerics/fp8_scalar.h"

namespace octet::numerics {

void ExponentCounts::merge(const ExponentCounts& other) {
    for (size_t i = 0; i < normal.size(); ++i)
        normal[i] += other.normal[i];
    zeros += other.zeros;
    subnormals += other.subnormals;
    infinities += other.infinities;
    nans += other.nans;
}

ExponentCounts countExponents(std::span<const float> in) {
    // Four tables, so that neighbours with one exponent do not wait for each other's increment.
    std::array<std::array<uint64_t, 256>, 4> tables{};
    ExponentCounts counts;
    for (size_t i = 0; i < in.size(); ++i) {
        const uint32_t magnitude = bitsOf(in[i]) & ~kSignBit;
        ++tables[i & 3][magnitude >> 23];
        counts.zeros += magnitude == 0;
        counts.infinities += magnitude == kInfinityBits;
    }
    for (const auto& table : tables) {
        for (size_t e = 0; e < table.size(); ++e)
            counts.normal[e] += table[e];
    }
    counts.subnormals = counts.normal[0] - counts.zeros;
    counts.nans = counts.normal[255] - counts.infinities;
    counts.normal[0] = counts.normal[255] = 0;
    return counts;
}

}  // namespace octet::numerics
