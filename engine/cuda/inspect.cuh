// SPDX-License-Identifier: Apache-2.0
// What is read back from tensors: dequantised values and counts of exponents.
#pragma once

#include "engine/backend/device_jobs.h"
#include "engine/cuda/kernel_language.cuh"

namespace octet::cuda {

using backend::DequantiseJob;

/// value = code * scale_inv. Grid up to 2,112, block 256, an element per thread and turn.
template <numerics::Fp8Format F>
__global__ void dequantiseKernel(DequantiseJob job) {
    const int64_t stride = static_cast<int64_t>(gridDim.x) * blockDim.x;
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < job.rows * job.columns;
         i += stride) {
        const int64_t row = i / job.columns, column = i % job.columns;
        const int64_t at = row / job.rowsPerScale * job.rowStride + column / job.columnsPerScale * job.columnStride;
        const float scaleInv = job.e8m0 ? scaling::e8m0Value(static_cast<const uint8_t*>(job.scales)[at])
                                        : static_cast<const float*>(job.scales)[at];
        const float2 value = decodePair<F>(job.codes[row * job.pitch + column]);
        job.out[i] = value.x * scaleInv;
    }
}

OCTET_HOST_DEVICE inline int exponentSlot(float x) {
    const unsigned magnitude = numerics::bitsOf(x) & ~numerics::kSignBit, exponent = magnitude >> 23;
    if (exponent == 0) return magnitude == 0 ? backend::kZerosSlot : backend::kSubnormalsSlot;
    if (exponent == 255) return magnitude == numerics::kInfinityBits ? backend::kInfinitiesSlot : backend::kNansSlot;
    return static_cast<int>(exponent);
}

inline constexpr unsigned kExponentThreads = 256;

/// Grid up to 1,056, block 256; every warp counts into its own table in shared memory, so that neighbours with one
/// exponent wait for their warp only. `counts` [backend::kExponentSlots] starts from zero.
template <class T>
__global__ void exponentsKernel(const T* __restrict__ x, int64_t n, unsigned long long* counts) {
    constexpr unsigned kWarps = kExponentThreads / 32;
    OCTET_SHARED(unsigned, tables, kWarps* backend::kExponentSlots);
    for (unsigned i = threadIdx.x; i < kWarps * backend::kExponentSlots; i += kExponentThreads)
        tables[i] = 0;
    __syncthreads();
    unsigned* const table = tables + threadIdx.x / 32 * backend::kExponentSlots;
    const int64_t stride = static_cast<int64_t>(gridDim.x) * kExponentThreads;
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * kExponentThreads + threadIdx.x; i < n; i += stride)
        atomicAdd(&table[exponentSlot(toFloat(x[i]))], 1u);
    __syncthreads();
    for (unsigned slot = threadIdx.x; slot < backend::kExponentSlots; slot += kExponentThreads) {
        unsigned long long sum = 0;
        for (unsigned warp = 0; warp < kWarps; ++warp)
            sum += tables[warp * backend::kExponentSlots + slot];
        if (sum != 0) atomicAdd(&counts[slot], sum);
    }
}

inline LaunchShape elementShape(int64_t n) {
    const int64_t blocks = ceilDivide(n, 256 * 8);
    return {static_cast<unsigned>(blocks < 1 ? 1 : blocks < 1056 ? blocks : 1056), 1, 256, 0};
}

}  // namespace octet::cuda
