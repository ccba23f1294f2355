// SPDX-License-Identifier: Apache-2.0
// The names of CUDA that kernels use, for g++: include it before any .cuh. Conversions are the shared definitions of
// engine/numerics; launches run on the fiber scheduler.
#pragma once

#include <cstring>
#include <stdexcept>

#include "engine/cuda/launch_shape.h"
#include "engine/numerics/half_float.h"
#include "tests/gpu/host/fiber_scheduler.h"

#define OCTET_DEVICE_ON_HOST 1
#define __global__
#define __device__
#define __host__
#define __launch_bounds__(...)
#define __restrict__ __restrict
#define threadIdx (octet::onhost::current.thread)
#define blockIdx (octet::onhost::current.block)
#define blockDim (octet::onhost::current.blockSize)
#define gridDim (octet::onhost::current.gridSize)
#define __syncthreads() octet::onhost::barrier()

struct float2 {
    float x, y;
};

namespace octet::onhost {

template <class T>
uint64_t packed(T value) {
    static_assert(sizeof(T) <= 8);
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
}
template <class T>
T unpacked(uint64_t bits) {
    T value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

template <class T>
T* sharedArray(size_t count, const char* key) {
    return static_cast<T*>(sharedMemory(key, count * sizeof(T)));
}

}  // namespace octet::onhost

#define OCTET_HOST_TEXT_OF(line) #line
#define OCTET_HOST_KEY(file, line) file ":" OCTET_HOST_TEXT_OF(line)
#define OCTET_SHARED(Type, name, count) \
    Type* const name = octet::onhost::sharedArray<Type>(count, OCTET_HOST_KEY(__FILE__, __LINE__))
#define OCTET_DYNAMIC_SHARED(Type, name) Type* const name = static_cast<Type*>(octet::onhost::dynamicSharedMemory())

using OctetWhere = octet::onhost::Where;

template <class T>
T __shfl_xor_sync(unsigned mask, T value, int laneMask, int width = 32, OctetWhere where = OctetWhere::current()) {
    uint64_t values[32];
    octet::onhost::exchange(mask, octet::onhost::packed(value), "shfl_xor", values, where);
    const unsigned own = octet::onhost::lane(), source = own ^ static_cast<unsigned>(laneMask);
    const bool inside = source / static_cast<unsigned>(width) == own / static_cast<unsigned>(width);
    return octet::onhost::unpacked<T>(values[inside ? source : own]);
}
template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32, OctetWhere where = OctetWhere::current()) {
    uint64_t values[32];
    octet::onhost::exchange(mask, octet::onhost::packed(value), "shfl", values, where);
    const unsigned segment = octet::onhost::lane() / static_cast<unsigned>(width) * static_cast<unsigned>(width);
    return octet::onhost::unpacked<T>(values[segment + static_cast<unsigned>(source) % static_cast<unsigned>(width)]);
}
inline unsigned __ballot_sync(unsigned mask, int claim, OctetWhere where = OctetWhere::current()) {
    uint64_t values[32];
    octet::onhost::exchange(mask, claim != 0, "ballot", values, where);
    unsigned bits = 0;
    for (unsigned k = 0; k < 32; ++k)
        if ((mask >> k & 1) != 0 && values[k] != 0) bits |= 1u << k;
    return bits;
}
inline void __syncwarp(unsigned mask = 0xFFFFFFFFu, OctetWhere where = OctetWhere::current()) {
    uint64_t values[32];
    octet::onhost::exchange(mask, 0, "syncwarp", values, where);
}

template <class T>
T atomicAdd(T* target, T value) {
    return __atomic_fetch_add(target, value, __ATOMIC_RELAXED);
}
template <class T>
T atomicOr(T* target, T value) {
    return __atomic_fetch_or(target, value, __ATOMIC_RELAXED);
}
template <class T>
T atomicMax(T* target, T value) {
    T old = __atomic_load_n(target, __ATOMIC_RELAXED);
    while (old < value &&
           !__atomic_compare_exchange_n(target, &old, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return old;
}

namespace octet::cuda {

template <numerics::Fp8Format F>
uint16_t encodePair(float low, float high) {
    return static_cast<uint16_t>(numerics::encode<F>(low) | numerics::encode<F>(high) << 8);
}
template <numerics::Fp8Format F>
float2 decodePair(uint16_t codes) {
    return {numerics::decode<F>(static_cast<uint8_t>(codes)), numerics::decode<F>(static_cast<uint8_t>(codes >> 8))};
}
inline float halfToFloat(uint16_t bits) {
    return numerics::floatOfHalf(bits);
}

/// The host twin of Launcher: a violated rule throws.
class Launcher {
public:
    explicit Launcher(uint64_t seed = 1) : m_seed(seed) {}

    template <class... Parameters, class... Arguments>
    void operator()(const LaunchShape& shape, void (*kernel)(Parameters...), Arguments... arguments) {
        const onhost::Grid grid{shape.blocks, shape.blockRows, shape.threads, shape.sharedBytes};
        const std::string failure = onhost::launch(
            grid, [&] { kernel(static_cast<Parameters>(arguments)...); }, m_seed++);
        if (!failure.empty()) throw std::runtime_error(failure);
    }

private:
    uint64_t m_seed;
};

}  // namespace octet::cuda
