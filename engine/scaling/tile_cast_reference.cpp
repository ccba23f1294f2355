// SPDX-License-Identifier: Apache-2.0
#include "engine/scaling/tile_cast_reference.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "engine/numerics/quantise_reference.h"
#include "engine/scaling/column_scales.h"

namespace octet::scaling {
namespace {

using numerics::CastPolicy;
using numerics::CastStatistics;
using numerics::Fp8Format;
using numerics::StatisticsLevel;

struct Lanes {
    std::array<float, numerics::kVirtualLanes> error{}, square{}, squareCast{};
};

double laneSum(const std::array<float, numerics::kVirtualLanes>& lanes) {
    double sum = 0;
    for (const float lane : lanes)
        sum += static_cast<double>(lane);
    return sum;
}

uint8_t encodeAs(Fp8Format format, float value, CastPolicy policy) {
    return format == Fp8Format::E4M3 ? numerics::encode<Fp8Format::E4M3>(value, policy)
                                     : numerics::encode<Fp8Format::E5M2>(value, policy);
}

float decodeAs(Fp8Format format, uint8_t code) {
    return format == Fp8Format::E4M3 ? numerics::decode<Fp8Format::E4M3>(code)
                                     : numerics::decode<Fp8Format::E5M2>(code);
}

class ReferenceCast {
public:
    ReferenceCast(const TileMatrix& matrix, const TileTask& task, const TileCastSpec& spec)
        : m_matrix(matrix), m_task(task), m_spec(spec) {}

    TileCastResult run() {
        m_result.statistics.elements = static_cast<uint64_t>(m_task.rows * m_task.cols);
        const int64_t tileRows = std::min(m_spec.tile.rows, m_matrix.rows);
        m_wholeColumns = hasWholeColumns(m_spec.tile, m_matrix.rows);
        for (int64_t row = m_task.row; row < m_task.row + m_task.rows; row += tileRows)
            castStrip(row, std::min(tileRows, m_task.row + m_task.rows - row));
        flush();
        if (m_spec.level < StatisticsLevel::Counters) {
            m_result.statistics.underflows = m_result.statistics.overflows = m_result.statistics.saturated = 0;
        }
        return m_result;
    }

private:
    [[nodiscard]] float at(int64_t row, int64_t col) const {
        const float x = m_matrix.in[row * m_matrix.cols + col];
        return m_spec.roundInputToBf16 ? numerics::roundToBf16(x) : x;
    }

    /// A strip is as high as a tile and as wide as the task.
    void castStrip(int64_t firstRow, int64_t rows) {
        const int64_t tileCols = std::min(m_spec.tile.cols, m_matrix.cols);
        std::vector<TileScale> scales;
        for (int64_t col = m_task.col; col < m_task.col + m_task.cols; col += tileCols) {
            const int64_t cols = std::min(tileCols, m_task.col + m_task.cols - col);
            const FoundAmax found =
                m_wholeColumns ? amaxOf(0, m_matrix.rows, col, cols) : amaxOf(firstRow, rows, col, cols);
            scales.push_back(tileScaleOf(found, m_spec));
            noteScale(m_wholeColumns ? 0 : firstRow, col, scales.back());
            m_result.statistics.amax = std::max(m_result.statistics.amax, found.finite);
        }
        for (int64_t row = firstRow; row < firstRow + rows; ++row) {
            for (int64_t c = 0; c < m_task.cols; c += numerics::kRunElements) {
                const int64_t n = std::min(numerics::kRunElements, m_task.cols - c);
                if (m_inRun + n > numerics::kRunElements) flush();
                m_inRun += n;
                for (int64_t i = c; i < c + n; ++i)
                    castElement(row, i, scales[static_cast<size_t>(i / tileCols)]);
            }
        }
    }

