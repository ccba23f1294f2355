// SPDX-License-Identifier: Apache-2.0
// Learning rate by step: linear warm-up, then cosine to the minimum at the last step, or constant.
#pragma once

#include "engine/recipe/run_spec.h"

namespace octet::train {

[[nodiscard]] double learningRateAt(const recipe::OptimizerSpec& spec, int64_t step, int64_t steps);

}  // namespace octet::train
