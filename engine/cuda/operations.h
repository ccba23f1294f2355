// SPDX-License-Identifier: Apache-2.0
// The kernels as functions on a stream. Each group is compiled in its own .cu, so that nvcc can work on several.
#pragma once

#include <cuda_runtime_api.h>

#include "engine/backend/device_jobs.h"

namespace octet::cuda {

struct CastPartial;

/// Bytes of scratch that cast() and quantiseBlocks() need.
[[nodiscard]] size_t castScratchBytes();

cudaError_t amax(cudaStream_t stream, const backend::TensorView& x, backend::FoundWords* found);
cudaError_t axisAmax(cudaStream_t stream, const backend::TensorView& x, backend::FoundWords* ofRows,
                     backend::FoundWords* ofColumns);
cudaError_t currentScales(cudaStream_t stream, const backend::FoundWords* found, int64_t count,
                          const backend::CurrentScaleRule& rule, float* scales, float* scaleInvs);
cudaError_t updateDelayed(cudaStream_t stream, backend::DelayedTensor* tensors, int64_t count);
cudaError_t cast(cudaStream_t stream, const backend::CastJob& job, CastPartial* scratch);
cudaError_t quantiseBlocks(cudaStream_t stream, const backend::BlockJob& job, CastPartial* scratch);
cudaError_t dequantise(cudaStream_t stream, const backend::DequantiseJob& job);
cudaError_t exponents(cudaStream_t stream, const backend::TensorView& x, unsigned long long* counts);

}  // namespace octet::cuda
