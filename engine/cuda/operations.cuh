// SPDX-License-Identifier: Apache-2.0
// A job becomes launches: element type, format and block length pick the kernel, the shape picks the grid. `Launcher`
// is the CUDA stream's, or the host twin's in tests, which run exactly these functions. Zero-size tensors launch
// nothing. Callers have checked the jobs (backend/device_check_job.h).
#pragma once

#include "engine/cuda/block_quantise.cuh"
#include "engine/cuda/inspect.cuh"
#include "engine/cuda/scales.cuh"

namespace octet::cuda {

using backend::ElementType;
using backend::TensorView;
using numerics::Fp8Format;

/// Calls `body` with a null pointer of the element type.
template <class Body>
void withElements(ElementType type, const Body& body) {
    switch (type) {
        case ElementType::Float32:
            return body(static_cast<const float*>(nullptr));
        case ElementType::Bf16:
            return body(static_cast<const Bf16*>(nullptr));
        case ElementType::Float16:
            return body(static_cast<const Half*>(nullptr));
    }
}

template <class T>
const T* elementsOf(const TensorView& x, const T* /*type*/) {
    return static_cast<const T*>(x.data);
}

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

inline void mergePartials(Launcher& launch, const CastPartial* partials, unsigned count, const TensorView& x,
                          CastTotals* totals, FoundWords* found) {
    if (totals == nullptr && found == nullptr) return;
    const auto elements = static_cast<uint64_t>(x.rows * x.columns);
    launch({1, 1, kCastThreads, 0}, mergePartialsKernel, partials, count, elements, totals, found);
}

template <class T, Fp8Format F>
void castWith(Launcher& launch, const CastJob& job, CastPartial* partials) {
    const LaunchShape shape = castShape(job.x.rows, job.x.columns);
    if (job.errorSums)
        launch(shape, castTransposeKernel<T, F, true>, job, partials);
    else
        launch(shape, castTransposeKernel<T, F, false>, job, partials);
}

/// @param partials  kMaxCastBlocks of scratch
inline void castOperation(Launcher& launch, const CastJob& job, CastPartial* partials) {
    const bool empty = job.x.rows == 0 || job.x.columns == 0;
    if (!empty) {
        withElements(job.x.type, [&](auto type) {
            using T = std::remove_cvref_t<decltype(*type)>;
            if (job.format == Fp8Format::E4M3)
                castWith<T, Fp8Format::E4M3>(launch, job, partials);
            else
                castWith<T, Fp8Format::E5M2>(launch, job, partials);
        });
    }
    const unsigned blocks = empty ? 0 : castShape(job.x.rows, job.x.columns).blocks;
    mergePartials(launch, partials, blocks, job.x, job.totals, job.found);
}

template <class T, Fp8Format F>
void quantiseBlocksWith(Launcher& launch, const BlockJob& job, CastPartial* partials) {
    const LaunchShape shape = blockShape(job.x.rows, job.x.columns, job.rule.kind, sizeof(T));
    if (job.rule.kind == BlockKind::Mx1x32)
        launch(shape, blockQuantiseKernel<T, F, 32>, job, partials);
    else
        launch(shape, blockQuantiseKernel<T, F, 128>, job, partials);
}

/// @param partials  kMaxCastBlocks of scratch
inline void blockOperation(Launcher& launch, const BlockJob& job, CastPartial* partials) {
    const bool empty = job.x.rows == 0 || job.x.columns == 0;
    if (!empty) {
        withElements(job.x.type, [&](auto type) {
            using T = std::remove_cvref_t<decltype(*type)>;
            if (job.format == Fp8Format::E4M3)
                quantiseBlocksWith<T, Fp8Format::E4M3>(launch, job, partials);
            else
                quantiseBlocksWith<T, Fp8Format::E5M2>(launch, job, partials);
        });
    }
    const unsigned blocks = empty ? 0 : blockShape(job.x.rows, job.x.columns, job.rule.kind, 4).blocks;
    mergePartials(launch, partials, blocks, job.x, job.totals, job.found);
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
