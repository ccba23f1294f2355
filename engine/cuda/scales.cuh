// SPDX-License-Identifier: Apache-2.0
// Scales made on the device: from amaxes by TE's or torchao's rule, and the bulk update of delayed scaling for all
// tensors of a model at once. The rules are scaling/scale_rules.h.
#pragma once

#include "engine/cuda/amax.cuh"

namespace octet::cuda {

using backend::CurrentScaleRule;
using backend::DelayedTensor;

/// Grid count / 256, block 256, a thread per scale. Writes scale and fl32(1 / scale).
[[maybe_unused]] static __global__ void currentScalesKernel(const FoundWords* found, int64_t count,
                                                            CurrentScaleRule rule, float* scales, float* scaleInvs) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const float scale = backend::currentScale(foundAmax(found[i]), rule);
    scales[i] = scale;
    scaleInvs[i] = 1.0f / scale;
}

inline constexpr unsigned kDelayedThreads = 128;

/// Window amax over the older rows as bits; NaN is skipped (fused) or spreads (unfused).
__device__ inline unsigned olderAmaxBits(const DelayedTensor& tensor) {
    const bool nanSpreads = tensor.path == scaling::UpdatePath::Unfused;
    unsigned amax = 0;
    for (unsigned row = threadIdx.x; row < tensor.olderRows; row += kDelayedThreads) {
        const unsigned bits = numerics::bitsOf(tensor.older[row]) & ~numerics::kSignBit;
        if ((nanSpreads || bits <= numerics::kInfinityBits) && bits > amax) amax = bits;
    }
    return amax;
}

/// The end of an update, by one thread. @param olderAmax  over rows 1..L-1
__device__ inline void finishDelayedUpdate(DelayedTensor& tensor, float olderAmax) {
    const float newest = scaling::teAmax(foundAmax(tensor.found));
    tensor.found = {0, 0, 0};
    const bool makesScale = tensor.updates++ % tensor.interval == 0;
    const bool fused = tensor.path == scaling::UpdatePath::Fused;
    if (fused && newest == 0.0f) return;  // nothing recorded: no roll, scale kept
    float amax = newest;
    if (tensor.algo == scaling::AmaxAlgo::Max) {
        amax = fused ? scaling::maxIgnoringNan(newest, olderAmax) : scaling::maxSpreadingNan(newest, olderAmax);
    }
    if (tensor.olderRows > 0) {
        tensor.older[tensor.oldest] = newest;
        tensor.oldest = (tensor.oldest + 1) % tensor.olderRows;
    }
    if (!makesScale || !(amax > 0.0f) || !scaling::isFinite(amax)) return;
    tensor.scale = scaling::delayedScale(tensor.path, amax, tensor.scale, tensor.fp8Max, tensor.margin);
    tensor.scaleInv = 1.0f / tensor.scale;
    tensor.scaleMade = 1;
}

/// One launch for all tensors. Grid tensors, block kDelayedThreads: a block per tensor reads its history once.
[[maybe_unused]] static __global__ void delayedUpdateKernel(DelayedTensor* tensors) {
    OCTET_SHARED(unsigned, warps, kDelayedThreads / 32);
    DelayedTensor& tensor = tensors[blockIdx.x];
    const unsigned warpAmax = warpMax(olderAmaxBits(tensor));
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = warpAmax;
    __syncthreads();
    if (threadIdx.x != 0) return;
    unsigned amax = 0;
    for (unsigned warp = 0; warp < kDelayedThreads / 32; ++warp)
        if (warps[warp] > amax) amax = warps[warp];
    finishDelayedUpdate(tensor, numerics::floatOf(amax));
}

}  // namespace octet::cuda
