// SPDX-License-Identifier: Apache-2.0
// The numerics passes over a whole tensor on several threads. Work is cut into fixed tasks of whole blocks and partials
// are merged in task order, so results do not depend on the number of threads.
#pragma once

#include <span>

#include "engine/numerics/exponents.h"
#include "engine/numerics/quantise.h"
#include "engine/scaling/tile_cast.h"

namespace octet::backend {

numerics::CastStatistics quantiseParallel(std::span<const float> in, std::span<float> values,
                                          const numerics::QuantiseSpec& spec);
numerics::CastStatistics measureAmaxParallel(std::span<const float> in);
scaling::TileCastResult castTilesParallel(const scaling::TileMatrix& matrix, const scaling::TileCastSpec& spec);
void roundToBf16Parallel(std::span<const float> in, std::span<float> out);
numerics::ExponentCounts countExponentsParallel(std::span<const float> in);

}  // namespace octet::backend
