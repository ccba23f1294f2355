// SPDX-License-Identifier: Apache-2.0
#include "engine/cuda/operations.h"
// The kernels.
#include "engine/cuda/small_operations.cuh"

namespace octet::cuda {

cudaError_t amax(cudaStream_t stream, const backend::TensorView& x, backend::FoundWords* found) {
    Launcher launch(stream);
    amaxOperation(launch, x, found);
    return launch.error();
}

cudaError_t axisAmax(cudaStream_t stream, const backend::TensorView& x, backend::FoundWords* ofRows,
                     backend::FoundWords* ofColumns) {
    Launcher launch(stream);
    axisAmaxOperation(launch, x, ofRows, ofColumns);
    return launch.error();
}

cudaError_t currentScales(cudaStream_t stream, const backend::FoundWords* found, int64_t count,
                          const backend::CurrentScaleRule& rule, float* scales, float* scaleInvs) {
    Launcher launch(stream);
    currentScalesOperation(launch, found, count, rule, scales, scaleInvs);
    return launch.error();
}

cudaError_t updateDelayed(cudaStream_t stream, backend::DelayedTensor* tensors, int64_t count) {
    Launcher launch(stream);
    delayedUpdateOperation(launch, tensors, count);
    return launch.error();
}

cudaError_t dequantise(cudaStream_t stream, const backend::DequantiseJob& job) {
    Launcher launch(stream);
    dequantiseOperation(launch, job);
    return launch.error();
}

cudaError_t exponents(cudaStream_t stream, const backend::TensorView& x, unsigned long long* counts) {
    Launcher launch(stream);
    exponentsOperation(launch, x, counts);
    return launch.error();
}

}  // namespace octet::cuda
