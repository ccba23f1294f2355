// SPDX-License-Identifier: Apache-2.0
// Casts with a scale per block, made from the block's own amax, from one read of the tensor: FP8 block scaling
// (1x128 and 128x128, float32 scales) and MXFP8 (1x32 and 32x1, E8M0 scales). Rowwise blocks lie along the columns,
// columnwise ones along the rows; both are made from the source.
#pragma once

#include "engine/cuda/cast_transpose.cuh"

namespace octet::cuda {

using backend::BlockJob;
using backend::BlockKind;
using backend::BlockRule;
using backend::BlockScales;

inline constexpr int kBlockTileColumns = 128;

/// 16 bytes more than the elements, so that rows stay aligned and do not start on one bank.
template <class T>
constexpr int kBlockTilePitch = kBlockTileColumns + 16 / static_cast<int>(sizeof(T));

/// Magnitude bits for a block's amax: TE skips NaN, torchao's MX lets it spread (NaN's bits are the largest).
__device__ inline unsigned amaxBitsOf(float x, bool nanSpreads) {
    const unsigned bits = numerics::bitsOf(x) & ~numerics::kSignBit;
    return !nanSpreads && bits > numerics::kInfinityBits ? 0 : bits;
}

/// A block's multiplier, and what is stored for it.
struct BlockScale {
    float multiplier, inverse;
    uint8_t byte;
};

template <numerics::Fp8Format F>
__device__ inline BlockScale blockScaleOf(unsigned amaxBits, const BlockRule& rule) {
    const float amax = numerics::floatOf(amaxBits);
    if (rule.kind == BlockKind::Mx1x32) {
        const uint8_t byte = scaling::e8m0Byte(rule.mx, amax, F);
        return {scaling::e8m0Multiplier(rule.mx, byte), scaling::e8m0Value(byte), byte};
    }
    const float scale = scaling::teScale(amax, {numerics::fp8Max(F), rule.powerOfTwo, rule.epsilon, rule.onOverflow});
    return {scale, 1.0f / scale, 0};
}

__device__ inline void storeBlockScale(const BlockScales& scales, int64_t line, int64_t block, const BlockScale& scale,
                                       bool mx) {
    const int64_t at = scales.offset(line, block);
    if (mx)
        static_cast<uint8_t*>(scales.scales)[at] = scale.byte;
    else
        static_cast<float*>(scales.scales)[at] = scale.inverse;
}

__device__ inline bool nanSpreadsIn(const BlockRule& rule) {
    return rule.kind == BlockKind::Mx1x32 && rule.mx != scaling::MxRule::Te;
}

/// Reads a tile into shared memory; elements outside the tensor become zero.
template <class T, int kRows>
__device__ inline void loadBlockTile(const BlockJob& job, int64_t firstRow, int64_t firstColumn, bool vectors,
                                     T* tile) {
    constexpr int kElements = Chunk<T>::kElements, kPerRow = kBlockTileColumns / kElements;
    for (int i = static_cast<int>(threadIdx.x); i < kRows * kPerRow; i += static_cast<int>(kCastThreads)) {
        const int r = i / kPerRow, c = i % kPerRow * kElements;
        const int64_t row = firstRow + r, column = firstColumn + c;
        Chunk<T> chunk = {};
        if (row < job.x.rows && column < job.x.columns) {
            const T* source = static_cast<const T*>(job.x.data) + row * job.x.columns + column;
            const int64_t left = job.x.columns - column;
            if (vectors) {
                chunk = loadChunk(source);
            } else {
                for (int k = 0; k < kElements && k < left; ++k)
                    chunk.at[k] = source[k];
            }
        }
        *reinterpret_cast<Chunk<T>*>(tile + r * kBlockTilePitch<T> + c) = chunk;
    }
}

/// Amax of a whole tile, the same on every thread. `warps`: shared, one entry per warp.
template <class T, int kRows>
__device__ inline unsigned tileAmaxBits(const T* tile, unsigned* warps) {
    unsigned amax = 0;
    for (int i = static_cast<int>(threadIdx.x); i < kRows * kBlockTileColumns; i += static_cast<int>(kCastThreads)) {
        const unsigned bits =
            amaxBitsOf(toFloat(tile[i / kBlockTileColumns * kBlockTilePitch<T> + i % kBlockTileColumns]), false);
        if (bits > amax) amax = bits;
    }
    amax = warpMax(amax);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = amax;
    __syncthreads();
    for (unsigned warp = 0; warp < kCastThreads / 32; ++warp)
        if (warps[warp] > amax) amax = warps[warp];
    return amax;
}

/// A warp per row: four neighbouring elements a lane; kBlock / 4 lanes share a block.
template <class T, numerics::Fp8Format F, int kBlock>
__device__ inline void quantiseTileRows(const BlockJob& job, int64_t firstRow, int64_t firstColumn, const T* tile,
                                        unsigned tileAmax, CastPartial& counts) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const bool square = job.rule.kind == BlockKind::Float128x128, mx = job.rule.kind == BlockKind::Mx1x32;
    const int64_t column = firstColumn + lane * 4;
    ErrorSums sums;
    for (int r = static_cast<int>(threadIdx.x) / 32; r < kBlock; r += static_cast<int>(kCastThreads) / 32) {
        const int64_t row = firstRow + r;
        float values[4];
        unsigned amax = 0;
        for (int i = 0; i < 4; ++i) {
            values[i] = toFloat(tile[r * kBlockTilePitch<T> + lane * 4 + i]);
            const unsigned bits = amaxBitsOf(values[i], nanSpreadsIn(job.rule));
            if (bits > amax) amax = bits;
        }
        for (int offset = kBlock / 8; offset > 0; offset /= 2) {
            const unsigned other = __shfl_xor_sync(0xFFFFFFFFu, amax, offset);
            if (other > amax) amax = other;
        }
        if (row >= job.x.rows || column >= job.x.columns) continue;
        const BlockScale scale = blockScaleOf<F>(square ? tileAmax : amax, job.rule);
        float scaled[4];
        for (int i = 0; i < 4; ++i)
            scaled[i] = values[i] * scale.multiplier;
        const uint64_t codes = encodeElements<F>(scaled);
        const int64_t left = job.x.columns - column;
        const int count = left < 4 ? static_cast<int>(left) : 4;
        countChunk<F, true>(counts, sums, values, codes, count, scale.multiplier);
        if (job.rowwiseCodes == nullptr) continue;
        storeCodes(job.rowwiseCodes + row * job.rowwisePitch + column, codes, count, 4);
        const bool leads = lane % (kBlock / 4) == 0 && (!square || r == 0);
        if (leads) storeBlockScale(job.rowwiseScales, square ? row / 128 : row, column / kBlock, scale, mx);
    }
    addSums(counts, sums);
}

