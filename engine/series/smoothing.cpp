// SPDX-License-Identifier: Apache-2.0
#include "engine/series/smoothing.h"

#include <cmath>
#include <limits>

namespace octet::series {

double DebiasedEma::next(double sample) {
    if (!std::isfinite(sample)) return std::numeric_limits<double>::quiet_NaN();
    m_power *= m_smoothing;
    const double weight = (1 - m_smoothing) / (1 - m_power);
    // m + (x - m) is not always x: the first sample, and every one without smoothing, is taken as it is.
    m_mean = weight >= 1 ? sample : m_mean + (sample - m_mean) * weight;
    return m_mean;
}

std::vector<double> smoothed(std::span<const float> samples, double smoothing) {
    DebiasedEma average(smoothing);
    std::vector<double> out;
    out.reserve(samples.size());
    for (const float sample : samples)
        out.push_back(average.next(sample));
    return out;
}

}  // namespace octet::series
