// SPDX-License-Identifier: Apache-2.0
// What a GPU is asked to do, as plain structs that cross the plug-in's border: no CUDA, no torch. Pointers are device
// memory. Sizes are elements; matrices are row-major.
#pragma once

#include <cstdint>

#include "engine/scaling/scale_rules.h"

namespace octet::backend {

enum class ElementType : int32_t { Float32, Bf16, Float16 };

constexpr int64_t bytesOf(ElementType type) {
    return type == ElementType::Float32 ? 4 : 2;
}

struct TensorView {
    const void* data = nullptr;  // any alignment that its elements allow
    ElementType type = ElementType::Float32;
    int64_t rows = 0, columns = 0;
};

/// scaling::FoundAmax as kernels add to it; start from zero. A non-negative float's bits keep its order.
struct FoundWords {
    uint32_t finiteBits, hasNan, hasInfinity;
};
OCTET_HOST_DEVICE constexpr scaling::FoundAmax foundAmax(const FoundWords& words) {
    return {numerics::floatOf(words.finiteBits), words.hasNan != 0, words.hasInfinity != 0};
}

/// What numerics::CastStatistics holds, as the device writes it.
struct CastTotals {
    uint64_t elements, underflows, overflows, saturated, nans, infinities;
    double squaredError, sumSquares, sumSquaresCast;
    float amax;
};

enum class ScaleLibrary : int32_t { Te, Torchao };

/// Current scaling of one tensor, or of every row or column of it.
struct CurrentScaleRule {
    ScaleLibrary library = ScaleLibrary::Te;
    numerics::Fp8Format format = numerics::Fp8Format::E4M3;
    bool powerOfTwo = false;
    float epsilon = 0;  // TE only
};
OCTET_HOST_DEVICE constexpr float currentScale(const scaling::FoundAmax& found, const CurrentScaleRule& rule) {
    const float fp8Max = rule.format == numerics::Fp8Format::E4M3 ? 448.0f : 57344.0f;
    if (rule.library == ScaleLibrary::Torchao) {
        return scaling::torchaoScale(scaling::torchaoAmax(found), fp8Max, rule.powerOfTwo);
    }
    return scaling::teScale(scaling::teAmax(found), {fp8Max, rule.powerOfTwo, rule.epsilon, scaling::kLargestFloat32});
}

/// Delayed scaling of one tensor; an array of these lies on the device for all tensors of a model.
struct DelayedTensor {
    float* older;  // rows 1..L-1 of TE's history as a ring; `oldest` is row 1
    uint32_t olderRows, oldest;
    float fp8Max;
    int32_t margin;
    scaling::AmaxAlgo algo;
    scaling::UpdatePath path;
    uint32_t interval, updates;
    FoundWords found;  // what this step's casts saw; the update takes it and leaves zero
    float scale, scaleInv;
    uint32_t scaleMade;  // 0: casts still run with the initial scale 1
};

/// Scales of one direction: scale[index * stride]; stride 0 is one scale for all.
struct ScaleVector {
    const float* scale = nullptr;
    int64_t stride = 0;

    OCTET_HOST_DEVICE float at(int64_t index) const { return scale[index * stride]; }
};

/// Codes row by row and transposed, from one read. Statistics are of the rowwise cast.
struct CastJob {
    TensorView x;
    numerics::Fp8Format format = numerics::Fp8Format::E4M3;
    ScaleVector rowwise, columnwise;     // when both strides are 0, `rowwise` holds for both
    uint8_t* rowwiseCodes = nullptr;     // [rows, rowwisePitch]; null: not wanted
    int64_t rowwisePitch = 0;            // >= columns; bytes behind a row are left alone
    uint8_t* columnwiseCodes = nullptr;  // [columns, columnwisePitch], transposed; null: not wanted
    int64_t columnwisePitch = 0;         // >= rows
    bool errorSums = false;              // gather the sums for MSE, SQNR and cosine too
    CastTotals* totals = nullptr;        // null: not wanted
    FoundWords* found = nullptr;         // the amax is added here; null: not wanted
};

enum class BlockKind : int32_t { Float1x128, Float128x128, Mx1x32 };

OCTET_HOST_DEVICE constexpr int blockLength(BlockKind kind) {
    return kind == BlockKind::Mx1x32 ? 32 : 128;
}

/// How a block's amax becomes its scale.
struct BlockRule {
    BlockKind kind = BlockKind::Float1x128;
    bool powerOfTwo = true;                       // float scales
    float epsilon = 0;                            // float scales
    float onOverflow = scaling::kLargestFloat32;  // float scales: the input type's largest finite value
    scaling::MxRule mx = scaling::MxRule::Te;     // E8M0 scales
};

/// Where the scale of (line, block) goes: line is the row (rowwise) or column (columnwise), or its number of 128 for
/// 128x128 blocks. Float scales are stored as scale_inv, MX scales as E8M0 bytes.
struct BlockScales {
    void* scales = nullptr;
    int64_t lineStride = 0, blockStride = 1;
    bool swizzled = false;     // E8M0 in cuBLASLt's tiles of 128 lines x 4 blocks; the strides are not used
    int64_t swizzleTiles = 0;  // tiles of 4 blocks along a line, rounded up

    OCTET_HOST_DEVICE int64_t offset(int64_t line, int64_t block) const {
        if (!swizzled) return line * lineStride + block * blockStride;
        const int64_t tile = line / 128 * swizzleTiles + block / 4;
        return tile * 512 + line % 32 * 16 + line % 128 / 32 * 4 + block % 4;
    }
};

/// Block-scaled codes along rows and along columns, from one read. Statistics are of the rowwise cast.
struct BlockJob {
    TensorView x;
    numerics::Fp8Format format = numerics::Fp8Format::E4M3;
    BlockRule rule;
    uint8_t* rowwiseCodes = nullptr;  // [rows, rowwisePitch]; null: not wanted
    int64_t rowwisePitch = 0;
    BlockScales rowwiseScales;
    uint8_t* columnwiseCodes = nullptr;  // null: not wanted
    int64_t columnwisePitch = 0;
    bool columnwiseTransposed = true;  // [columns, pitch], else [rows, pitch] as MXFP8 keeps them
    BlockScales columnwiseScales;
    CastTotals* totals = nullptr;  // null: not wanted
    FoundWords* found = nullptr;   // null: not wanted
};

/// value = code * scale_inv. Which scale: one per rowsPerScale x columnsPerScale block.
struct DequantiseJob {
    const uint8_t* codes = nullptr;  // [rows, pitch]
    int64_t rows = 0, columns = 0, pitch = 0;
    numerics::Fp8Format format = numerics::Fp8Format::E4M3;
    const void* scales = nullptr;  // float32 scale_inv, or E8M0 bytes
    bool e8m0 = false;
    int64_t rowsPerScale = 1, columnsPerScale = 1;
    int64_t rowStride = 0, columnStride = 0;  // in scales
    float* out = nullptr;                     // [rows, columns]
};

/// Exponent counts: 0..255 by biased exponent (0 and 255 stay 0), then these.
enum ExponentSlot { kZerosSlot = 256, kSubnormalsSlot, kInfinitiesSlot, kNansSlot, kExponentSlots };

}  // namespace octet::backend
