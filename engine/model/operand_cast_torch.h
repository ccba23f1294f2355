// SPDX-License-Identifier: Apache-2.0
// One operand cast as a plan says: which pass runs, and with which scale.
#pragma once

#include <ATen/core/Tensor.h>

#include "engine/backend/backend_torch.h"
#include "engine/recipe/training_plan.h"

namespace octet::model {

/// The dimension that the GEMM contracts; rows and blocks of scales run along it.
enum class Contracts { Columns, Rows };

struct CastRequest {
    recipe::OperandCast cast;
    Contracts contracts = Contracts::Columns;
    float delayedScale = 1;  // ScalingKind::Delayed
    bool roundInputToBf16 = true;
    numerics::StatisticsLevel level = numerics::StatisticsLevel::Errors;
};

/// What a cast did, whatever its granularity.
struct CastOutcome {
    numerics::CastStatistics statistics;
    float scale = 1;  // of the only tile; 0 where there are many
    float scaleInvMin = 1, scaleInvMax = 1;
};

/// True when the cast is the same whichever dimension is contracted: one scale a tensor, or square blocks.
[[nodiscard]] inline bool isDirectionless(const recipe::OperandCast& cast) {
    return !cast.hasManyScales() || cast.granularity == recipe::Granularity::Block128x128 ||
           cast.granularity == recipe::Granularity::Block32x32;
}

/// The request as a cast whose scales come from the tensor; with one scale a tensor, givenScale is still to be set.
[[nodiscard]] scaling::TileCastSpec tileCastSpec(const CastRequest& request);

/// Casts [rows, cols] float32 to FP8.
backend::Operand castOperand(backend::Backend& backend, const at::Tensor& in, const CastRequest& request,
                             CastOutcome& outcome);

}  // namespace octet::model
