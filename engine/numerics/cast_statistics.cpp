// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/cast_statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace octet::numerics {

void CastStatistics::merge(const CastStatistics& next) {
    elements += next.elements;
    underflows += next.underflows;
    overflows += next.overflows;
    saturated += next.saturated;
    nans += next.nans;
    infinities += next.infinities;
    amax = std::max(amax, next.amax);
    squaredError += next.squaredError;
    sumSquares += next.sumSquares;
    sumSquaresCast += next.sumSquaresCast;
}

double CastStatistics::meanSquaredError() const {
    const uint64_t finite = elements - nans - infinities;
    return finite == 0 ? 0.0 : squaredError / static_cast<double>(finite);
}

double CastStatistics::sqnrDb() const {
    if (squaredError == 0) return std::numeric_limits<double>::infinity();
    return 10.0 * std::log10(sumSquares / squaredError);
}

double CastStatistics::cosine() const {
    if (squaredError == 0) return 1.0;
    // x.y from the three sums: (x - y)^2 = x^2 + y^2 - 2 x.y
    const double dot = 0.5 * (sumSquares + sumSquaresCast - squaredError);
    return dot / std::sqrt(sumSquares * sumSquaresCast);
}

}  // namespace octet::numerics