/// Codes of one column's share of rows: 16 at a time when they lie together and aligned.
template <class T, numerics::Fp8Format F, int kShare>
__device__ inline void storeTileColumn(const BlockJob& job, int64_t firstRow, int64_t column, const T* source,
                                       float multiplier) {
    for (int r = 0; r < kShare && firstRow + r < job.x.rows; r += 16) {
        alignas(16) uint8_t codes[16];
        for (int i = 0; i < 16; i += 2) {
            const float low = toFloat(source[(r + i) * kBlockTilePitch<T>]) * multiplier;
            const float high = toFloat(source[(r + i + 1) * kBlockTilePitch<T>]) * multiplier;
            const uint16_t pair = encodePair<F>(low, high);
            codes[i] = static_cast<uint8_t>(pair);
            codes[i + 1] = static_cast<uint8_t>(pair >> 8);
        }
        const int64_t row = firstRow + r, left = job.x.rows - row;
        if (job.columnwiseTransposed) {
            uint8_t* target = job.columnwiseCodes + column * job.columnwisePitch + row;
            if (left >= 16 && isAligned(target, 16)) {
                *reinterpret_cast<Chunk<uint8_t>*>(target) = *reinterpret_cast<const Chunk<uint8_t>*>(codes);
                continue;
            }
            for (int i = 0; i < 16 && i < left; ++i)
                target[i] = codes[i];
        } else {
            for (int i = 0; i < 16 && i < left; ++i)
                job.columnwiseCodes[(row + i) * job.columnwisePitch + column] = codes[i];
        }
    }
}

