// SPDX-License-Identifier: Apache-2.0
// Amaxes, scales, dequantised values and exponent counts: jobs to launches.
#pragma once

#include "engine/cuda/amax.cuh"
#include "engine/cuda/element_types.cuh"
#include "engine/cuda/inspect.cuh"
#include "engine/cuda/scales.cuh"

namespace octet::cuda {

/// Adds the tensor's amax and flags to `found`.
inline void amaxOperation(Launcher& launch, const TensorView& x, FoundWords* found) {
    const int64_t n = x.rows * x.columns;
    if (n == 0) return;
    withElements(x.type, [&](auto type) {
        using T = std::remove_cvref_t<decltype(*type)>;
        launch(amaxShape(n, Chunk<T>::kElements), amaxKernel<T>, elementsOf(x, type), n, found);
    });
}

/// Adds every row's and every column's amax. @param ofRows, ofColumns  zeroed; null: not wanted
inline void axisAmaxOperation(Launcher& launch, const TensorView& x, FoundWords* ofRows, FoundWords* ofColumns) {
    if (x.rows == 0 || x.columns == 0) return;
    withElements(x.type, [&](auto type) {
        using T = std::remove_cvref_t<decltype(*type)>;
        if (ofRows != nullptr) {
            launch(rowAmaxShape(x.rows), rowAmaxKernel<T>, elementsOf(x, type), x.rows, x.columns, ofRows);
        }
        if (ofColumns != nullptr) {
            launch(columnAmaxShape(x.rows, x.columns), columnAmaxKernel<T>, elementsOf(x, type), x.rows, x.columns,
                   ofColumns);
        }
    });
}

inline void currentScalesOperation(Launcher& launch, const FoundWords* found, int64_t count,
                                   const CurrentScaleRule& rule, float* scales, float* scaleInvs) {
    if (count == 0) return;
    const LaunchShape shape{static_cast<unsigned>(ceilDivide(count, 256)), 1, 256, 0};
    launch(shape, currentScalesKernel, found, count, rule, scales, scaleInvs);
}

inline void delayedUpdateOperation(Launcher& launch, DelayedTensor* tensors, int64_t count) {
    if (count == 0) return;
    launch({static_cast<unsigned>(count), 1, kDelayedThreads, 0}, delayedUpdateKernel, tensors);
}

inline void dequantiseOperation(Launcher& launch, const DequantiseJob& job) {
    const int64_t n = job.rows * job.columns;
    if (n == 0) return;
    if (job.format == Fp8Format::E4M3)
        launch(elementShape(n), dequantiseKernel<Fp8Format::E4M3>, job);
    else
        launch(elementShape(n), dequantiseKernel<Fp8Format::E5M2>, job);
}

/// @param counts  kExponentSlots, zeroed
inline void exponentsOperation(Launcher& launch, const TensorView& x, unsigned long long* counts) {
    const int64_t n = x.rows * x.columns;
    if (n == 0) return;
    withElements(x.type, [&](auto type) {
        using T = std::remove_cvref_t<decltype(*type)>;
        launch(elementShape(n), exponentsKernel<T>, elementsOf(x, type), n, counts);
    });
}

}  // namespace octet::cuda
