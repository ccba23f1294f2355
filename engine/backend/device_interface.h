// SPDX-License-Identifier: Apache-2.0
// The border between Octet and a GPU plug-in: a table of plain functions. The plug-in is loaded with dlopen where a
// driver is found (device_library.h); tests fill the same table with the host twin of the kernels. Work is queued on
// the device's stream; only download(), finish() and stopTimer() wait for it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/backend/device_gemm.h"
#include "engine/backend/device_jobs.h"

namespace octet::backend {

/// Raised whenever this header or one it includes changes.
inline constexpr uint32_t kDeviceInterface = 1;
inline constexpr const char* kDeviceTableSymbol = "octetDeviceTable";

struct DeviceInfo {
    int32_t index = 0;
    char name[256] = {};
    int64_t memoryBytes = 0, freeBytes = 0;
    int32_t capabilityMajor = 0, capabilityMinor = 0;
    int32_t multiprocessors = 0;
};

/// One sentence: what was expected, what was found, what to do.
struct Failure {
    char text[512] = {};
};

struct DeviceHandle;

/// Functions return whether they worked and fill `failure` when not. Pointers into the device come from allocate().
struct DeviceTable {
    uint32_t interfaceVersion;
    char octetVersion[32];

    bool (*list)(DeviceInfo* devices, int32_t capacity, int32_t* count, Failure* failure);
    bool (*open)(int32_t index, DeviceHandle** handle, Failure* failure);
    void (*close)(DeviceHandle* handle);
    /// Queues on somebody else's stream (cudaStream_t) from now on.
    void (*useStream)(DeviceHandle* handle, void* stream);

    bool (*allocate)(DeviceHandle* handle, size_t bytes, void** pointer, Failure* failure);
    void (*release)(DeviceHandle* handle, void* pointer);
    bool (*upload)(DeviceHandle* handle, void* target, const void* source, size_t bytes, Failure* failure);
    bool (*download)(DeviceHandle* handle, void* target, const void* source, size_t bytes, Failure* failure);
    bool (*copy)(DeviceHandle* handle, void* target, const void* source, size_t bytes, Failure* failure);
    bool (*zero)(DeviceHandle* handle, void* target, size_t bytes, Failure* failure);
    bool (*finish)(DeviceHandle* handle, Failure* failure);
    bool (*startTimer)(DeviceHandle* handle, Failure* failure);
    bool (*stopTimer)(DeviceHandle* handle, float* milliseconds, Failure* failure);

    /// Adds to `found`, which starts from zero.
    bool (*amax)(DeviceHandle* handle, const TensorView* x, FoundWords* found, Failure* failure);
    /// One entry per row and per column, zeroed by the caller; null: not wanted.
    bool (*axisAmax)(DeviceHandle* handle, const TensorView* x, FoundWords* ofRows, FoundWords* ofColumns,
                     Failure* failure);
    bool (*currentScales)(DeviceHandle* handle, const FoundWords* found, int64_t count, const CurrentScaleRule* rule,
                          float* scales, float* scaleInvs, Failure* failure);
    bool (*updateDelayed)(DeviceHandle* handle, DelayedTensor* tensors, int64_t count, Failure* failure);
    bool (*cast)(DeviceHandle* handle, const CastJob* job, Failure* failure);
    bool (*quantiseBlocks)(DeviceHandle* handle, const BlockJob* job, Failure* failure);
    bool (*dequantise)(DeviceHandle* handle, const DequantiseJob* job, Failure* failure);
    /// @param counts  kExponentSlots, zeroed by the caller
    bool (*exponents)(DeviceHandle* handle, const TensorView* x, uint64_t* counts, Failure* failure);
    /// Null where the device has no matrix library (the host twin).
    bool (*gemm)(DeviceHandle* handle, const GemmPlan* plan, const GemmOperands* operands, Failure* failure);
};

using DeviceTableFunction = const DeviceTable* (*)();

}  // namespace octet::backend
