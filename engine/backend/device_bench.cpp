// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/device_bench.h"

#include <algorithm>
#include <cstdio>
#include <memory>

namespace octet::backend {
namespace {

using numerics::Fp8Format;

/// Median milliseconds of `work`, which queues on the device's stream.
template <class Work>
double milliseconds(Device& device, int repeats, const Work& work) {
    work();  // chooses algorithms, wakes the clock
    std::vector<float> times(static_cast<size_t>(repeats));
    for (float& time : times) {
        device.call(device.table().startTimer);
        work();
        device.call(device.table().stopTimer, &time);
    }
    std::nth_element(times.begin(), times.begin() + repeats / 2, times.end());
    return static_cast<double>(times[static_cast<size_t>(repeats / 2)]);
}

DeviceBenchResult against(const std::string& name, double value, const char* unit, double reference,
                          const std::string& what) {
    char text[120];
    std::snprintf(text, sizeof text, "%s: %.4g %s", what.c_str(), reference, unit);
    return {name, value, unit, reference > 0 ? value / reference : 0, text};
}

/// A bf16 matrix of small values with its codes in both directions and their scale.
struct Matrix {
    Matrix(Device& device, int64_t rowCount, int64_t columnCount)
        : rows(rowCount),
          columns(columnCount),
          values(device, std::vector<uint16_t>(static_cast<size_t>(rows * columns), 0x3E99)),
          rowwise(device, static_cast<size_t>(rows * columns)),
          columnwise(device, static_cast<size_t>(rows * columns)),
          scale(device, std::vector<float>{16.0f}),
          scaleInv(device, std::vector<float>{1.0f / 16.0f}),
          rowBlocks(device, static_cast<size_t>(scaleLayout(ScaleMode::Block1x128, rows, columns).count)),
          columnBlocks(device, static_cast<size_t>(scaleLayout(ScaleMode::Block1x128, columns, rows).count)),
          totals(device, 1),
          found(device, 1) {
        found.zero();
    }
    [[nodiscard]] TensorView view() const { return {values.get(), ElementType::Bf16, rows, columns}; }

    int64_t rows, columns;
    DeviceBuffer<uint16_t> values;
    DeviceBuffer<uint8_t> rowwise, columnwise;
    DeviceBuffer<float> scale, scaleInv, rowBlocks, columnBlocks;
    DeviceBuffer<CastTotals> totals;
    DeviceBuffer<FoundWords> found;
};

void castBoth(Device& device, Matrix& matrix, Fp8Format format, bool transposed, bool errorSums) {
    CastJob job;
    job.x = matrix.view();
    job.format = format;
    job.rowwise = job.columnwise = {matrix.scale.get(), 0};
    job.rowwiseCodes = matrix.rowwise.get();
    job.rowwisePitch = matrix.columns;
    job.columnwiseCodes = transposed ? matrix.columnwise.get() : nullptr;
    job.columnwisePitch = matrix.rows;
    job.errorSums = errorSums;
    job.totals = matrix.totals.get();
    job.found = matrix.found.get();
    device.call(device.table().cast, &job);
}

void scaleFromAmax(Device& device, Matrix& matrix, Fp8Format format) {
    matrix.found.zero();
    const TensorView view = matrix.view();
    device.call(device.table().amax, &view, matrix.found.get());
    const CurrentScaleRule rule{ScaleLibrary::Te, format, false, 0};
    device.call(device.table().currentScales, matrix.found.get(), int64_t{1}, &rule, matrix.scale.get(),
                matrix.scaleInv.get());
}

void castBlocks(Device& device, Matrix& matrix, bool square) {
    const ScaleMode mode = square ? ScaleMode::Block128x128 : ScaleMode::Block1x128;
    const ScaleLayout rowLayout = scaleLayout(mode, matrix.rows, matrix.columns);
    const ScaleLayout columnLayout = scaleLayout(mode, matrix.columns, matrix.rows);
    BlockJob job;
    job.x = matrix.view();
    job.rule.kind = square ? BlockKind::Float128x128 : BlockKind::Float1x128;
    job.rowwiseCodes = matrix.rowwise.get();
    job.rowwisePitch = matrix.columns;
    job.rowwiseScales = {matrix.rowBlocks.get(), rowLayout.lineStride, rowLayout.blockStride, false, 0};
    job.columnwiseCodes = matrix.columnwise.get();
    job.columnwisePitch = matrix.rows;
    job.columnwiseScales = {matrix.columnBlocks.get(), columnLayout.lineStride, columnLayout.blockStride, false, 0};
    job.totals = matrix.totals.get();
    device.call(device.table().quantiseBlocks, &job);
}

enum class Recipe { Bf16, Delayed, Current, Block };

/// One linear with its three GEMMs.
class Linear {
public:
    Linear(Device& device, const DeviceBenchOptions& options, int64_t in, int64_t out)
        : m_device(device),
          m_capability(options.capability),
          m_x(device, options.tokens, in),
          m_w(device, out, in),
          m_dy(device, options.tokens, out),
          m_result(device, static_cast<size_t>(std::max({options.tokens * in, options.tokens * out, in * out}))) {}

