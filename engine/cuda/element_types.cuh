// SPDX-License-Identifier: Apache-2.0
// From a job's element type to a kernel's template argument. A job becomes launches in *_operation.cuh: type, format
// and block length pick the kernel, the shape picks the grid. `Launcher` is the CUDA stream's, or the host twin's in
// tests, which run exactly those functions. Zero-size tensors launch nothing.
#pragma once

#include "engine/backend/device_jobs.h"
#include "engine/cuda/kernel_language.cuh"

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

}  // namespace octet::cuda
