// SPDX-License-Identifier: Apache-2.0
// What kernels are written in: CUDA, or, where OCTET_DEVICE_ON_HOST is set, the twin in tests/gpu/host that runs one
// fiber per thread. Rules for kernel code: shared memory and launches only through the names below; no inline PTX, no
// asynchronous copies, no waiting between blocks; barriers are reached by every thread of a block.
#pragma once

#if !defined(OCTET_DEVICE_ON_HOST)
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "engine/cuda/launch_shape.h"
#include "engine/numerics/fp8_scalar.h"

namespace octet::cuda {

#if !defined(OCTET_DEVICE_ON_HOST)

/// Queues kernels on one stream and keeps the first error.
class Launcher {
public:
    explicit Launcher(cudaStream_t stream) : m_stream(stream) {}

    template <class... Parameters, class... Arguments>
    void operator()(const LaunchShape& shape, void (*kernel)(Parameters...), Arguments... arguments) {
        if (m_error != cudaSuccess) return;
        if (shape.sharedBytes > kSharedWithoutAsking) {
            m_error =
                cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     static_cast<int>(shape.sharedBytes));
            if (m_error != cudaSuccess) return;
        }
        kernel<<<dim3(shape.blocks, shape.blockRows), dim3(shape.threads), shape.sharedBytes, m_stream>>>(
            static_cast<Parameters>(arguments)...);
        m_error = cudaGetLastError();
    }

    [[nodiscard]] cudaError_t error() const { return m_error; }

private:
    static constexpr size_t kSharedWithoutAsking = 48 * 1024;
    cudaStream_t m_stream;
    cudaError_t m_error = cudaSuccess;
};

#define OCTET_SHARED(Type, name, count) __shared__ Type name[count]
#define OCTET_DYNAMIC_SHARED(Type, name)                          \
    extern __shared__ __align__(16) unsigned char octetDynamic[]; \
    Type* const name = reinterpret_cast<Type*>(octetDynamic)

template <numerics::Fp8Format F>
__device__ inline uint16_t encodePair(float low, float high) {
    constexpr auto interpretation = F == numerics::Fp8Format::E4M3 ? __NV_E4M3 : __NV_E5M2;
    return __nv_cvt_float2_to_fp8x2(make_float2(low, high), __NV_SATFINITE, interpretation);
}
template <numerics::Fp8Format F>
__device__ inline float2 decodePair(uint16_t codes) {
    constexpr auto interpretation = F == numerics::Fp8Format::E4M3 ? __NV_E4M3 : __NV_E5M2;
    return __half22float2(__half2(__nv_cvt_fp8x2_to_halfraw2(codes, interpretation)));
}
__device__ inline float halfToFloat(uint16_t bits) {
    return __half2float(__half(__half_raw{bits}));
}

#endif

/// Storage of 16-bit inputs; arithmetic is in float32.
struct Bf16 {
    uint16_t bits;
};
struct Half {
    uint16_t bits;
};

__device__ inline float toFloat(float x) {
    return x;
}
__device__ inline float toFloat(Bf16 x) {
    return numerics::floatOf(static_cast<uint32_t>(x.bits) << 16);
}
__device__ inline float toFloat(Half x) {
    return halfToFloat(x.bits);
}

/// 16 bytes of elements, moved in one instruction.
template <class T>
struct alignas(16) Chunk {
    static constexpr int kElements = 16 / sizeof(T);
    T at[kElements];
};

template <class T>
__device__ inline Chunk<T> loadChunk(const T* source) {
    return *reinterpret_cast<const Chunk<T>*>(source);
}

OCTET_HOST_DEVICE inline bool isAligned(const void* pointer, size_t bytes) {
    return reinterpret_cast<uintptr_t>(pointer) % bytes == 0;
}

OCTET_HOST_DEVICE constexpr int64_t ceilDivide(int64_t value, int64_t by) {
    return (value + by - 1) / by;
}

/// Largest value of a warp's 32 lanes, on every lane.
__device__ inline uint32_t warpMax(uint32_t value) {
    for (int offset = 16; offset > 0; offset /= 2) {
        const uint32_t other = __shfl_xor_sync(0xFFFFFFFFu, value, offset);
        if (other > value) value = other;
    }
    return value;
}
/// Sum of a warp's 32 lanes, on every lane; the order of additions is fixed.
template <class T>
__device__ inline T warpSum(T value) {
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_xor_sync(0xFFFFFFFFu, value, offset);
    return value;
}

}  // namespace octet::cuda
