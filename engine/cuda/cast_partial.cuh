// SPDX-License-Identifier: Apache-2.0
// Statistics of a cast on their way out of a kernel: counted per thread, reduced per block in a fixed order into one
// partial, merged by a last small kernel. Grids depend on the shape alone, so sums are the same on every run.
#pragma once

#include "engine/backend/device_jobs.h"
#include "engine/cuda/kernel_language.cuh"
#include "engine/numerics/cast_counter.h"

namespace octet::cuda {

using backend::CastTotals;
using backend::FoundWords;

/// Counters as in numerics::CastStatistics, of one thread or one block.
struct CastPartial {
    unsigned underflows, overflows, saturated, nans, infinities;
    float amax;
    double squaredError, sumSquares, sumSquaresCast;
};

inline constexpr unsigned kCastThreads = 256;
/// Casts run on at most so many blocks, each over many tiles: eight for every multiprocessor of an H200.
inline constexpr unsigned kMaxCastBlocks = 1056;

__device__ inline void addPartial(CastPartial& sum, const CastPartial& next) {
    sum.underflows += next.underflows;
    sum.overflows += next.overflows;
    sum.saturated += next.saturated;
    sum.nans += next.nans;
    sum.infinities += next.infinities;
    if (next.amax > sum.amax) sum.amax = next.amax;
    sum.squaredError += next.squaredError;
    sum.sumSquares += next.sumSquares;
    sum.sumSquaresCast += next.sumSquaresCast;
}

/// Every thread of a block of kCastThreads brings its own; thread 0 gets the block's. `warps` is shared memory with
/// one entry per warp, and a barrier must lie between its last use and this call.
__device__ inline CastPartial blockSum(CastPartial own, CastPartial* warps) {
    own.underflows = warpSum(own.underflows);
    own.overflows = warpSum(own.overflows);
    own.saturated = warpSum(own.saturated);
    own.nans = warpSum(own.nans);
    own.infinities = warpSum(own.infinities);
    own.amax = numerics::floatOf(warpMax(numerics::bitsOf(own.amax)));  // amax >= 0: bits keep the order
    own.squaredError = warpSum(own.squaredError);
    own.sumSquares = warpSum(own.sumSquares);
    own.sumSquaresCast = warpSum(own.sumSquaresCast);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = own;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned warp = 1; warp < kCastThreads / 32; ++warp)
            addPartial(own, warps[warp]);
    }
    return own;
}

__device__ inline void addFound(FoundWords& found, const CastPartial& sum) {
    const unsigned bits = numerics::bitsOf(sum.amax);
    if (bits > found.finiteBits) found.finiteBits = bits;
    found.hasNan |= sum.nans > 0 ? 1u : 0u;
    found.hasInfinity |= sum.infinities > 0 ? 1u : 0u;
}

/// Grid 1, block kCastThreads. Reads count * sizeof(CastPartial) bytes. Counters have 32 bits: tensors have fewer than
/// 2^32 elements. @param totals, found  null: not wanted
[[maybe_unused]] static __global__ void mergePartialsKernel(const CastPartial* partials, unsigned count,
                                                            uint64_t elements, CastTotals* totals, FoundWords* found) {
    OCTET_SHARED(CastPartial, warps, kCastThreads / 32);
    CastPartial own = {};
    for (unsigned i = threadIdx.x; i < count; i += kCastThreads)
        addPartial(own, partials[i]);
    const CastPartial sum = blockSum(own, warps);
    if (threadIdx.x != 0) return;
    if (found != nullptr) addFound(*found, sum);
    if (totals == nullptr) return;
    *totals = {elements,       sum.underflows,   sum.overflows,  sum.saturated,      sum.nans,
               sum.infinities, sum.squaredError, sum.sumSquares, sum.sumSquaresCast, sum.amax};
}

inline void launchMerge(Launcher& launch, const CastPartial* partials, unsigned count, const backend::TensorView& x,
                        CastTotals* totals, FoundWords* found) {
    if (totals == nullptr && found == nullptr) return;
    const auto elements = static_cast<uint64_t>(x.rows * x.columns);
    launch({1, 1, kCastThreads, 0}, mergePartialsKernel, partials, count, elements, totals, found);
}

}  // namespace octet::cuda
