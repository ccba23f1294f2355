// SPDX-License-Identifier: Apache-2.0
// FP8 GEMMs against double sums over the dequantised operands, in every scale mode that the device has. Tensor cores
// keep fewer bits between products than float32, so the bound is a fraction of sum |a b|, 2^-10 with fast accumulation
// and 2^-12 without, plus the rounding of the result; the worst fraction is reported so that it can be tightened.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "engine/backend/device_check_rows.h"

namespace octet::backend::checks {
namespace {

using numerics::Fp8Format;

struct Mode {
    ScaleMode a, b;
    GemmType aType, bType;
};
constexpr Mode kModes[] = {{ScaleMode::Tensor, ScaleMode::Tensor, GemmType::E4M3, GemmType::E4M3},
                           {ScaleMode::Tensor, ScaleMode::Tensor, GemmType::E5M2, GemmType::E4M3},
                           {ScaleMode::Tensor, ScaleMode::Tensor, GemmType::E4M3, GemmType::E5M2},
                           {ScaleMode::Row, ScaleMode::Row, GemmType::E4M3, GemmType::E4M3},
                           {ScaleMode::Block1x128, ScaleMode::Block128x128, GemmType::E4M3, GemmType::E4M3},
                           {ScaleMode::Block1x128, ScaleMode::Block1x128, GemmType::E4M3, GemmType::E4M3},
                           {ScaleMode::Mx1x32, ScaleMode::Mx1x32, GemmType::E4M3, GemmType::E4M3}};

/// Codes made here with simple scales, and what they stand for.
struct Side {
    std::vector<uint8_t> codes, scaleBytes;
    std::vector<double> values;
};

Side makeSide(GemmType type, ScaleMode mode, int64_t rows, int64_t k, uint64_t seed) {
    const Fp8Format format = type == GemmType::E4M3 ? Fp8Format::E4M3 : Fp8Format::E5M2;
    const Input input = makeInput(ElementType::Bf16, rows, k, Values::Normal, seed);
    const ScaleLayout layout = scaleLayout(mode, rows, k);
    const bool mx = mode == ScaleMode::Mx1x32;
    BlockScales where{nullptr, layout.lineStride, layout.blockStride, layout.swizzled, layout.swizzleTiles};
    std::vector<float> inverses(static_cast<size_t>(layout.count), 1.0f);
    std::vector<uint8_t> bytes(static_cast<size_t>(mx ? layout.count : 0), 0);
    Side side;
    for (int64_t r = 0; r < rows; ++r) {
        for (int64_t p = 0; p < k; ++p) {
            const int64_t line = mode == ScaleMode::Block128x128 ? r / 128 : r;
            const int64_t block = mx ? p / 32 : mode == ScaleMode::Row || mode == ScaleMode::Tensor ? 0 : p / 128;
            const int64_t at = mode == ScaleMode::Tensor ? 0 : where.offset(line, block);
            const int exponent = static_cast<int>((line * 3 + block * 5 + 1) % 7) - 6;  // the same for a whole block
            const float inverse = scaling::powerOfTwo(mode == ScaleMode::Tensor ? -4 : exponent);
            if (mx)
                bytes[static_cast<size_t>(at)] = static_cast<uint8_t>(exponent + 127);
            else
                inverses[static_cast<size_t>(at)] = inverse;
            const float x = input.values[static_cast<size_t>(r * k + p)];
            side.codes.push_back(encodeAs(format, x / inverse));
            side.values.push_back(static_cast<double>(decodeAs(format, side.codes.back()) * inverse));
        }
    }
    if (mx) {
        side.scaleBytes = bytes;
    } else {
        side.scaleBytes.resize(inverses.size() * sizeof(float));
        std::memcpy(side.scaleBytes.data(), inverses.data(), side.scaleBytes.size());
    }
    return side;
}

struct Product {
    const Side &a, &b;
    const GemmPlan& plan;
};

double worstFraction(const Product& product, const std::vector<float>& out) {
    const GemmPlan& plan = product.plan;
    double worst = 0;
    for (int64_t i = 0; i < plan.m; ++i) {
        for (int64_t j = 0; j < plan.n; ++j) {
            double exact = 0, magnitude = 0;
            for (int64_t p = 0; p < plan.k; ++p) {
                const double term = product.a.values[static_cast<size_t>(i * plan.k + p)] *
                                    product.b.values[static_cast<size_t>(j * plan.k + p)];
                exact += term;
                magnitude += std::fabs(term);
            }
            const double rounding = plan.out == GemmType::Bf16 ? std::fabs(exact) / 256 : std::fabs(exact) * 1e-7;
            const double error = std::fabs(static_cast<double>(out[static_cast<size_t>(i * plan.n + j)]) - exact);
            if (!(error == error)) return INFINITY;
            if (magnitude > 0) worst = std::max(worst, (error - rounding) / magnitude);
        }
    }
    return worst;
}

std::vector<float> runGemm(Device& device, const Side& a, const Side& b, const GemmPlan& plan) {
    const auto elements = static_cast<size_t>(plan.m * plan.n);
    const DeviceBuffer<uint8_t> aCodes(device, std::span<const uint8_t>(a.codes));
    const DeviceBuffer<uint8_t> bCodes(device, std::span<const uint8_t>(b.codes));
    const DeviceBuffer<uint8_t> aScale(device, std::span<const uint8_t>(a.scaleBytes));
    const DeviceBuffer<uint8_t> bScale(device, std::span<const uint8_t>(b.scaleBytes));
    const DeviceBuffer<uint8_t> out(device, elements * (plan.out == GemmType::Bf16 ? 2 : 4));
    const GemmOperands operands{aCodes.get(), bCodes.get(), aScale.get(), bScale.get(), nullptr, out.get()};
    device.call(device.table().gemm, &plan, &operands);
    const auto raw = out.download();
    std::vector<float> values(elements);
    for (size_t i = 0; i < elements; ++i) {
        if (plan.out == GemmType::Bf16)
            values[i] = numerics::floatOf(static_cast<uint32_t>(raw[2 * i] | raw[2 * i + 1] << 8) << 16);
        else
            std::memcpy(&values[i], &raw[4 * i], 4);
    }
    return values;
}

int capabilityOf(Device& device) {
    DeviceInfo devices[16];
    int32_t count = 0;
    Failure failure;
    if (!device.table().list(devices, 16, &count, &failure)) throw DeviceError(failure.text);
    return count == 0 ? 0 : devices[0].capabilityMajor * 10 + devices[0].capabilityMinor;
}

}  // namespace

CheckResult gemmCheck(Device& device, int every) {
    Rows rows("gemm", every);
    if (device.table().gemm == nullptr) {
        CheckResult skipped = rows.result();
        skipped.skippedBecause = "this device has no matrix library";
        return skipped;
    }
    const int capability = capabilityOf(device);
    for (const Mode& mode : kModes) {
        for (const bool fast : {false, true}) {
            for (const GemmType out : {GemmType::Bf16, GemmType::Float32}) {
                GemmRequest request{"selfcheck",          GemmKind::Fprop,      144, 256, 160,
                                    {mode.aType, mode.a}, {mode.bType, mode.b}, out};
                request.fastAccumulation = fast;
                request.capability = capability;
                const auto plan = planGemm(request);
                if (!plan || !rows.wanted()) continue;  // refused on this GPU, as it is before a run
                char name[120];
                std::snprintf(name, sizeof name, "%s x %s, scale modes %d and %d, %s accumulation, %s",
                              typeName(mode.aType), typeName(mode.bType), static_cast<int>(mode.a),
                              static_cast<int>(mode.b), fast ? "fast" : "precise", typeName(out));
                rows.begin(name);
                const Side a = makeSide(mode.aType, mode.a, plan->m, plan->k, 1);
                const Side b = makeSide(mode.bType, mode.b, plan->n, plan->k, 2);
                const double worst = worstFraction({a, b, *plan}, runGemm(device, a, b, *plan));
                rows.near("error as a fraction of sum |a b|", worst, 0, fast ? 0x1p-10 : 0x1p-12);
            }
        }
    }
    return rows.result();
}

}  // namespace octet::backend::checks
