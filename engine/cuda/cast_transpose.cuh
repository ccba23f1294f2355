// SPDX-License-Identifier: Apache-2.0
// The fused cast: codes row by row, codes transposed, amax and statistics from one read of the tensor, as Hopper's FP8
// GEMM, which only multiplies rows by rows, needs them. Scales lie on the device: one for the tensor, or one per row
// for the rowwise codes and one per column for the transposed ones (torchao's axiswise scaling).
#pragma once

#include "engine/cuda/cast_partial.cuh"
#include "engine/scaling/scale_rules.h"

namespace octet::cuda {

using backend::CastJob;

inline constexpr int kCastTile = 64;
inline constexpr int kCastTilePitch = kCastTile + 4;  // bytes; keeps the column reads off each other's banks

/// Four or eight neighbouring elements of a row on their way through one thread.
template <class T>
struct CastChunk {
    static constexpr int kElements = Chunk<T>::kElements;
    float values[kElements];
    int count = 0;  // elements inside the tensor
};

template <class T>
__device__ inline CastChunk<T> readCastChunk(const CastJob& job, int64_t row, int64_t column, bool vectors) {
    CastChunk<T> chunk;
    if (row >= job.x.rows || column >= job.x.columns) return chunk;
    const T* source = static_cast<const T*>(job.x.data) + row * job.x.columns + column;
    if (vectors) {
        const Chunk<T> loaded = loadChunk(source);
        for (int i = 0; i < CastChunk<T>::kElements; ++i)
            chunk.values[i] = toFloat(loaded.at[i]);
        chunk.count = CastChunk<T>::kElements;
        return chunk;
    }
    const int64_t left = job.x.columns - column;
    chunk.count = left < CastChunk<T>::kElements ? static_cast<int>(left) : CastChunk<T>::kElements;
    for (int i = 0; i < CastChunk<T>::kElements; ++i)
        chunk.values[i] = i < chunk.count ? toFloat(source[i]) : 0.0f;
    return chunk;
}

/// Codes of up to eight elements, packed little-endian.
template <numerics::Fp8Format F, int N>
__device__ inline uint64_t encodeElements(const float (&scaled)[N]) {
    uint64_t codes = 0;
    for (int i = 0; i < N; i += 2)
        codes |= static_cast<uint64_t>(encodePair<F>(scaled[i], scaled[i + 1])) << (8 * i);
    return codes;
}

__device__ inline void storeCodes(uint8_t* target, uint64_t codes, int count, int full) {
    if (count == full && isAligned(target, static_cast<size_t>(full))) {
        if (full == 8) *reinterpret_cast<uint64_t*>(target) = codes;
        if (full == 4) *reinterpret_cast<uint32_t*>(target) = static_cast<uint32_t>(codes);
        return;
    }
    for (int i = 0; i < count; ++i)
        target[i] = static_cast<uint8_t>(codes >> (8 * i));
}

/// Sums of one chunk in float32; the caller adds them up in double.
struct ErrorSums {
    float squaredError = 0, sumSquares = 0, sumSquaresCast = 0;
};

template <numerics::Fp8Format F, bool kErrors, int N>
__device__ inline void countChunk(CastPartial& counts, ErrorSums& sums, const float (&values)[N], uint64_t codes,
                                  int count, float scale) {
    const float scaleInv = 1.0f / scale, overflowLimit = numerics::fp8Max(F) * scaleInv;
    for (int i = 0; i < N; i += 2) {
        float2 cast{0, 0};
        if (kErrors) cast = decodePair<F>(static_cast<uint16_t>(codes >> (8 * i)));
        for (int j = i; j < i + 2; ++j) {
            if (j >= count) continue;
            const float x = values[j], magnitude = numerics::floatOf(numerics::bitsOf(x) & ~numerics::kSignBit);
            const bool roundsToZero = (codes >> (8 * j) & 0x7F) == 0;
            numerics::countElement<F>(counts, magnitude, magnitude * scale, roundsToZero, overflowLimit);
            if (!kErrors || !scaling::isFinite(x)) continue;
            const float dequantised = (j == i ? cast.x : cast.y) * scaleInv, difference = x - dequantised;
            sums.squaredError += difference * difference;
            sums.sumSquares += x * x;
            sums.sumSquaresCast += dequantised * dequantised;
        }
    }
}

__device__ inline void addSums(CastPartial& counts, const ErrorSums& sums) {
    counts.squaredError += static_cast<double>(sums.squaredError);
    counts.sumSquares += static_cast<double>(sums.sumSquares);
    counts.sumSquaresCast += static_cast<double>(sums.sumSquaresCast);
}

/// Writes a tile's columns: four threads per column, 16 bytes each, so that a column's 64 bytes go out together.
__device__ inline void storeColumns(const CastJob& job, const uint8_t* tile, int64_t firstRow, int64_t firstColumn) {
    const int column = static_cast<int>(threadIdx.x) / 4, part = static_cast<int>(threadIdx.x) % 4 * 16;
    const int64_t row = firstRow + part;
    if (firstColumn + column >= job.x.columns || row >= job.x.rows) return;
    alignas(16) uint8_t codes[16];
    for (int i = 0; i < 16; ++i)
        codes[i] = tile[(part + i) * kCastTilePitch + column];
    uint8_t* target = job.columnwiseCodes + (firstColumn + column) * job.columnwisePitch + row;
    const int64_t left = job.x.rows - row;
    if (left >= 16 && isAligned(target, 16)) {
        *reinterpret_cast<Chunk<uint8_t>*>(target) = *reinterpret_cast<const Chunk<uint8_t>*>(codes);
        return;
    }
    for (int i = 0; i < 16 && i < left; ++i)
        target[i] = codes[i];
}

/// Reads one tile, writes its rowwise codes, and leaves in shared memory the codes that go out column by column.
template <class T, numerics::Fp8Format F, bool kErrors>
__device__ inline void castTileRows(const CastJob& job, int64_t firstRow, int64_t firstColumn, bool vectors,
                                    uint8_t* tile, CastPartial& counts) {
    constexpr int kElements = Chunk<T>::kElements, kPerRow = kCastTile / kElements;
    const bool oneScale = job.rowwise.stride == 0 && job.columnwise.stride == 0;
    ErrorSums sums;
    const int inRow = static_cast<int>(threadIdx.x) % kPerRow * kElements;
    for (int r = static_cast<int>(threadIdx.x) / kPerRow; r < kCastTile;
         r += static_cast<int>(kCastThreads) / kPerRow) {
        const int64_t row = firstRow + r, column = firstColumn + inRow;
        const CastChunk<T> chunk = readCastChunk<T>(job, row, column, vectors);
        if (chunk.count == 0) continue;
        const float scale = job.rowwise.at(row);
        float scaled[kElements];
        for (int i = 0; i < kElements; ++i)
            scaled[i] = chunk.values[i] * scale;
        uint64_t codes = encodeElements<F>(scaled);
        countChunk<F, kErrors>(counts, sums, chunk.values, codes, chunk.count, scale);
        if (job.rowwiseCodes != nullptr) {
            storeCodes(job.rowwiseCodes + row * job.rowwisePitch + column, codes, chunk.count, kElements);
        }
        if (job.columnwiseCodes == nullptr) continue;
        if (!oneScale) {
            for (int i = 0; i < kElements; ++i)
                scaled[i] = i < chunk.count ? chunk.values[i] * job.columnwise.at(column + i) : 0.0f;
            codes = encodeElements<F>(scaled);
        }
        for (int i = 0; i < kElements; i += 4)
            *reinterpret_cast<uint32_t*>(tile + r * kCastTilePitch + inRow + i) =
                static_cast<uint32_t>(codes >> (8 * i));
    }
    addSums(counts, sums);
}

/// Grid up to kMaxCastBlocks, block kCastThreads, one partial a block; each block takes tiles of 64 x 64, 16 elements a
/// thread and tile. Bytes moved per element: sizeof(T) read, 1 written per wanted direction. Loads are 16 bytes when
/// the tensor and its rows are aligned, else element by element. Fast because the tensor is read once and every store
/// covers whole 32-byte sectors.
template <class T, numerics::Fp8Format F, bool kErrors>
__global__ void __launch_bounds__(kCastThreads, 4) castTransposeKernel(CastJob job, CastPartial* partials) {
    OCTET_SHARED(CastPartial, warps, kCastThreads / 32);
    OCTET_SHARED(uint32_t, tileWords, kCastTile * kCastTilePitch / 4);
    uint8_t* const tile = reinterpret_cast<uint8_t*>(tileWords);
    const bool vectors = isAligned(job.x.data, 16) && job.x.columns % Chunk<T>::kElements == 0;
    const int64_t tilesAcross = ceilDivide(job.x.columns, kCastTile);
    const int64_t tiles = tilesAcross * ceilDivide(job.x.rows, kCastTile);
    CastPartial counts = {};
    for (int64_t number = blockIdx.x; number < tiles; number += gridDim.x) {
        const int64_t firstRow = number / tilesAcross * kCastTile, firstColumn = number % tilesAcross * kCastTile;
        castTileRows<T, F, kErrors>(job, firstRow, firstColumn, vectors, tile, counts);
        if (job.columnwiseCodes == nullptr) continue;
        __syncthreads();  // the tile is written
        storeColumns(job, tile, firstRow, firstColumn);
        __syncthreads();  // the tile is read
    }
    const CastPartial sum = blockSum(counts, warps);
    if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

inline LaunchShape castShape(int64_t rows, int64_t columns) {
    const int64_t tiles = ceilDivide(rows, kCastTile) * ceilDivide(columns, kCastTile);
    return {static_cast<unsigned>(tiles < kMaxCastBlocks ? tiles : kMaxCastBlocks), 1, kCastThreads, 0};
}

}  // namespace octet::cuda
