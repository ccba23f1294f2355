// SPDX-License-Identifier: Apache-2.0
// What one cast did to a tensor: counts, finite amax, error sums. Partials are merged in a fixed order, so that a sum
// does not depend on the number of threads.
#pragma once

#include <cstdint>

namespace octet::numerics {

/// Elements that one partial covers; larger spans are cut at multiples of it.
inline constexpr int64_t kBlockElements = 4096;

struct CastStatistics {
    uint64_t elements = 0;
    uint64_t underflows = 0;  // non-zero elements whose code is a zero (TE's underflows)
    uint64_t overflows = 0;   // |x| > F * scale_inv (TE's overflows; some of them round back to F)
    uint64_t saturated = 0;   // |x * scale| rounds above F
    uint64_t nans = 0;
    uint64_t infinities = 0;
    float amax = 0;  // largest finite magnitude
    // Sums over the finite elements x with their dequantised values y; empty below StatisticsLevel::Errors.
    double squaredError = 0;    // (x - y)^2
    double sumSquares = 0;      // x^2
    double sumSquaresCast = 0;  // y^2

    /// Adds the partial that follows in memory order.
    void merge(const CastStatistics& next);

    [[nodiscard]] bool allFinite() const { return nans == 0 && infinities == 0; }
    /// Percent of all elements; 0 for an empty tensor.
    [[nodiscard]] double underflowPercent() const { return percent(underflows); }
    [[nodiscard]] double overflowPercent() const { return percent(overflows); }
    [[nodiscard]] double saturatedPercent() const { return percent(saturated); }
    /// Mean squared error over the finite elements.
    [[nodiscard]] double meanSquaredError() const;
    /// Signal to quantisation noise in dB; +infinity when the cast is exact.
    [[nodiscard]] double sqnrDb() const;
    /// Cosine of x and y; 1 when the cast is exact, NaN when one of the two is all zero and the other is not.
    [[nodiscard]] double cosine() const;

private:
    [[nodiscard]] double percent(uint64_t count) const {
        return elements == 0 ? 0.0 : 100.0 * static_cast<double>(count) / static_cast<double>(elements);
    }
};

}  // namespace octet::numerics
