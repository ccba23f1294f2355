// SPDX-License-Identifier: Apache-2.0
#include "engine/train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace octet::train {

double learningRateAt(const recipe::OptimizerSpec& spec, int64_t step, int64_t steps) {
    if (step < spec.warmupSteps) {
        return spec.lr * static_cast<double>(step + 1) / static_cast<double>(spec.warmupSteps);
    }
    if (spec.schedule == recipe::Schedule::Constant) return spec.lr;
    const auto span = static_cast<double>(std::max<int64_t>(steps - 1 - spec.warmupSteps, 1));
    const double done = std::min(1.0, static_cast<double>(step - spec.warmupSteps) / span);
    return spec.minLr + 0.5 * (spec.lr - spec.minLr) * (1.0 + std::cos(std::numbers::pi * done));
}

}  // namespace octet::train
