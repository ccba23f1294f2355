// SPDX-License-Identifier: Apache-2.0
// A block quantise job to launches.
#pragma once

#include "engine/cuda/block_quantise.cuh"
#include "engine/cuda/element_types.cuh"

namespace octet::cuda {

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
    launchMerge(launch, partials, blocks, job.x, job.totals, job.found);
}

}  // namespace octet::cuda
