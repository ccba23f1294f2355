// SPDX-License-Identifier: Apache-2.0
// The parts of a matrix that tile casts run on, and the scales of whole columns.
#include <algorithm>

#include "engine/numerics/quantise_reference.h"
#include "engine/scaling/column_scales.h"
#include "engine/scaling/tile_cast_reference.h"

namespace octet::scaling {
namespace {

constexpr int64_t kTaskElements = 8 * numerics::kBlockElements;
constexpr int64_t kStripCols = 1024;

}  // namespace

void TileCastResult::merge(const TileCastResult& next) {
    statistics.merge(next.statistics);
    scaleInvMin = std::min(scaleInvMin, next.scaleInvMin);
    scaleInvMax = std::max(scaleInvMax, next.scaleInvMax);
}

std::vector<TileTask> tileTasks(int64_t rows, int64_t cols, const TileShape& tile) {
    const bool byRows = tile.rows == 1 || hasWholeColumns(tile, rows);
    const int64_t tileRows = byRows ? 1 : std::min(tile.rows, rows);
    const int64_t width = byRows ? cols : std::min(cols, kStripCols);
    std::vector<TileTask> tasks;
    if (rows == 0 || cols == 0) return tasks;
    const int64_t height = tileRows * std::max<int64_t>(1, kTaskElements / (tileRows * width));
    for (int64_t row = 0; row < rows; row += height) {
        for (int64_t col = 0; col < cols; col += width) {
            tasks.push_back({row, std::min(height, rows - row), col, std::min(width, cols - col)});
        }
    }
    return tasks;
}

ColumnScales columnScalesFrom(std::span<const uint32_t> bits, const TileCastSpec& spec) {
    constexpr size_t kGroup = numerics::kVirtualLanes;
    ColumnScales scales;
    scales.multipliers.assign((bits.size() + kGroup - 1) / kGroup * kGroup, 1.0f);
    scales.dequantisers = scales.multipliers;
    const float limit = overflowLimit(spec.format);
    for (size_t col = 0; col < bits.size(); ++col) {
        float amax = numerics::floatOf(bits[col]);
        if (spec.roundInputToBf16) amax = numerics::roundToBf16(amax);
        const TileScale scale = tileScaleOf({amax, false, false}, spec);
        scales.allFinite = scales.allFinite && isFinite(amax) && isFinite(scale.multiplier) && scale.multiplier > 0;
        if (!scales.allFinite) return scales;
        scales.mayOverflow = scales.mayOverflow || amax * scale.multiplier > limit;
        scales.multipliers[col] = scale.multiplier;
        scales.dequantisers[col] = scale.dequantiser;
        scales.common.statistics.amax = std::max(scales.common.statistics.amax, amax);
        scales.common.scaleInvMin = std::min(scales.common.scaleInvMin, scale.inverse);
        scales.common.scaleInvMax = std::max(scales.common.scaleInvMax, scale.inverse);
    }
    return scales;
}

TileCastResult castTiles(const TileMatrix& matrix, const TileCastSpec& spec) {
    TileCastResult total;
    ColumnScales scales;
    const bool wholeColumns = hasWholeColumns(spec.tile, matrix.rows);
    if (wholeColumns) {
        std::vector<uint32_t> bits(static_cast<size_t>(matrix.cols));
        raiseToColumnMaxima(matrix, 0, matrix.rows, bits);
        scales = columnScalesFrom(bits, spec);
    }
    for (const TileTask& task : tileTasks(matrix.rows, matrix.cols, spec.tile)) {
        total.merge(wholeColumns ? castTaskWithColumnScales(matrix, task, spec, scales) : castTask(matrix, task, spec));
    }
    return total;
}

}  // namespace octet::scaling
