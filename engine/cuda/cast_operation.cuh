// SPDX-License-Identifier: Apache-2.0
// A cast job to launches.
#pragma once

#include "engine/cuda/cast_transpose.cuh"
#include "engine/cuda/element_types.cuh"

namespace octet::cuda {

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
    launchMerge(launch, partials, blocks, job.x, job.totals, job.found);
}

}  // namespace octet::cuda