    void quantise(Recipe recipe) {
        for (Matrix* matrix : {&m_x, &m_w, &m_dy}) {
            const Fp8Format format = matrix == &m_dy && recipe != Recipe::Block ? Fp8Format::E5M2 : Fp8Format::E4M3;
            if (recipe == Recipe::Current) scaleFromAmax(m_device, *matrix, format);
            if (recipe == Recipe::Block) castBlocks(m_device, *matrix, matrix == &m_w);
            if (recipe == Recipe::Delayed || recipe == Recipe::Current)
                castBoth(m_device, *matrix, format, true, false);
        }
    }
    void multiply(Recipe recipe) {
        gemm(recipe, GemmKind::Fprop);
        gemm(recipe, GemmKind::Dgrad);
        gemm(recipe, GemmKind::Wgrad);
    }
    void gemm(Recipe recipe, GemmKind kind) {
        GemmRequest request{"bench", kind, m_x.rows, m_x.columns, m_w.rows, {}, {}};
        request.capability = m_capability;
        const bool block = recipe == Recipe::Block, bf16 = recipe == Recipe::Bf16;
        const ScaleMode one = bf16 ? ScaleMode::None : block ? ScaleMode::Block1x128 : ScaleMode::Tensor;
        const ScaleMode weights = block ? ScaleMode::Block128x128 : one;
        const GemmType gradient = block ? GemmType::E4M3 : GemmType::E5M2;
        request.a = {bf16 ? GemmType::Bf16 : kind == GemmKind::Fprop ? GemmType::E4M3 : gradient, one};
        request.b = {bf16 ? GemmType::Bf16 : GemmType::E4M3, kind == GemmKind::Wgrad ? one : weights};
        request.fastAccumulation = defaultFastAccumulation(kind, one);
        const auto plan = planGemm(request);
        if (!plan) throw DeviceError(plan.error().message);
        const Matrix& left = kind == GemmKind::Fprop ? m_x : m_dy;
        const Matrix& right = kind == GemmKind::Wgrad ? m_x : m_w;
        const bool turnLeft = kind == GemmKind::Wgrad, turnRight = kind != GemmKind::Fprop;
        const GemmOperands operands{codes(left, turnLeft, bf16),
                                    codes(right, turnRight, bf16),
                                    scales(left, turnLeft, block),
                                    scales(right, turnRight, block),
                                    nullptr,
                                    m_result.get()};
        m_device.call(m_device.table().gemm, &*plan, &operands);
    }
    [[nodiscard]] double flops() const {
        return 6.0 * static_cast<double>(m_x.rows) * static_cast<double>(m_x.columns) * static_cast<double>(m_w.rows);
    }

private:
    /// BF16 needs no transposed copy for its speed: the values' own memory stands for either direction.
    static const void* codes(const Matrix& matrix, bool turned, bool bf16) {
        if (bf16) return matrix.values.get();
        return turned ? matrix.columnwise.get() : matrix.rowwise.get();
    }
    static const void* scales(const Matrix& matrix, bool turned, bool block) {
        if (!block) return matrix.scaleInv.get();
        return turned ? matrix.columnBlocks.get() : matrix.rowBlocks.get();
    }

