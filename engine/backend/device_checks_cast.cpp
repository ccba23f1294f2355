// SPDX-License-Identifier: Apache-2.0
// The fused cast and transpose: codes bit for bit, counters exactly, with one scale and with a scale per row and
// column.
#include <array>
#include <cmath>

#include "engine/backend/device_check_rows.h"

namespace octet::backend::checks {
namespace {

using numerics::Fp8Format;

constexpr ElementType kTypes[] = {ElementType::Float32, ElementType::Bf16, ElementType::Float16};
constexpr uint8_t kUntouched = 0xA5;

struct Shape {
    int64_t rows, columns;
};
/// Below, at and above tiles of 64 and chunks of 4, 8 and 16; 1 to 300; empty ones.
constexpr Shape kShapes[] = {{1, 1},    {1, 300},  {300, 1},  {2, 7},    {3, 64}, {63, 65}, {64, 64}, {65, 63},
                             {16, 128}, {128, 16}, {100, 48}, {37, 131}, {0, 16}, {16, 0},  {80, 72}, {129, 257}};

struct Outputs {
    Outputs(Device& device, const Input& input, int64_t rowPitch, int64_t columnPitch)
        : rowwise(device, std::vector<uint8_t>(static_cast<size_t>(input.rows * rowPitch), kUntouched)),
          columnwise(device, std::vector<uint8_t>(static_cast<size_t>(input.columns * columnPitch), kUntouched)),
          totals(device, 1),
          found(device, 1) {
        found.zero();
    }
    DeviceBuffer<uint8_t> rowwise, columnwise;
    DeviceBuffer<CastTotals> totals;
    DeviceBuffer<FoundWords> found;
};

/// What both directions must hold, padding bytes included.
struct ExpectedCodes {
    std::vector<uint8_t> rowwise, columnwise;
};
ExpectedCodes expectedCodes(const Input& input, const CastJob& job, const std::vector<float>& rowScales,
                            const std::vector<float>& columnScales) {
    ExpectedCodes codes;
    codes.rowwise.assign(static_cast<size_t>(input.rows * job.rowwisePitch), kUntouched);
    codes.columnwise.assign(static_cast<size_t>(input.columns * job.columnwisePitch), kUntouched);
    for (int64_t r = 0; r < input.rows; ++r) {
        for (int64_t c = 0; c < input.columns; ++c) {
            const float x = input.values[static_cast<size_t>(r * input.columns + c)];
            const float rowScale = rowScales[static_cast<size_t>(r) % rowScales.size()];
            const float columnScale = columnScales[static_cast<size_t>(c) % columnScales.size()];
            codes.rowwise[static_cast<size_t>(r * job.rowwisePitch + c)] = encodeAs(job.format, x * rowScale);
            codes.columnwise[static_cast<size_t>(c * job.columnwisePitch + r)] = encodeAs(job.format, x * columnScale);
        }
    }
    return codes;
}

struct CastCase {
    Shape shape;
    ElementType type;
    Fp8Format format;
    Values kind;
    int64_t offset;      // elements
    int64_t pad;         // bytes behind each row of codes
    int directions = 3;  // 1 rowwise, 2 columnwise
    bool errorSums = true;
};

/// Runs one case. @param rowScales, columnScales  one entry, or one per row and per column
void runCast(Device& device, Rows& rows, const CastCase& what, const std::vector<float>& rowScales,
             const std::vector<float>& columnScales) {
    const Input input = makeInput(what.type, what.shape.rows, what.shape.columns, what.kind,
                                  static_cast<uint64_t>(what.shape.rows * 331 + what.shape.columns));
    std::string rest = numerics::formatName(what.format);
    rest += what.directions == 3 ? ", both directions" : what.directions == 1 ? ", rowwise" : ", columnwise";
    rows.begin(rowName(input, what.offset, rest));
    const DeviceInput x(device, input, what.offset);
    const int64_t rowPitch = input.columns + what.pad, columnPitch = input.rows + what.pad;
    Outputs out(device, input, rowPitch, columnPitch);
    const DeviceBuffer<float> rowScale(device, std::span<const float>(rowScales));
    const DeviceBuffer<float> columnScale(device, std::span<const float>(columnScales));
    CastJob job;
    job.x = x.view();
    job.format = what.format;
    job.rowwise = {rowScale.get(), rowScales.size() == 1 ? 0 : 1};
    job.columnwise = {columnScale.get(), columnScales.size() == 1 ? 0 : 1};
    job.rowwiseCodes = what.directions & 1 ? out.rowwise.get() : nullptr;
    job.rowwisePitch = rowPitch;
    job.columnwiseCodes = what.directions & 2 ? out.columnwise.get() : nullptr;
    job.columnwisePitch = columnPitch;
    job.errorSums = what.errorSums;
    job.totals = out.totals.get();
    job.found = out.found.get();
    device.call(device.table().cast, &job);
    const ExpectedCodes expected = expectedCodes(input, job, rowScales, columnScales);
    if (what.directions & 1) rows.same("rowwise codes", out.rowwise.download(), expected.rowwise);
    if (what.directions & 2) rows.same("columnwise codes", out.columnwise.download(), expected.columnwise);
    ExpectedTotals totals;
    for (size_t i = 0; i < input.values.size(); ++i) {
        const size_t row = i / static_cast<size_t>(input.columns);
        totals.count(what.format, input.values[i], rowScales[row % rowScales.size()]);
    }
    const CastTotals found = out.totals.download()[0];
    compareTotals(rows, found, totals, what.errorSums);
    const FoundWords words = out.found.download()[0];
    rows.same("amax for the rules", numerics::floatOf(words.finiteBits), totals.amax);
    rows.same("flags", uint64_t{words.hasNan + 2 * words.hasInfinity},
              uint64_t{(totals.nans > 0 ? 1u : 0u) + (totals.infinities > 0 ? 2u : 0u)});
}

/// Scales that bring the kind's values into and out of the format's range, and one whose inverse is subnormal.
float scaleFor(Values kind, int64_t number) {
    constexpr float scales[] = {1.0f, 57.3f, 0.013f, 448.0f};
    if (kind == Values::Subnormal) return number % 2 == 0 ? 3e38f : 1e30f;
    if (kind == Values::Huge) return number % 2 == 0 ? 1e-36f : 3e-3f;
    return scales[number % 4];
}

}  // namespace

CheckResult castCheck(Device& device, int every) {
    Rows rows("cast", every);
    int64_t number = 0;
    for (const Shape& shape : kShapes) {
        for (const ElementType type : kTypes) {
            for (const Fp8Format format : {Fp8Format::E4M3, Fp8Format::E5M2}) {
                for (int turn = 0; turn < 3; ++turn) {
                    const Values kind = kAllValues[number % 8];
                    const CastCase what{shape,    type,           format, kind, number / 3 % 3, number % 5 == 0 ? 8 : 0,
                                        turn + 1, number % 2 == 0};
                    const std::vector<float> scale{scaleFor(kind, number++)};
                    if (rows.wanted()) runCast(device, rows, what, scale, scale);
                }
            }
        }
    }
    return rows.result();
}

CheckResult axisCastCheck(Device& device, int every) {
    Rows rows("cast.axes", every);
    int64_t number = 0;
    for (const Shape& shape : kShapes) {
        if (shape.rows < 2 || shape.columns < 2) continue;
        for (const ElementType type : kTypes) {
            const Values kind = kAllValues[number % 8];
            const Fp8Format format = number++ % 2 == 0 ? Fp8Format::E4M3 : Fp8Format::E5M2;
            std::vector<float> rowScales, columnScales;
            for (int64_t r = 0; r < shape.rows; ++r)
                rowScales.push_back(scaleFor(kind, r) * (1.0f + 0.01f * static_cast<float>(r)));
            for (int64_t c = 0; c < shape.columns; ++c)
                columnScales.push_back(scaleFor(kind, c + 1) * (1.0f + 0.02f * static_cast<float>(c)));
            if (!rows.wanted()) continue;
            runCast(device, rows, {shape, type, format, kind, number % 2, 0, 3, true}, rowScales, columnScales);
        }
    }
    return rows.result();
}

CheckResult determinismCheck(Device& device, int every) {
    Rows rows("cast.determinism", every);
    const Input input = makeInput(ElementType::Bf16, 200, 256, Values::Normal, 3);
    const DeviceInput x(device, input, 0);
    const DeviceBuffer<float> scale(device, std::vector<float>{20.0f});
    DeviceBuffer<uint8_t> codes(device, input.values.size());
    std::vector<CastTotals> totals;
    for (int run = 0; run < 3; ++run) {
        DeviceBuffer<CastTotals> out(device, 1);
        CastJob job;
        job.x = x.view();
        job.rowwise = job.columnwise = {scale.get(), 0};
        job.rowwiseCodes = codes.get();
        job.rowwisePitch = input.columns;
        job.errorSums = true;
        job.totals = out.get();
        device.call(device.table().cast, &job);
        totals.push_back(out.download()[0]);
        rows.begin("run " + std::to_string(run));
        rows.near("squared error", totals[static_cast<size_t>(run)].squaredError, totals[0].squaredError, 0);
        rows.near("sum of squares", totals[static_cast<size_t>(run)].sumSquares, totals[0].sumSquares, 0);
    }
    return rows.result();
}

CheckResult dequantiseCheck(Device& device, int every) {
    Rows rows("dequantise", every);
    for (const Fp8Format format : {Fp8Format::E4M3, Fp8Format::E5M2}) {
        for (const bool e8m0 : {false, true}) {
            if (!rows.wanted()) continue;
            rows.begin(format == Fp8Format::E4M3 ? (e8m0 ? "E4M3, E8M0 scales" : "E4M3, float scales")
                                                 : (e8m0 ? "E5M2, E8M0 scales" : "E5M2, float scales"));
            std::vector<uint8_t> codes(3 * 300), bytes;
            for (size_t i = 0; i < codes.size(); ++i)
                codes[i] = static_cast<uint8_t>(i);
            std::vector<float> scales;
            for (int i = 0; i < 3 * 10; ++i) {
                bytes.push_back(static_cast<uint8_t>(i * 9));
                scales.push_back(0.37f * static_cast<float>(i) + 1e-39f);
            }
            const DeviceBuffer<uint8_t> onDevice(device, std::span<const uint8_t>(codes));
            const DeviceBuffer<uint8_t> deviceBytes(device, std::span<const uint8_t>(bytes));
            const DeviceBuffer<float> deviceScales(device, std::span<const float>(scales));
            const DeviceBuffer<float> out(device, codes.size());
            DequantiseJob job;
            job.codes = onDevice.get();
            job.rows = 3;
            job.columns = job.pitch = 300;
            job.format = format;
            job.scales = e8m0 ? static_cast<const void*>(deviceBytes.get()) : deviceScales.get();
            job.e8m0 = e8m0;
            job.columnsPerScale = 32;
            job.rowStride = 10;
            job.columnStride = 1;
            job.out = out.get();
            device.call(device.table().dequantise, &job);
            std::vector<float> expected;
            for (size_t i = 0; i < codes.size(); ++i) {
                const size_t at = i / 300 * 10 + i % 300 / 32;
                expected.push_back(decodeAs(format, codes[i]) * (e8m0 ? scaling::e8m0Value(bytes[at]) : scales[at]));
            }
            rows.same("value", out.download(), expected);
        }
    }
    return rows.result();
}

}  // namespace octet::backend::checks
