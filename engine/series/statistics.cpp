// SPDX-License-Identifier: Apache-2.0
// The small statistics behind a comparison: common steps, mean with its t interval, median, weighted mean.
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "engine/series/comparison.h"

namespace octet::series {
namespace {

/// Student's t, 97.5 % quantile. Tabled to 30 degrees of freedom; beyond by the Cornish-Fisher expansion (error <
/// 1e-5).
double tQuantile(size_t degrees) {
    static constexpr std::array table{12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912, 2.364624, 2.306004,
                                      2.262157,  2.228139, 2.200985, 2.178813, 2.160369, 2.144787, 2.131450, 2.119905,
                                      2.109816,  2.100922, 2.093024, 2.085963, 2.079614, 2.073873, 2.068658, 2.063899,
                                      2.059539,  2.055529, 2.051831, 2.048407, 2.045230, 2.042272};
    if (degrees <= table.size()) return table.at(degrees - 1);
    const double z = 1.959963985, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
    const double n = static_cast<double>(degrees);
    return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n) +
           (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * n * n * n);
}

}  // namespace

std::vector<double> commonSteps(std::span<const std::span<const double>> runs) {
    if (runs.empty()) return {};
    std::vector<double> common(runs.front().begin(), runs.front().end());
    for (const std::span<const double> steps : runs.subspan(1)) {
        std::vector<double> both;
        std::set_intersection(common.begin(), common.end(), steps.begin(), steps.end(), std::back_inserter(both));
        common = std::move(both);
    }
    return common;
}

size_t lastTenth(size_t steps) {
    return std::min(steps, std::max<size_t>(10, steps / 10));
}

MeanInterval meanInterval(std::span<const double> values) {
    MeanInterval result;
    const auto count = static_cast<double>(values.size());
    for (const double value : values)
        result.mean += value / count;
    if (values.size() < 2) return result;
    double squares = 0;
    for (const double value : values)
        squares += (value - result.mean) * (value - result.mean);
    const double half = tQuantile(values.size() - 1) * std::sqrt(squares / (count - 1) / count);
    result.interval = {result.mean - half, result.mean + half};
    return result;
}

Verdict barVerdict(const MeanInterval& gap, size_t seeds, double barPercent) {
    if (gap.interval && gap.interval->second < barPercent) return Verdict::Pass;
    if (gap.interval && gap.interval->first > barPercent) return Verdict::Fail;
    if (seeds < 5) return Verdict::NotEnoughData;
    return gap.mean <= barPercent ? Verdict::Pass : Verdict::Fail;
}

std::optional<double> median(std::vector<double> values) {
    std::erase_if(values, [](double value) { return !std::isfinite(value); });
    if (values.empty()) return {};
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

std::optional<double> weightedMean(std::span<const WeightedSamples> operands, double from, double to) {
    double sum = 0, weights = 0;
    for (const WeightedSamples& operand : operands) {
        for (size_t i = 0; i < operand.step.size(); ++i) {
            const bool isIn = operand.step[i] >= from && operand.step[i] <= to;
            if (!isIn || !std::isfinite(operand.value[i])) continue;
            sum += operand.weight * static_cast<double>(operand.value[i]);
            weights += operand.weight;
        }
    }
    if (weights <= 0) return {};
    return sum / weights;
}

}  // namespace octet::series
