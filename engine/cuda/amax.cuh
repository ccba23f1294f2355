// SPDX-License-Identifier: Apache-2.0
// Finite amax with NaN and Inf flags: of a whole tensor, of every row, of every column.
#pragma once

#include "engine/backend/device_jobs.h"
#include "engine/cuda/kernel_language.cuh"

namespace octet::cuda {

using backend::foundAmax;
using backend::FoundWords;

inline constexpr unsigned kAmaxThreads = 256;
inline constexpr unsigned kMaxAmaxBlocks = 2112;

struct LocalAmax {
    unsigned finiteBits = 0, flags = 0;  // flags: 1 NaN, 2 infinity

    __device__ void see(float x) {
        const unsigned magnitude = numerics::bitsOf(x) & ~numerics::kSignBit;
        if (magnitude < numerics::kInfinityBits) {
            if (magnitude > finiteBits) finiteBits = magnitude;
        } else {
            flags |= magnitude == numerics::kInfinityBits ? 2u : 1u;
        }
    }
};

/// Adds a block's amax to `out`. `warps` is shared memory, one entry per warp.
__device__ inline void addBlockAmax(const LocalAmax& own, unsigned* warps, FoundWords* out) {
    const unsigned warpAmax = warpMax(own.finiteBits);
    const bool nan = __ballot_sync(0xFFFFFFFFu, (own.flags & 1u) != 0) != 0;
    const bool infinite = __ballot_sync(0xFFFFFFFFu, (own.flags & 2u) != 0) != 0;
    if (threadIdx.x % 32 == 0) {
        warps[threadIdx.x / 32] = warpAmax;
        if (nan) atomicOr(&out->hasNan, 1u);
        if (infinite) atomicOr(&out->hasInfinity, 1u);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned blockAmax = 0;
        for (unsigned warp = 0; warp < blockDim.x / 32; ++warp)
            if (warps[warp] > blockAmax) blockAmax = warps[warp];
        atomicMax(&out->finiteBits, blockAmax);
    }
}

/// Grid up to kMaxAmaxBlocks, block kAmaxThreads; 16 bytes per load and thread, all of them aligned: the elements
/// before the first 16-byte boundary and behind the last one go one by one. Reads n elements once, writes 12 bytes.
template <class T>
__global__ void amaxKernel(const T* __restrict__ x, int64_t n, FoundWords* out) {
    OCTET_SHARED(unsigned, warps, kAmaxThreads / 32);
    constexpr int64_t kElements = Chunk<T>::kElements;
    const int64_t misaligned = static_cast<int64_t>(reinterpret_cast<uintptr_t>(x) % 16 / sizeof(T));
    const int64_t wanted = misaligned == 0 ? 0 : kElements - misaligned;
    const int64_t head = wanted < n ? wanted : n;
    const int64_t chunks = (n - head) / kElements;
    const int64_t first = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const int64_t stride = static_cast<int64_t>(gridDim.x) * blockDim.x;
    LocalAmax own;
#pragma unroll 4
    for (int64_t chunk = first; chunk < chunks; chunk += stride) {
        const Chunk<T> values = loadChunk(x + head + chunk * kElements);
        for (const T value : values.at)
            own.see(toFloat(value));
    }
    for (int64_t i = first; i < head; i += stride)
        own.see(toFloat(x[i]));
    for (int64_t i = head + chunks * kElements + first; i < n; i += stride)
        own.see(toFloat(x[i]));
    addBlockAmax(own, warps, out);
}

inline LaunchShape amaxShape(int64_t n, int elementsPerChunk) {
    const int64_t blocks = ceilDivide(n, static_cast<int64_t>(kAmaxThreads) * elementsPerChunk * 4);
    return {static_cast<unsigned>(blocks < 1                ? 1
                                  : blocks < kMaxAmaxBlocks ? blocks
                                                            : kMaxAmaxBlocks),
            1, kAmaxThreads, 0};
}

/// Grid (rows, at most kMaxAmaxBlocks), block kAmaxThreads: a block per row, neighbouring threads on neighbouring
/// elements. Writes one FoundWords per row.
template <class T>
__global__ void rowAmaxKernel(const T* __restrict__ x, int64_t rows, int64_t columns, FoundWords* out) {
    OCTET_SHARED(unsigned, warps, kAmaxThreads / 32);
    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        LocalAmax own;
        for (int64_t column = threadIdx.x; column < columns; column += blockDim.x)
            own.see(toFloat(x[row * columns + column]));
        addBlockAmax(own, warps, out + row);
        __syncthreads();  // thread 0 has read `warps` before the next row writes them
    }
}

inline LaunchShape rowAmaxShape(int64_t rows) {
    return {static_cast<unsigned>(rows < kMaxAmaxBlocks ? rows : kMaxAmaxBlocks), 1, kAmaxThreads, 0};
}

inline constexpr int64_t kColumnAmaxRows = 128;

/// Grid (columns / kAmaxThreads, rows / kColumnAmaxRows), block kAmaxThreads: a thread per column goes down
/// kColumnAmaxRows rows, a warp reads neighbouring elements. Adds into one FoundWords per column.
template <class T>
__global__ void columnAmaxKernel(const T* __restrict__ x, int64_t rows, int64_t columns, FoundWords* out) {
    const int64_t column = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (column >= columns) return;
    const int64_t first = static_cast<int64_t>(blockIdx.y) * kColumnAmaxRows;
    const int64_t end = first + kColumnAmaxRows < rows ? first + kColumnAmaxRows : rows;
    LocalAmax own;
    for (int64_t row = first; row < end; ++row)
        own.see(toFloat(x[row * columns + column]));
    atomicMax(&out[column].finiteBits, own.finiteBits);
    if ((own.flags & 1u) != 0) atomicOr(&out[column].hasNan, 1u);
    if ((own.flags & 2u) != 0) atomicOr(&out[column].hasInfinity, 1u);
}

inline LaunchShape columnAmaxShape(int64_t rows, int64_t columns) {
    return {static_cast<unsigned>(ceilDivide(columns, kAmaxThreads)),
            static_cast<unsigned>(ceilDivide(rows, kColumnAmaxRows)), kAmaxThreads, 0};
}

}  // namespace octet::cuda
