// SPDX-License-Identifier: Apache-2.0
// Casts whose scales come from the tensor itself, one per tile: rows, columns, 1x128, 128x128, 1x32, 32x32. Amax, scale
// and cast of a tile run while it is in the cache; SIMD (Highway) with run-time dispatch, equal bit for bit to the
// plain definition in tile_cast_reference.h.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "engine/numerics/cast_statistics.h"
#include "engine/numerics/quantise.h"
#include "engine/scaling/scale_rules.h"

namespace octet::scaling {

inline constexpr int64_t kWholeDimension = std::numeric_limits<int64_t>::max();

/// Rows and columns that share one scale. The last tiles of a dimension may be smaller.
struct TileShape {
    int64_t rows = 1;
    int64_t cols = kWholeDimension;
};

enum class ScaleSource : uint8_t {
    Te,       // teScale; dequantised by fl32(1 / scale)
    Torchao,  // torchaoScale; dequantised by division
    Mx,       // e8m0Byte; dequantised by the byte's value
    Given,    // givenScale for every tile, dequantised by division: torchao with one scale a tensor
};

struct TileCastSpec {
    numerics::Fp8Format format = numerics::Fp8Format::E4M3;
    TileShape tile;
    ScaleSource source = ScaleSource::Te;
    bool powerOfTwo = false;     // Te, Torchao
    float epsilon = 0;           // Te: floor of the amax
    MxRule mxRule = MxRule::Te;  // Mx
    float givenScale = 1;        // Given
    bool roundInputToBf16 = false;
    numerics::StatisticsLevel level = numerics::StatisticsLevel::Errors;
};

/// What a cast of many scales did. `overflows` counts magnitudes whose product with the scale lies above F by more than
/// the scale's own rounding: where a scale is made from the tile's amax, only MX modes that round down have any.
struct TileCastResult {
    numerics::CastStatistics statistics;
    float scaleInvMin = std::numeric_limits<float>::infinity();  // TE's scale_inv_min and scale_inv_max
    float scaleInvMax = 0;

    void merge(const TileCastResult& next);
};

/// A matrix and what is made of it. Outputs that are nullptr are not written.
struct TileMatrix {
    const float* in = nullptr;  // [rows, cols], row-major; may hold NaN and infinities
    int64_t rows = 0;
    int64_t cols = 0;
    float* values = nullptr;   // [rows, cols] dequantised float32; must not overlap `in`
    uint8_t* codes = nullptr;  // [rows, cols]
    float* scales = nullptr;   // [ceil(rows / tile.rows), ceil(cols / tile.cols)]: multipliers before the cast
};

/// A part of a matrix that is cast by itself: whole tiles, small enough for the cache where tiles allow it.
struct TileTask {
    int64_t row = 0, rows = 0, col = 0, cols = 0;
};

/// The parts of a matrix, in the order in which their results are merged. They depend on the shape alone.
[[nodiscard]] std::vector<TileTask> tileTasks(int64_t rows, int64_t cols, const TileShape& tile);

/// Casts one part. Round to nearest even, saturating; NaN stays NaN.
TileCastResult castTask(const TileMatrix& matrix, const TileTask& task, const TileCastSpec& spec);

/// Casts the whole matrix on this thread.
TileCastResult castTiles(const TileMatrix& matrix, const TileCastSpec& spec);

}  // namespace octet::scaling
