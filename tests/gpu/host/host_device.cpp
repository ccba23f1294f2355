// SPDX-License-Identifier: Apache-2.0
#include "tests/gpu/host/host_device.h"

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "tests/gpu/host/device_on_host.h"
// Behind the names of CUDA.
#include "engine/cuda/block_operation.cuh"
#include "engine/cuda/cast_operation.cuh"
#include "engine/cuda/small_operations.cuh"

namespace octet::backend {
/// What stands for a device: its launcher and the scratch that a GPU keeps too.
struct DeviceHandle {
    cuda::Launcher launch;
    std::vector<cuda::CastPartial> partials = std::vector<cuda::CastPartial>(cuda::kMaxCastBlocks);
};
}  // namespace octet::backend

namespace octet::onhost {
namespace {

using backend::CastJob, backend::BlockJob, backend::CurrentScaleRule, backend::DelayedTensor;
using backend::DequantiseJob, backend::DeviceHandle, backend::DeviceInfo, backend::DeviceTable, backend::Failure;
using backend::FoundWords, backend::kDeviceInterface, backend::TensorView;

/// Runs an operation; a rule that the scheduler found violated becomes the failure.
template <class Operation>
bool guarded(Failure* failure, const Operation& operation) {
    try {
        operation();
        return true;
    } catch (const std::exception& thrown) {
        std::snprintf(failure->text, sizeof failure->text, "%s", thrown.what());
        return false;
    }
}

bool list(DeviceInfo* devices, int32_t capacity, int32_t* count, Failure*) {
    *count = 1;
    if (capacity < 1) return true;
    devices[0] = {};
    std::snprintf(devices[0].name, sizeof devices[0].name, "host twin");
    return true;
}
bool open(int32_t, DeviceHandle** handle, Failure*) {
    *handle = new DeviceHandle;
    return true;
}
void close(DeviceHandle* handle) {
    delete handle;
}
bool allocate(DeviceHandle*, size_t bytes, void** pointer, Failure*) {
    *pointer = std::malloc(bytes);
    return true;
}
void release(DeviceHandle*, void* pointer) {
    std::free(pointer);
}
bool copy(DeviceHandle*, void* target, const void* source, size_t bytes, Failure*) {
    std::memcpy(target, source, bytes);
    return true;
}
bool zero(DeviceHandle*, void* target, size_t bytes, Failure*) {
    std::memset(target, 0, bytes);
    return true;
}
bool finish(DeviceHandle*, Failure*) {
    return true;
}
bool stopTimer(DeviceHandle*, float* milliseconds, Failure*) {
    *milliseconds = 0;
    return true;
}

bool amax(DeviceHandle* h, const TensorView* x, FoundWords* found, Failure* failure) {
    return guarded(failure, [&] { cuda::amaxOperation(h->launch, *x, found); });
}
bool axisAmax(DeviceHandle* h, const TensorView* x, FoundWords* rows, FoundWords* columns, Failure* failure) {
    return guarded(failure, [&] { cuda::axisAmaxOperation(h->launch, *x, rows, columns); });
}
bool currentScales(DeviceHandle* h, const FoundWords* found, int64_t count, const CurrentScaleRule* rule, float* scales,
                   float* inverses, Failure* failure) {
    return guarded(failure, [&] { cuda::currentScalesOperation(h->launch, found, count, *rule, scales, inverses); });
}
bool updateDelayed(DeviceHandle* h, DelayedTensor* tensors, int64_t count, Failure* failure) {
    return guarded(failure, [&] { cuda::delayedUpdateOperation(h->launch, tensors, count); });
}
bool cast(DeviceHandle* h, const CastJob* job, Failure* failure) {
    return guarded(failure, [&] { cuda::castOperation(h->launch, *job, h->partials.data()); });
}
bool quantiseBlocks(DeviceHandle* h, const BlockJob* job, Failure* failure) {
    return guarded(failure, [&] { cuda::blockOperation(h->launch, *job, h->partials.data()); });
}
bool dequantise(DeviceHandle* h, const DequantiseJob* job, Failure* failure) {
    return guarded(failure, [&] { cuda::dequantiseOperation(h->launch, *job); });
}
bool exponents(DeviceHandle* h, const TensorView* x, uint64_t* counts, Failure* failure) {
    return guarded(failure,
                   [&] { cuda::exponentsOperation(h->launch, *x, reinterpret_cast<unsigned long long*>(counts)); });
}

}  // namespace

const DeviceTable& hostDeviceTable() {
    static const DeviceTable table{.interfaceVersion = kDeviceInterface,
                                   .octetVersion = "host twin",
                                   .list = list,
                                   .open = open,
                                   .close = close,
                                   .useStream = [](DeviceHandle*, void*) {},
                                   .allocate = allocate,
                                   .release = release,
                                   .upload = copy,
                                   .download = copy,
                                   .copy = copy,
                                   .zero = zero,
                                   .finish = finish,
                                   .startTimer = finish,
                                   .stopTimer = stopTimer,
                                   .amax = amax,
                                   .axisAmax = axisAmax,
                                   .currentScales = currentScales,
                                   .updateDelayed = updateDelayed,
                                   .cast = cast,
                                   .quantiseBlocks = quantiseBlocks,
                                   .dequantise = dequantise,
                                   .exponents = exponents,
                                   .gemm = nullptr};
    return table;
}

}  // namespace octet::onhost
