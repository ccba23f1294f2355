// SPDX-License-Identifier: Apache-2.0
#include "engine/cuda/operations.h"
// The kernels.
#include "engine/cuda/block_operation.cuh"

namespace octet::cuda {

cudaError_t quantiseBlocks(cudaStream_t stream, const backend::BlockJob& job, CastPartial* scratch) {
    Launcher launch(stream);
    blockOperation(launch, job, scratch);
    return launch.error();
}

}  // namespace octet::cuda
