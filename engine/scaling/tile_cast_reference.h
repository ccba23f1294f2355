// SPDX-License-Identifier: Apache-2.0
// The tile cast written plainly: what castTask() must give, bit for bit, and what it falls back to for a part that
// holds NaN or Inf. Error sums run in 16 virtual float lanes (lane = column % 16) over at most 1,024 elements, then in
// double.
#pragma once

#include "engine/scaling/tile_cast.h"

namespace octet::scaling {

/// How one tile is cast and read back.
struct TileScale {
    float multiplier = 1;   // before the cast
    float dequantiser = 1;  // divides (torchao) or multiplies (the others) a code's value
    float inverse = 1;      // what scale_inv_min and scale_inv_max are made of
};

/// True where a value is read back by division: torchao. A power of two divides as exactly as its inverse multiplies.
[[nodiscard]] constexpr bool dividesBack(const TileCastSpec& spec) {
    return (spec.source == ScaleSource::Torchao && !spec.powerOfTwo) || spec.source == ScaleSource::Given;
}

[[nodiscard]] constexpr TileScale tileScaleOf(const FoundAmax& found, const TileCastSpec& spec) {
    switch (spec.source) {
        case ScaleSource::Te: {
            const float onOverflow = spec.roundInputToBf16 ? kLargestBf16 : kLargestFloat32;
            const float scale =
                teScale(teAmax(found), {numerics::fp8Max(spec.format), spec.powerOfTwo, spec.epsilon, onOverflow});
            return {scale, 1.0f / scale, 1.0f / scale};
        }
        case ScaleSource::Torchao: {
            const float scale = torchaoScale(torchaoAmax(found), numerics::fp8Max(spec.format), spec.powerOfTwo);
            return {scale, spec.powerOfTwo ? 1.0f / scale : scale, 1.0f / scale};
        }
        case ScaleSource::Mx: {
            const float amax = spec.mxRule == MxRule::Te ? teAmax(found) : torchaoAmax(found);
            const uint8_t byte = e8m0Byte(spec.mxRule, amax, spec.format);
            return {e8m0Multiplier(spec.mxRule, byte), e8m0Value(byte), e8m0Value(byte)};
        }
        case ScaleSource::Given:
            break;
    }
    return {spec.givenScale, spec.givenScale, 1.0f / spec.givenScale};
}

/// Above this product an element overflows: F and the rounding of a scale made from the tile's own amax.
[[nodiscard]] constexpr float overflowLimit(numerics::Fp8Format format) {
    return numerics::floatOf(numerics::bitsOf(numerics::fp8Max(format)) + 1);
}

TileCastResult castTaskReference(const TileMatrix& matrix, const TileTask& task, const TileCastSpec& spec);

}  // namespace octet::scaling
