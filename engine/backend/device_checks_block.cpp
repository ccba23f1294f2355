// SPDX-License-Identifier: Apache-2.0
// Block scaling (1x128, 128x128) and MXFP8: scales and codes of both directions, written out plainly here.
#include <algorithm>
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
constexpr Shape kShapes[] = {{1, 1},    {1, 128},  {128, 1},  {3, 33},   {32, 32},   {31, 127},  {128, 128},
                             {129, 96}, {64, 300}, {300, 40}, {160, 64}, {130, 257}, {256, 256}, {0, 128}};

int64_t blocksOf(int64_t length, int64_t block) {
    return (length + block - 1) / block;
}

/// A matrix seen along rows or along columns: element (line, at).
struct Lines {
    const Input& input;
    bool alongColumns;

    [[nodiscard]] int64_t count() const { return alongColumns ? input.columns : input.rows; }
    [[nodiscard]] int64_t length() const { return alongColumns ? input.rows : input.columns; }
    [[nodiscard]] float at(int64_t line, int64_t position) const {
        const int64_t index = alongColumns ? position * input.columns + line : line * input.columns + position;
        return input.values[static_cast<size_t>(index)];
    }
};

float blockAmax(const Lines& lines, const BlockRule& rule, int64_t line, int64_t block) {
    const int64_t length = blockLength(rule.kind);
    const bool square = rule.kind == BlockKind::Float128x128;
    const bool nanSpreads = rule.kind == BlockKind::Mx1x32 && rule.mx != scaling::MxRule::Te;
    const int64_t firstLine = square ? line / length * length : line;
    const int64_t endLine = square ? std::min(firstLine + length, lines.count()) : line + 1;
    float amax = 0;
    for (int64_t l = firstLine; l < endLine; ++l) {
        for (int64_t p = block * length; p < std::min((block + 1) * length, lines.length()); ++p) {
            const float magnitude = std::fabs(lines.at(l, p));
            amax = nanSpreads ? scaling::maxSpreadingNan(amax, magnitude) : scaling::maxIgnoringNan(amax, magnitude);
        }
    }
    return amax;
}

struct BlockScaleValue {
    float multiplier, inverse;
    uint8_t byte;
};
BlockScaleValue scaleOf(float amax, const BlockRule& rule, Fp8Format format) {
    if (rule.kind == BlockKind::Mx1x32) {
        const uint8_t byte = scaling::e8m0Byte(rule.mx, amax, format);
        return {scaling::e8m0Multiplier(rule.mx, byte), 0, byte};
    }
    const float scale =
        scaling::teScale(amax, {numerics::fp8Max(format), rule.powerOfTwo, rule.epsilon, rule.onOverflow});
    return {scale, 1.0f / scale, 0};
}

/// One direction as it must come out: codes [lines, pitch] or, not transposed, [positions, pitch]; scales [line,
/// block].
struct Direction {
    std::vector<uint8_t> codes, bytes;
    std::vector<float> inverses, multipliers;
    int64_t scaleLines, blocks;
};
Direction expectedDirection(const Lines& lines, const BlockRule& rule, Fp8Format format, int64_t pitch, bool byLines) {
    const int64_t length = blockLength(rule.kind), group = rule.kind == BlockKind::Float128x128 ? length : 1;
    Direction out;
    out.scaleLines = blocksOf(lines.count(), group);
    out.blocks = blocksOf(lines.length(), length);
    out.codes.assign(static_cast<size_t>((byLines ? lines.count() : lines.length()) * pitch), kUntouched);
    out.bytes.assign(static_cast<size_t>(out.scaleLines * out.blocks), kUntouched);
    out.inverses.assign(out.bytes.size(), -1.0f);
    out.multipliers.assign(out.bytes.size(), -1.0f);
    for (int64_t line = 0; line < lines.count(); ++line) {
        for (int64_t block = 0; block < out.blocks; ++block) {
            const BlockScaleValue scale = scaleOf(blockAmax(lines, rule, line, block), rule, format);
            const auto at = static_cast<size_t>(line / group * out.blocks + block);
            out.bytes[at] = scale.byte;
            out.inverses[at] = scale.inverse;
            out.multipliers[at] = scale.multiplier;
            for (int64_t p = block * length; p < std::min((block + 1) * length, lines.length()); ++p) {
                const int64_t index = byLines ? line * pitch + p : p * pitch + line;
                out.codes[static_cast<size_t>(index)] = encodeAs(format, lines.at(line, p) * scale.multiplier);
            }
        }
    }
    return out;
}

/// Codes and scales of one direction on the device.
struct DeviceDirection {
    DeviceDirection(Device& device, const Direction& expected)
        : codes(device, std::vector<uint8_t>(expected.codes.size(), kUntouched)),
          bytes(device, std::vector<uint8_t>(expected.bytes.size(), kUntouched)),
          inverses(device, std::vector<float>(expected.inverses.size(), -1.0f)),
          blocks(expected.blocks) {}

    [[nodiscard]] BlockScales scales(bool mx) const {
        return {mx ? static_cast<void*>(bytes.get()) : static_cast<void*>(inverses.get()), blocks, 1, false, 0};
    }
    void compare(Rows& rows, const char* what, const Direction& expected, bool mx) const {
        const std::string name(what);
        if (mx)
            rows.same((name + " E8M0").c_str(), bytes.download(), expected.bytes);
        else
            rows.same((name + " scale_inv").c_str(), inverses.download(), expected.inverses);
        rows.same((name + " codes").c_str(), codes.download(), expected.codes);
    }
    DeviceBuffer<uint8_t> codes, bytes;
    DeviceBuffer<float> inverses;
    int64_t blocks;
};

