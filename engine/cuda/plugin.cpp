// SPDX-License-Identifier: Apache-2.0
// The plug-in: fills backend::DeviceTable with the CUDA runtime, the kernels and cuBLASLt.
#include <cuda_runtime_api.h>

#include <cstdio>
#include <memory>
#include <new>
#include <string>

#include "engine/backend/device_interface.h"
#include "engine/cuda/matmul.h"
#include "engine/cuda/operations.h"

namespace octet::backend {

/// One opened GPU: its stream, scratch, timer and matrix library. One thread at a time.
struct DeviceHandle {
    int index = 0;
    cudaStream_t ownStream = nullptr, stream = nullptr;
    cudaEvent_t started = nullptr, stopped = nullptr;
    cuda::CastPartial* scratch = nullptr;
    cuda::Matmul matmul;

    DeviceHandle() = default;
    DeviceHandle(const DeviceHandle&) = delete;
    DeviceHandle& operator=(const DeviceHandle&) = delete;
    ~DeviceHandle() {
        cudaSetDevice(index);
        cudaFree(scratch);
        if (started != nullptr) cudaEventDestroy(started);
        if (stopped != nullptr) cudaEventDestroy(stopped);
        if (ownStream != nullptr) cudaStreamDestroy(ownStream);
    }
};

}  // namespace octet::backend

namespace octet::cuda {
namespace {

using backend::BlockJob, backend::CastJob, backend::CurrentScaleRule, backend::DelayedTensor, backend::DequantiseJob;
using backend::DeviceHandle, backend::DeviceInfo, backend::DeviceTable, backend::Failure, backend::FoundWords;
using backend::GemmOperands, backend::GemmPlan, backend::TensorView;

bool say(Failure* failure, const std::string& sentence) {
    std::snprintf(failure->text, sizeof failure->text, "%s", sentence.c_str());
    return false;
}

/// The one place where CUDA's answers become sentences.
bool succeeded(cudaError_t error, const char* doing, Failure* failure) {
    if (error == cudaSuccess) return true;
    if (error == cudaErrorMemoryAllocation) {
        return say(failure, std::string("The GPU has too little memory left to ") + doing +
                                ". Use a smaller model or batch, or end other programs on this GPU.");
    }
    if (error == cudaErrorInsufficientDriver) {
        return say(failure, "The NVIDIA driver is missing or older than CUDA 13 needs. Install driver 580 or newer.");
    }
    if (error == cudaErrorNoDevice) return say(failure, "The NVIDIA driver is there, but it finds no GPU.");
    return say(failure, std::string("The GPU could not ") + doing + ": " + cudaGetErrorString(error) + ".");
}

bool list(DeviceInfo* devices, int32_t capacity, int32_t* count, Failure* failure) {
    int found = 0;
    if (!succeeded(cudaGetDeviceCount(&found), "be counted", failure)) return false;
    *count = found;
    for (int i = 0; i < found && i < capacity; ++i) {
        cudaDeviceProp properties{};
        if (!succeeded(cudaGetDeviceProperties(&properties, i), "tell its properties", failure)) return false;
        size_t free = 0, total = 0;
        if (cudaSetDevice(i) != cudaSuccess || cudaMemGetInfo(&free, &total) != cudaSuccess) free = 0;
        devices[i] = {};
        devices[i].index = i;
        std::snprintf(devices[i].name, sizeof devices[i].name, "%s", properties.name);
        devices[i].memoryBytes = static_cast<int64_t>(properties.totalGlobalMem);
        devices[i].freeBytes = static_cast<int64_t>(free);
        devices[i].capabilityMajor = properties.major;
        devices[i].capabilityMinor = properties.minor;
        devices[i].multiprocessors = properties.multiProcessorCount;
    }
    return true;
}

bool hasFp8(int index, Failure* failure) {
    int major = 0, minor = 0;
    if (!succeeded(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, index), "be asked", failure) ||
        !succeeded(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, index), "be asked", failure)) {
        return false;
    }
    if (major * 10 + minor >= 89) return true;
    return say(failure, "This GPU has compute capability " + std::to_string(major) + "." + std::to_string(minor) +
                            "; FP8 needs 8.9 or newer. Use --device cpu.");
}

bool open(int32_t index, DeviceHandle** handle, Failure* failure) {
    if (!hasFp8(index, failure)) return false;
    auto made = std::make_unique<DeviceHandle>();
    made->index = index;
    const bool opened =
        succeeded(cudaSetDevice(index), "be chosen", failure) &&
        succeeded(cudaStreamCreateWithFlags(&made->ownStream, cudaStreamNonBlocking), "make a stream", failure) &&
        succeeded(cudaEventCreate(&made->started), "make a timer", failure) &&
        succeeded(cudaEventCreate(&made->stopped), "make a timer", failure) &&
        succeeded(cudaMalloc(reinterpret_cast<void**>(&made->scratch), castScratchBytes()), "hold scratch", failure);
    if (!opened) return false;
    made->stream = made->ownStream;
    *handle = made.release();
    return true;
}

void close(DeviceHandle* handle) {
    delete handle;
}

bool allocate(DeviceHandle*, size_t bytes, void** pointer, Failure* failure) {
    return succeeded(cudaMalloc(pointer, bytes), "hold a tensor", failure);
}
void release(DeviceHandle*, void* pointer) {
    cudaFree(pointer);
}

