// SPDX-License-Identifier: Apache-2.0
// What a run is stamped with in the store: everything that must agree before two runs may be compared, and what ran.
#pragma once

#include <optional>

#include "engine/core/json.h"
#include "engine/recipe/run_spec.h"
#include "engine/recipe/training_plan.h"

namespace octet::train {

struct PreparedExperiment;
struct PreparedRun;

/// Model, data and order hashes, seed, batch split, threads, device, processor, versions, entropies.
[[nodiscard]] Json environmentOf(const PreparedExperiment& experiment, const PreparedRun& run);

/// The plan as the store keeps it: formats, history, and the notes on what was asked and does not happen.
[[nodiscard]] Json planToJson(const recipe::TrainingPlan& plan);

/// {"fprop": "E4M3 x E4M3", "dgrad": "E5M2 x E4M3", "wgrad": "BF16"}: operands of each GEMM as they run.
[[nodiscard]] Json gemmsThatRun(const recipe::LayerPlan& layer, recipe::ActivationDtype dtype);

}  // namespace octet::train