    [[nodiscard]] FoundAmax amaxOf(int64_t firstRow, int64_t rows, int64_t firstCol, int64_t cols) const {
        FoundAmax found;
        for (int64_t row = firstRow; row < firstRow + rows; ++row) {
            for (int64_t col = firstCol; col < firstCol + cols; ++col) {
                const float x = std::fabs(at(row, col));
                found.hasNan = found.hasNan || std::isnan(x);
                found.hasInfinity = found.hasInfinity || std::isinf(x);
                if (std::isfinite(x)) found.finite = std::max(found.finite, x);
            }
        }
        return found;
    }

    void noteScale(int64_t row, int64_t col, const TileScale& scale) {
        m_result.scaleInvMin = std::min(m_result.scaleInvMin, scale.inverse);
        m_result.scaleInvMax = std::max(m_result.scaleInvMax, scale.inverse);
        if (m_matrix.scales == nullptr) return;
        const int64_t tileCols = std::min(m_spec.tile.cols, m_matrix.cols);
        const int64_t perRow = (m_matrix.cols + tileCols - 1) / tileCols;
        m_matrix.scales[row / std::min(m_spec.tile.rows, m_matrix.rows) * perRow + col / tileCols] = scale.multiplier;
    }

    void castElement(int64_t row, int64_t taskCol, const TileScale& scale) {
        const float x = at(row, m_task.col + taskCol);
        const bool mx = m_spec.source == ScaleSource::Mx;
        // Of two NaN operands a machine keeps either; with an E8M0 scale torch kept the scale's.
        const float scaled = mx && isNan(scale.multiplier) ? kNan : isNan(x) ? x : x * scale.multiplier;
        const bool torchao = mx ? m_spec.mxRule != MxRule::Te : m_spec.source != ScaleSource::Te;
        const uint8_t code = encodeAs(m_spec.format, scaled, torchao ? CastPolicy::Torchao : CastPolicy::SatFinite);
        const float value = decodeAs(m_spec.format, code);
        const float dequantised = dividesBack(m_spec) ? value / scale.dequantiser : value * scale.dequantiser;
        const int64_t index = row * m_matrix.cols + m_task.col + taskCol;
        if (m_matrix.codes != nullptr) m_matrix.codes[index] = code;
        if (m_matrix.values != nullptr) m_matrix.values[index] = dequantised;
        count(x, scaled, value, dequantised, static_cast<size_t>(taskCol % numerics::kVirtualLanes));
    }

    void count(float x, float scaled, float value, float dequantised, size_t lane) {
        CastStatistics& statistics = m_result.statistics;
        statistics.nans += std::isnan(x);
        statistics.infinities += std::isinf(x);
        statistics.underflows += value == 0 && x != 0;
        statistics.overflows += std::fabs(scaled) > overflowLimit(m_spec.format);
        statistics.saturated += numerics::roundsAboveMax(m_spec.format, std::fabs(scaled));
        if (!std::isfinite(x)) return;
        if (m_spec.level < StatisticsLevel::Errors) return;
        const float difference = x - dequantised;
        m_lanes.error[lane] += difference * difference;
        m_lanes.square[lane] += x * x;
        m_lanes.squareCast[lane] += dequantised * dequantised;
    }

    void flush() {
        m_result.statistics.squaredError += laneSum(m_lanes.error);
        m_result.statistics.sumSquares += laneSum(m_lanes.square);
        m_result.statistics.sumSquaresCast += laneSum(m_lanes.squareCast);
        m_lanes = {};
        m_inRun = 0;
    }

    const TileMatrix& m_matrix;
    const TileTask& m_task;
    const TileCastSpec& m_spec;
    TileCastResult m_result;
    Lanes m_lanes;
    int64_t m_inRun = 0;
    bool m_wholeColumns = false;
};

}  // namespace

TileCastResult castTaskReference(const TileMatrix& matrix, const TileTask& task, const TileCastSpec& spec) {
    return ReferenceCast(matrix, task, spec).run();
}

}  // namespace octet::scaling
