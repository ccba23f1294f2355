// SPDX-License-Identifier: Apache-2.0
// De-biased exponential moving average over the full data. A constant stays exactly constant, and the first value is
// the first sample: no start near zero, no spike.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace octet::series {

/// m += (x - m)(1 - b)/(1 - b^t), t counting the finite samples seen.
/// A sample that is not finite gives NaN at its own step and changes nothing else: the next finite sample goes on from
/// the average before it.
class DebiasedEma {
public:
    /// @param smoothing  b, in [0, 1); 0 returns the samples themselves
    explicit DebiasedEma(double smoothing) : m_smoothing(smoothing) {}

    [[nodiscard]] double next(double sample);

private:
    double m_smoothing;
    double m_power = 1;  // b^t
    double m_mean = 0;
};

/// The average after each sample; as long as `samples`.
[[nodiscard]] std::vector<double> smoothed(std::span<const float> samples, double smoothing);

}  // namespace octet::series