bool copyWith(DeviceHandle* h, void* target, const void* source, size_t bytes, cudaMemcpyKind kind, Failure* failure) {
    return succeeded(cudaMemcpyAsync(target, source, bytes, kind, h->stream), "copy a tensor", failure);
}
bool finish(DeviceHandle* h, Failure* failure) {
    return succeeded(cudaStreamSynchronize(h->stream), "finish its work", failure);
}
bool upload(DeviceHandle* h, void* target, const void* source, size_t bytes, Failure* failure) {
    // Pageable memory: the runtime has taken its own copy when the call returns.
    return copyWith(h, target, source, bytes, cudaMemcpyHostToDevice, failure);
}
bool download(DeviceHandle* h, void* target, const void* source, size_t bytes, Failure* failure) {
    return copyWith(h, target, source, bytes, cudaMemcpyDeviceToHost, failure) && finish(h, failure);
}

bool startTimer(DeviceHandle* h, Failure* failure) {
    return succeeded(cudaEventRecord(h->started, h->stream), "start a timer", failure);
}
bool stopTimer(DeviceHandle* h, float* milliseconds, Failure* failure) {
    return succeeded(cudaEventRecord(h->stopped, h->stream), "stop a timer", failure) &&
           succeeded(cudaEventSynchronize(h->stopped), "finish its work", failure) &&
           succeeded(cudaEventElapsedTime(milliseconds, h->started, h->stopped), "read a timer", failure);
}

constexpr int64_t kMostElements = int64_t{1} << 32;

bool fits(const TensorView& x, Failure* failure) {
    if (x.rows >= 0 && x.columns >= 0 && (x.columns == 0 || x.rows < kMostElements / x.columns)) return true;
    return say(failure, "Expected a tensor of fewer than 4,294,967,296 elements, found [" + std::to_string(x.rows) +
                            ", " + std::to_string(x.columns) + "].");
}

DeviceTable makeTable() {
    DeviceTable table{};
    table.interfaceVersion = backend::kDeviceInterface;
    std::snprintf(table.octetVersion, sizeof table.octetVersion, "%s", OCTET_VERSION);
    table.list = list;
    table.open = open;
    table.close = close;
    table.useStream = [](DeviceHandle* h, void* stream) { h->stream = static_cast<cudaStream_t>(stream); };
    table.allocate = allocate;
    table.release = release;
    table.upload = upload;
    table.download = download;
    table.copy = [](DeviceHandle* h, void* target, const void* source, size_t bytes, Failure* failure) {
        return copyWith(h, target, source, bytes, cudaMemcpyDeviceToDevice, failure);
    };
    table.zero = [](DeviceHandle* h, void* target, size_t bytes, Failure* failure) {
        return succeeded(cudaMemsetAsync(target, 0, bytes, h->stream), "clear memory", failure);
    };
    table.finish = finish;
    table.startTimer = startTimer;
    table.stopTimer = stopTimer;
    table.amax = [](DeviceHandle* h, const TensorView* x, FoundWords* found, Failure* failure) {
        return fits(*x, failure) && succeeded(amax(h->stream, *x, found), "find an amax", failure);
    };
    table.axisAmax = [](DeviceHandle* h, const TensorView* x, FoundWords* rows, FoundWords* columns, Failure* failure) {
        return fits(*x, failure) && succeeded(axisAmax(h->stream, *x, rows, columns), "find amaxes", failure);
    };
    table.currentScales = [](DeviceHandle* h, const FoundWords* found, int64_t count, const CurrentScaleRule* rule,
                             float* scales, float* inverses, Failure* failure) {
        return succeeded(currentScales(h->stream, found, count, *rule, scales, inverses), "make scales", failure);
    };
    table.updateDelayed = [](DeviceHandle* h, DelayedTensor* tensors, int64_t count, Failure* failure) {
        return succeeded(updateDelayed(h->stream, tensors, count), "update its scales", failure);
    };
    table.cast = [](DeviceHandle* h, const CastJob* job, Failure* failure) {
        return fits(job->x, failure) && succeeded(cast(h->stream, *job, h->scratch), "cast a tensor", failure);
    };
    table.quantiseBlocks = [](DeviceHandle* h, const BlockJob* job, Failure* failure) {
        return fits(job->x, failure) && succeeded(quantiseBlocks(h->stream, *job, h->scratch), "cast blocks", failure);
    };
    table.dequantise = [](DeviceHandle* h, const DequantiseJob* job, Failure* failure) {
        return succeeded(dequantise(h->stream, *job), "dequantise a tensor", failure);
    };
    table.exponents = [](DeviceHandle* h, const TensorView* x, uint64_t* counts, Failure* failure) {
        auto* words = reinterpret_cast<unsigned long long*>(counts);
        return fits(*x, failure) && succeeded(exponents(h->stream, *x, words), "count exponents", failure);
    };
    table.gemm = [](DeviceHandle* h, const GemmPlan* plan, const GemmOperands* operands, Failure* failure) {
        const std::string trouble = h->matmul.run(h->stream, *plan, *operands);
        return trouble.empty() || say(failure, trouble);
    };
    return table;
}

}  // namespace
}  // namespace octet::cuda

extern "C" __attribute__((visibility("default"))) const octet::backend::DeviceTable* octetDeviceTable() {
    static const octet::backend::DeviceTable table = octet::cuda::makeTable();
    return &table;
}