    Device& m_device;
    int m_capability;
    Matrix m_x, m_w, m_dy;
    DeviceBuffer<uint16_t> m_result;
};

void benchKernels(Device& device, const DeviceBenchOptions& options, std::vector<DeviceBenchResult>& results) {
    Matrix matrix(device, options.tokens, options.hidden);
    const double elements = static_cast<double>(options.tokens) * static_cast<double>(options.hidden);
    DeviceBuffer<uint16_t> copy(device, static_cast<size_t>(elements));
    const auto rate = [&](double bytesPerElement, const auto& work) {
        return elements * bytesPerElement / milliseconds(device, options.repeats, work) / 1e6;
    };
    const double copied = rate(4, [&] {
        device.call(device.table().copy, static_cast<void*>(copy.get()), static_cast<const void*>(matrix.values.get()),
                    static_cast<size_t>(elements) * 2);
    });
    const auto add = [&](const char* name, double bytesPerElement, const auto& work) {
        results.push_back(against(name, rate(bytesPerElement, work), "GB/s", copied, "device copy"));
    };
    const TensorView view = matrix.view();
    add("gpu.amax", 2, [&] { device.call(device.table().amax, &view, matrix.found.get()); });
    add("gpu.cast", 3, [&] { castBoth(device, matrix, Fp8Format::E4M3, false, false); });
    add("gpu.cast_transpose", 4, [&] { castBoth(device, matrix, Fp8Format::E4M3, true, false); });
    add("gpu.cast_transpose_errors", 4, [&] { castBoth(device, matrix, Fp8Format::E4M3, true, true); });
    if (options.capability / 10 == 9) add("gpu.block_1x128", 4, [&] { castBlocks(device, matrix, false); });
}

/// The four linears of a layer: QKV, attention output, up and down.
void benchLayer(Device& device, const DeviceBenchOptions& options, std::vector<DeviceBenchResult>& results) {
    const int64_t h = options.hidden, f = options.feedForward;
    const std::pair<int64_t, int64_t> shapes[] = {{h, 3 * h}, {h, h}, {h, f}, {f, h}};
    constexpr const char* names[] = {"bf16", "delayed", "current", "block"};
    double total[4] = {}, gemms[4] = {}, flops = 0;
    for (const auto& [in, out] : shapes) {
        Linear linear(device, options, in, out);
        flops += linear.flops();
        for (int r = 0; r < 4; ++r) {
            const auto recipe = static_cast<Recipe>(r);
            if (recipe == Recipe::Block && options.capability / 10 != 9) continue;
            linear.quantise(recipe);
            gemms[r] += milliseconds(device, options.repeats, [&] { linear.multiply(recipe); });
            total[r] += milliseconds(device, options.repeats, [&] {
                linear.quantise(recipe);
                linear.multiply(recipe);
            });
        }
    }
    for (int r = 1; r < 4; ++r) {
        if (total[r] <= 0) continue;
        const std::string name = names[r];
        results.push_back(against("gpu.linear." + name, flops / total[r] / 1e9, "TFLOP/s", flops / total[0] / 1e9,
                                  "BF16, forward and backward"));
        results.push_back(against("gpu.gemm." + name, flops / gemms[r] / 1e9, "TFLOP/s", flops / gemms[0] / 1e9,
                                  "BF16, matrix products alone"));
        results.push_back(against("gpu.quantise." + name, total[r] - gemms[r], "ms", total[r], "the linears' time"));
    }
}

}  // namespace

std::vector<DeviceBenchResult> benchDevice(Device& device, const DeviceBenchOptions& options) {
    std::vector<DeviceBenchResult> results;
    benchKernels(device, options, results);
    if (device.table().gemm != nullptr) benchLayer(device, options, results);
    return results;
}

}  // namespace octet::backend
