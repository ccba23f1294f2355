// SPDX-License-Identifier: Apache-2.0
#include "engine/cuda/operations.h"
// The kernels.
#include "engine/cuda/cast_operation.cuh"

namespace octet::cuda {

size_t castScratchBytes() {
    return kMaxCastBlocks * sizeof(CastPartial);
}

cudaError_t cast(cudaStream_t stream, const backend::CastJob& job, CastPartial* scratch) {
    Launcher launch(stream);
    castOperation(launch, job, scratch);
    return launch.error();
}

}  // namespace octet::cuda
