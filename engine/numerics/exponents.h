// SPDX-License-Identifier: Apache-2.0
// Counts of the float32 exponents of a tensor: where its values lie against a format's window.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace octet::numerics {

struct ExponentCounts {
    std::array<uint64_t, 256> normal{};  // by biased exponent; [0] and [255] stay 0
    uint64_t zeros = 0;
    uint64_t subnormals = 0;
    uint64_t infinities = 0;
    uint64_t nans = 0;

    void merge(const ExponentCounts& other);
    bool operator==(const ExponentCounts&) const = default;
};

[[nodiscard]] ExponentCounts countExponents(std::span<const float> in);

}  // namespace octet::numerics
