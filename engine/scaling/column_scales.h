// SPDX-License-Identifier: Apache-2.0
// Scales of whole columns, made before a cast goes over the matrix row by row: rows are read as they lie in memory, and
// threads share them. castTask() gives the same on its own, but looks through the whole matrix for each part.
#pragma once

#include <span>
#include <vector>

#include "engine/scaling/tile_cast.h"

namespace octet::scaling {

/// True when every scale belongs to one whole column of a matrix with more than one row.
[[nodiscard]] constexpr bool hasWholeColumns(const TileShape& tile, int64_t rows) {
    return tile.cols == 1 && tile.rows != 1 && tile.rows >= rows;
}

/// Raises `bits` to the largest magnitude, as bits, of each column in the given rows. Maxima may be joined in any
/// order.
/// @param bits  one for each column of the matrix; 0 at first
void raiseToColumnMaxima(const TileMatrix& matrix, int64_t firstRow, int64_t rows, std::span<uint32_t> bits);

struct ColumnScales {
    bool allFinite = true;                         // else the parts have to go through castTask
    bool mayOverflow = false;                      // a product with the scale lies above F
    std::vector<float> multipliers, dequantisers;  // padded to whole groups of 16
    TileCastResult common;                         // amax, scale_inv_min and scale_inv_max
};
[[nodiscard]] ColumnScales columnScalesFrom(std::span<const uint32_t> bits, const TileCastSpec& spec);

/// castTask for whole columns with scales that were made before.
TileCastResult castTaskWithColumnScales(const TileMatrix& matrix, const TileTask& task, const TileCastSpec& spec,
                                        const ColumnScales& scales);

}  // namespace octet::scaling
