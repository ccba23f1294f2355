// SPDX-License-Identifier: Apache-2.0
// cuBLASLt behind a plan: descriptors and the chosen algorithm are made once per plan and kept.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <string>

#include "engine/backend/device_gemm.h"

namespace octet::cuda {

/// Owns the cuBLASLt handle, its workspace and the plans of one device. One thread at a time.
class Matmul {
public:
    Matmul();
    ~Matmul();
    Matmul(const Matmul&) = delete;
    Matmul& operator=(const Matmul&) = delete;

    /// out[m, n] = a[m, k] b[n, k]^T with scales, bias and rounding as planned. @return empty, or what went wrong
    std::string run(cudaStream_t stream, const backend::GemmPlan& plan, const backend::GemmOperands& operands);

private:
    struct Library;
    std::unique_ptr<Library> m_library;
};

}  // namespace octet::cuda
