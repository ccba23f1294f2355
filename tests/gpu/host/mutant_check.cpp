// SPDX-License-Identifier: Apache-2.0
// Runs two kernels on a few shapes and says "all right" or what is wrong. Compiled against copies of the kernels with
// one fault planted in each (targets.cmake); every fault must be caught, here, by a sanitizer or by the scheduler.
#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

#include "tests/gpu/host/device_on_host.h"
// Behind the names of CUDA.
#include "engine/cuda/amax.cuh"
#include "engine/cuda/cast_transpose.cuh"

namespace {

using namespace octet;
constexpr auto kE4m3 = numerics::Fp8Format::E4M3;

std::vector<float> ramp(int64_t n) {
    std::vector<float> values;
    for (int64_t i = 0; i < n; ++i)
        values.push_back(static_cast<float>(i % 97 - 48) * 0.37f);
    return values;
}

/// The largest value lies at the end, then at the start, so that neither tail nor head nor an early block may be lost.
bool amaxIsRight(int64_t n, int64_t offset, int64_t largestAt) {
    std::vector<float> values = ramp(n);
    values[static_cast<size_t>(largestAt)] = -1000.0f;
    std::vector<float> placed(static_cast<size_t>(offset), std::numeric_limits<float>::infinity());
    placed.insert(placed.end(), values.begin(), values.end());
    backend::FoundWords found{};
    const cuda::LaunchShape shape{2, 1, cuda::kAmaxThreads, 0};
    cuda::Launcher launch(static_cast<uint64_t>(n));
    launch(shape, cuda::amaxKernel<float>, static_cast<const float*>(placed.data() + offset), n, &found);
    if (found.finiteBits == numerics::bitsOf(1000.0f) && found.hasInfinity == 0) return true;
    std::printf("wrong amax of %lld elements, offset %lld\n", static_cast<long long>(n),
                static_cast<long long>(offset));
    return false;
}

bool castIsRight(int64_t rows, int64_t columns) {
    const std::vector<float> values = ramp(rows * columns);
    const float scale = 3.0f;
    std::vector<uint8_t> rowwise(values.size()), columnwise(values.size());
    backend::CastJob job;
    job.x = {values.data(), backend::ElementType::Float32, rows, columns};
    job.rowwise = job.columnwise = {&scale, 0};
    job.rowwiseCodes = rowwise.data();
    job.rowwisePitch = columns;
    job.columnwiseCodes = columnwise.data();
    job.columnwisePitch = rows;
    std::vector<cuda::CastPartial> partials(2);
    cuda::Launcher launch(static_cast<uint64_t>(rows));
    launch({2, 1, cuda::kCastThreads, 0}, cuda::castTransposeKernel<float, kE4m3, false>, job, partials.data());
    for (int64_t r = 0; r < rows; ++r) {
        for (int64_t c = 0; c < columns; ++c) {
            const auto at = static_cast<size_t>(r * columns + c), turned = static_cast<size_t>(c * rows + r);
            const uint8_t expected = numerics::encode<kE4m3>(values[at] * scale);
            if (rowwise[at] == expected && columnwise[turned] == expected) continue;
            std::printf("wrong code at row %lld, column %lld of %lld x %lld\n", static_cast<long long>(r),
                        static_cast<long long>(c), static_cast<long long>(rows), static_cast<long long>(columns));
            return false;
        }
    }
    return true;
}

bool everythingIsRight() {
    for (const int64_t n : {1, 5, 700, 2050}) {
        for (const int64_t offset : {0, 1, 3})
            if (!amaxIsRight(n, offset, n - 1) || !amaxIsRight(n, offset, 0)) return false;
    }
    return castIsRight(70, 68) && castIsRight(64, 300) && castIsRight(33, 65);
}

}  // namespace

int main() {
    try {
        if (!everythingIsRight()) return 1;
    } catch (const std::exception& violated) {
        std::printf("%s\n", violated.what());
        return 1;
    }
    std::printf("all right\n");
    return 0;
}