struct BlockCase {
    Shape shape;
    ElementType type;
    Fp8Format format;
    Values kind;
    int64_t offset;
    BlockRule rule;
    bool transposed;
};

void compareStatistics(Rows& rows, const BlockCase& what, const Input& input, const Direction& rowwise,
                       const CastTotals& found) {
    const int64_t length = blockLength(what.rule.kind);
    const int64_t group = what.rule.kind == BlockKind::Float128x128 ? length : 1;
    ExpectedTotals totals;
    for (int64_t r = 0; r < input.rows; ++r) {
        for (int64_t c = 0; c < input.columns; ++c) {
            const float multiplier = rowwise.multipliers[static_cast<size_t>(r / group * rowwise.blocks + c / length)];
            totals.count(what.format, input.values[static_cast<size_t>(r * input.columns + c)], multiplier);
        }
    }
    const bool finiteScales = std::none_of(rowwise.multipliers.begin(), rowwise.multipliers.end(),
                                           [](float m) { return !std::isfinite(m) || m == 0; });
    compareTotals(rows, found, totals, finiteScales);
}

void runBlocks(Device& device, Rows& rows, const BlockCase& what) {
    const Input input = makeInput(what.type, what.shape.rows, what.shape.columns, what.kind,
                                  static_cast<uint64_t>(what.shape.rows * 77 + what.shape.columns));
    std::string rest = numerics::formatName(what.format);
    rest += ", block kind ";
    rest += std::to_string(static_cast<int>(what.rule.kind));
    rest += ", MX rule ";
    rest += std::to_string(static_cast<int>(what.rule.mx));
    rows.begin(rowName(input, what.offset, rest));
    const DeviceInput x(device, input, what.offset);
    const bool mx = what.rule.kind == BlockKind::Mx1x32;
    const int64_t rowPitch = input.columns + 3, columnPitch = what.transposed ? input.rows : input.columns;
    const Direction byRows = expectedDirection({input, false}, what.rule, what.format, rowPitch, true);
    const Direction byColumns = expectedDirection({input, true}, what.rule, what.format, columnPitch, what.transposed);
    const DeviceDirection rowwise(device, byRows), columnwise(device, byColumns);
    const DeviceBuffer<CastTotals> totals(device, 1);
    BlockJob job;
    job.x = x.view();
    job.format = what.format;
    job.rule = what.rule;
    job.rowwiseCodes = rowwise.codes.get();
    job.rowwisePitch = rowPitch;
    job.rowwiseScales = rowwise.scales(mx);
    job.columnwiseCodes = columnwise.codes.get();
    job.columnwisePitch = columnPitch;
    job.columnwiseTransposed = what.transposed;
    job.columnwiseScales = columnwise.scales(mx);
    job.totals = totals.get();
    device.call(device.table().quantiseBlocks, &job);
    rowwise.compare(rows, "rowwise", byRows, mx);
    columnwise.compare(rows, "columnwise", byColumns, mx);
    compareStatistics(rows, what, input, byRows, totals.download()[0]);
}

float largestOf(ElementType type) {
    if (type == ElementType::Float16) return scaling::kLargestFloat16;
    return type == ElementType::Bf16 ? scaling::kLargestBf16 : scaling::kLargestFloat32;
}

}  // namespace

CheckResult floatBlockCheck(Device& device, int every) {
    Rows rows("block.float", every);
    int64_t number = 0;
    for (const Shape& shape : kShapes) {
        for (const ElementType type : kTypes) {
            for (const BlockKind kind : {BlockKind::Float1x128, BlockKind::Float128x128}) {
                const Values values = kAllValues[number % 8];
                const Fp8Format format = number / 2 % 2 == 0 ? Fp8Format::E4M3 : Fp8Format::E5M2;
                const BlockRule rule{kind, number % 3 != 0, number % 7 == 0 ? 1e-4f : 0.0f, largestOf(type),
                                     scaling::MxRule::Te};
                const int64_t offset = number++ % 3;
                if (rows.wanted()) runBlocks(device, rows, {shape, type, format, values, offset, rule, true});
            }
        }
    }
    return rows.result();
}

CheckResult mxBlockCheck(Device& device, int every) {
    Rows rows("block.mx", every);
    int64_t number = 0;
    for (const Shape& shape : kShapes) {
        for (const ElementType type : kTypes) {
            for (int mx = 0; mx < 5; ++mx) {
                BlockRule rule;
                rule.kind = BlockKind::Mx1x32;
                rule.mx = static_cast<scaling::MxRule>(mx);
                const Values values = kAllValues[number % 8];
                const Fp8Format format = number % 3 == 0 ? Fp8Format::E5M2 : Fp8Format::E4M3;
                const int64_t offset = number % 2;
                const bool transposed = number++ % 2 == 0;
                if (rows.wanted()) runBlocks(device, rows, {shape, type, format, values, offset, rule, transposed});
            }
        }
    }
    return rows.result();
}

}  // namespace octet::backend::checks