/// Two threads per column, each with half of its rows. `halves`: shared, one entry per thread.
template <class T, numerics::Fp8Format F, int kBlock>
__device__ inline void quantiseTileColumns(const BlockJob& job, int64_t firstRow, int64_t firstColumn, const T* tile,
                                           unsigned tileAmax, unsigned* halves) {
    constexpr int kShare = kBlock / 2;
    const int c = static_cast<int>(threadIdx.x) % kBlockTileColumns;
    const int half = static_cast<int>(threadIdx.x) / kBlockTileColumns;
    const bool square = job.rule.kind == BlockKind::Float128x128, mx = job.rule.kind == BlockKind::Mx1x32;
    const T* source = tile + half * kShare * kBlockTilePitch<T> + c;
    unsigned amax = 0;
    for (int r = 0; r < kShare; ++r) {
        const unsigned bits = amaxBitsOf(toFloat(source[r * kBlockTilePitch<T>]), nanSpreadsIn(job.rule));
        if (bits > amax) amax = bits;
    }
    halves[threadIdx.x] = amax;
    __syncthreads();
    const unsigned other = halves[(threadIdx.x + kBlockTileColumns) % kCastThreads];
    if (other > amax) amax = other;
    const int64_t column = firstColumn + c;
    if (column >= job.x.columns) return;
    const BlockScale scale = blockScaleOf<F>(square ? tileAmax : amax, job.rule);
    if (half == 0 && (!square || c == 0)) {
        storeBlockScale(job.columnwiseScales, square ? column / 128 : column, firstRow / kBlock, scale, mx);
    }
    storeTileColumn<T, F, kShare>(job, firstRow + half * kShare, column, source, scale.multiplier);
}

/// Grid up to kMaxCastBlocks, block kCastThreads; a block takes tiles of kBlock rows x 128 columns through shared
/// memory in the source's own type, so that rows and columns are both scaled from one read. Dynamic shared memory:
/// kBlock rows of kBlockTilePitch elements.
template <class T, numerics::Fp8Format F, int kBlock>
__global__ void __launch_bounds__(kCastThreads, 3) blockQuantiseKernel(BlockJob job, CastPartial* partials) {
    OCTET_DYNAMIC_SHARED(T, tile);
    OCTET_SHARED(CastPartial, warps, kCastThreads / 32);
    OCTET_SHARED(unsigned, words, kCastThreads);
    const bool vectors = isAligned(job.x.data, 16) && job.x.columns % Chunk<T>::kElements == 0;
    const int64_t tilesAcross = ceilDivide(job.x.columns, kBlockTileColumns);
    const int64_t tiles = tilesAcross * ceilDivide(job.x.rows, kBlock);
    CastPartial counts = {};
    for (int64_t number = blockIdx.x; number < tiles; number += gridDim.x) {
        const int64_t firstRow = number / tilesAcross * kBlock, firstColumn = number % tilesAcross * kBlockTileColumns;
        loadBlockTile<T, kBlock>(job, firstRow, firstColumn, vectors, tile);
        __syncthreads();  // the tile is there
        unsigned tileAmax = 0;
        if (job.rule.kind == BlockKind::Float128x128) tileAmax = tileAmaxBits<T, kBlock>(tile, words);
        quantiseTileRows<T, F, kBlock>(job, firstRow, firstColumn, tile, tileAmax, counts);
        __syncthreads();  // `words` is free again
        if (job.columnwiseCodes != nullptr) {
            quantiseTileColumns<T, F, kBlock>(job, firstRow, firstColumn, tile, tileAmax, words);
        }
        __syncthreads();  // the tile is read
    }
    const CastPartial sum = blockSum(counts, warps);
    if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

inline LaunchShape blockShape(int64_t rows, int64_t columns, BlockKind kind, size_t elementBytes) {
    const int64_t length = backend::blockLength(kind);
    const int64_t tiles = ceilDivide(rows, length) * ceilDivide(columns, kBlockTileColumns);
    const size_t rowBytes = kBlockTileColumns * elementBytes + 16;
    return {static_cast<unsigned>(tiles < kMaxCastBlocks ? tiles : kMaxCastBlocks), 1, kCastThreads,
            static_cast<size_t>(length) * rowBytes};
}

}  // namespace octet::cuda
