// SPDX-License-Identifier: Apache-2.0
// Two shapes of tiles take two ways through a part of the matrix:
// - one row high (1xN): amaxes of a row's tiles, their scales, then the cast, all while the row is in the first cache;
// - higher (Nx1, NxN): the largest magnitude of every column of a strip, scales in a vector as long as the strip is
//   wide, then the cast row by row. Whole columns are one strip, whose scales are made beforehand (column_scales.h).
// A part that holds NaN or Inf is done again by the reference. Reads each element twice (the second time from the
// cache) and writes 4 bytes for it. No multiply-add is fused.
#include "engine/scaling/tile_cast.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/scaling/tile_cast.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "engine/numerics/fp8_vectors-inl.h"
#include "engine/scaling/column_scales.h"
#include "engine/scaling/tile_cast_reference.h"

HWY_BEFORE_NAMESPACE();
namespace octet::scaling::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace nv = numerics::HWY_NAMESPACE;
using numerics::Fp8Format;
using numerics::kVirtualLanes;
using numerics::StatisticsLevel;
using nv::FloatVec;
using nv::kBits;
using nv::kFloat;
using nv::kInt;
using nv::kLanes;
using nv::kVectors;

/// Scales of 16 neighbouring elements.
struct GroupScales {
    FloatVec multiplier[kVectors], dequantiser[kVectors];
};

HWY_INLINE void setScales(GroupScales& scales, const TileScale& scale) {
    for (size_t v = 0; v < kVectors; ++v) {
        scales.multiplier[v] = hn::Set(kFloat, scale.multiplier);
        scales.dequantiser[v] = hn::Set(kFloat, scale.dequantiser);
    }
}

HWY_INLINE void loadScales(GroupScales& scales, const float* multipliers, const float* dequantisers) {
    for (size_t v = 0; v < kVectors; ++v) {
        scales.multiplier[v] = hn::LoadU(kFloat, multipliers + v * kLanes);
        scales.dequantiser[v] = hn::LoadU(kFloat, dequantisers + v * kLanes);
    }
}

HWY_INLINE uint32_t largestBits(const float* in, size_t n) {
    auto largest = hn::Zero(kBits);
    size_t i = 0;
    for (; i + kLanes <= n; i += kLanes)
        largest = hn::Max(largest, hn::BitCast(kBits, hn::Abs(hn::LoadU(kFloat, in + i))));
    uint32_t bits = hn::GetLane(hn::MaxOfLanes(kBits, largest));
    for (; i < n; ++i)
        bits = std::max(bits, numerics::bitsOf(in[i]) & ~numerics::kSignBit);
    return bits;
}

/// Raises bits[i] to the largest magnitude of column i in `rows` rows.
HWY_INLINE void raiseTo(const float* in, int64_t stride, int64_t rows, uint32_t* bits, size_t cols) {
    for (int64_t row = 0; row < rows; ++row, in += stride) {
        size_t i = 0;
        for (; i + kLanes <= cols; i += kLanes) {
            const auto now = hn::BitCast(kBits, hn::Abs(hn::LoadU(kFloat, in + i)));
            hn::StoreU(hn::Max(hn::LoadU(kBits, bits + i), now), kBits, bits + i);
        }
        for (; i < cols; ++i)
            bits[i] = std::max(bits[i], numerics::bitsOf(in[i]) & ~numerics::kSignBit);
    }
}

constexpr size_t paddedCount(size_t count) {
    return (count + kVirtualLanes - 1) / kVirtualLanes * kVirtualLanes;
}

/// Where one element's results go; a codes pointer of nullptr is left out.
struct Place {
    const float* in;
    float* values;
    uint8_t* codes;
};

template <Fp8Format F, bool kErrors, bool kBf16>
class TaskCast {
public:
    /// @param scales  of whole columns, or nullptr
    TaskCast(const TileMatrix& matrix, const TileTask& task, const TileCastSpec& spec, const ColumnScales* scales)
        : m_matrix(matrix), m_task(task), m_spec(spec), m_prepared(scales), m_divides(dividesBack(spec)) {
        m_underflows = hn::Zero(kInt);
        clearSums();
    }

    /// False when the part holds something that is not finite.
    bool run() {
        m_result.statistics.elements = static_cast<uint64_t>(m_task.rows * m_task.cols);
        const bool done = m_spec.tile.rows == 1 ? castRows() : castStrips();
        if (!done) return false;
        flush();
        m_result.statistics.underflows = nv::laneTotal(kInt, m_underflows);
        return true;
    }

    [[nodiscard]] const TileCastResult& result() const { return m_result; }

private:
    [[nodiscard]] Place place(int64_t row, int64_t taskCol) const {
        const int64_t index = row * m_matrix.cols + m_task.col + taskCol;
        return {m_matrix.in + index, m_matrix.values == nullptr ? nullptr : m_matrix.values + index,
                m_matrix.codes == nullptr ? nullptr : m_matrix.codes + index};
    }

    /// The scale of a tile from its largest bit pattern; false when it has to go to the reference.
    bool scaleFrom(uint32_t bits, TileScale& scale) {
        float amax = numerics::floatOf(bits);
        if constexpr (kBf16) amax = numerics::roundToBf16(amax);
        if (!isFinite(amax)) return false;
        scale = tileScaleOf({amax, false, false}, m_spec);
        if (!isFinite(scale.multiplier) || scale.multiplier <= 0) return false;
        m_result.statistics.amax = std::max(m_result.statistics.amax, amax);
        m_result.scaleInvMin = std::min(m_result.scaleInvMin, scale.inverse);
        m_result.scaleInvMax = std::max(m_result.scaleInvMax, scale.inverse);
        m_mayOverflow = m_mayOverflow || amax * scale.multiplier > overflowLimit(F);
        return true;
    }

    bool castRows() {
        const int64_t tileCols = std::min(m_spec.tile.cols, m_task.cols);
        const int64_t tiles = (m_task.cols + tileCols - 1) / tileCols;
        m_scales.resize(static_cast<size_t>(tiles));
        for (int64_t row = m_task.row; row < m_task.row + m_task.rows; ++row) {
            m_mayOverflow = false;
            const float* in = place(row, 0).in;
            for (int64_t t = 0; t < tiles; ++t) {
                const int64_t n = std::min(tileCols, m_task.cols - t * tileCols);
                TileScale& scale = m_scales[static_cast<size_t>(t)];
                if (!scaleFrom(largestBits(in + t * tileCols, static_cast<size_t>(n)), scale)) return false;
                if (m_matrix.scales != nullptr) m_matrix.scales[row * tiles + t] = scale.multiplier;
            }
            castRow(row, tileCols);
            if (m_mayOverflow) {
                countBeyond(row, [&](int64_t col) { return m_scales[static_cast<size_t>(col / tileCols)].multiplier; });
            }
        }
        return true;
    }

    void castRow(int64_t row, int64_t tileCols) {
        GroupScales scales;
        int64_t scaled = -1;  // the tile whose scales are set
        forEachRun([&](int64_t from, int64_t to) {
            for (int64_t col = from; col < to;) {
                const int64_t tile = col / tileCols;
                if (tile != scaled) setScales(scales, m_scales[static_cast<size_t>(tile)]);
                scaled = tile;
                const int64_t end = std::min(to, (tile + 1) * tileCols);
                const Place at = place(row, col);
                const auto n = static_cast<size_t>(end - col);
                size_t i = 0;
                for (; i + kVirtualLanes <= n; i += kVirtualLanes)
                    castGroup(at, i, scales);
                if (i < n) castTail(at, i, n - i, scales);
                col = end;
            }
        });
    }

    bool castStrips() {
        if (hasWholeColumns(m_spec.tile, m_matrix.rows)) return castWholeColumns();
        const int64_t tileRows = std::min(m_spec.tile.rows, m_matrix.rows);
        const auto cols = static_cast<size_t>(m_task.cols);
        std::vector<uint32_t> bits(cols);
        std::vector<float> multipliers(paddedCount(cols), 1.0f), dequantisers(paddedCount(cols), 1.0f);
        m_multipliers = multipliers.data();
        m_dequantisers = dequantisers.data();
        for (int64_t row = m_task.row; row < m_task.row + m_task.rows; row += tileRows) {
            const int64_t end = std::min(row + tileRows, m_task.row + m_task.rows);
            m_mayOverflow = false;
            std::fill(bits.begin(), bits.end(), 0u);
            raiseTo(place(row, 0).in, m_matrix.cols, end - row, bits.data(), cols);
            if (!makeStripScales(row / tileRows, bits, multipliers, dequantisers)) return false;
            for (int64_t r = row; r < end; ++r)
                castStripRow(r);
        }
        return true;
    }

    bool castWholeColumns() {
        ColumnScales own;
        if (m_prepared == nullptr) {
            std::vector<uint32_t> bits(static_cast<size_t>(m_matrix.cols));
            raiseTo(m_matrix.in, m_matrix.cols, m_matrix.rows, bits.data(), bits.size());
            own = columnScalesFrom(bits, m_spec);
            m_prepared = &own;
        }
        if (!m_prepared->allFinite) return false;
        m_multipliers = m_prepared->multipliers.data() + m_task.col;
        m_dequantisers = m_prepared->dequantisers.data() + m_task.col;
        m_mayOverflow = m_prepared->mayOverflow;
        m_result.merge(m_prepared->common);
        if (m_matrix.scales != nullptr) std::copy_n(m_multipliers, m_task.cols, m_matrix.scales + m_task.col);
        for (int64_t row = m_task.row; row < m_task.row + m_task.rows; ++row)
            castStripRow(row);
        return true;
    }

    bool makeStripScales(int64_t tileRow, const std::vector<uint32_t>& bits, std::vector<float>& multipliers,
                         std::vector<float>& dequantisers) {
        const int64_t tileCols = std::min(m_spec.tile.cols, m_matrix.cols);
        const int64_t perRow = (m_matrix.cols + tileCols - 1) / tileCols;
        for (int64_t col = 0; col < m_task.cols; col += tileCols) {
            const int64_t end = std::min(m_task.cols, col + tileCols);
            TileScale scale;
            if (!scaleFrom(*std::max_element(bits.begin() + col, bits.begin() + end), scale)) return false;
            std::fill(multipliers.begin() + col, multipliers.begin() + end, scale.multiplier);
            std::fill(dequantisers.begin() + col, dequantisers.begin() + end, scale.dequantiser);
            if (m_matrix.scales != nullptr) {
                m_matrix.scales[tileRow * perRow + (m_task.col + col) / tileCols] = scale.multiplier;
            }
        }
        return true;
    }

    void castStripRow(int64_t row) {
        GroupScales scales;
        const Place at = place(row, 0);
        forEachRun([&](int64_t from, int64_t to) {
            auto i = static_cast<size_t>(from);
            const auto n = static_cast<size_t>(to);
            for (; i < n; i += kVirtualLanes) {
                loadScales(scales, m_multipliers + i, m_dequantisers + i);
                if (i + kVirtualLanes <= n)
                    castGroup(at, i, scales);
                else
                    castTail(at, i, n - i, scales);
            }
        });
        if (m_mayOverflow) countBeyond(row, [&](int64_t col) { return m_multipliers[col]; });
    }

    /// body(first, last): a row in runs of at most kRunElements, with the sums flushed between full runs.
    template <typename Body>
    HWY_INLINE void forEachRun(const Body& body) {
        for (int64_t from = 0; from < m_task.cols; from += numerics::kRunElements) {
            const int64_t n = std::min(numerics::kRunElements, m_task.cols - from);
            if (m_inRun + n > numerics::kRunElements) flush();
            m_inRun += n;
            body(from, from + n);
        }
    }

    HWY_INLINE void castGroup(const Place& at, size_t offset, const GroupScales& scales) {
        const auto zero = hn::Zero(kFloat);
#pragma GCC unroll 16
        for (size_t v = 0; v < kVectors; ++v) {
            const size_t i = offset + v * kLanes;
            auto x = hn::LoadU(kFloat, at.in + i);
            if constexpr (kBf16) x = nv::roundVecToBf16(x);
            const auto magnitude = hn::Abs(x);
            const auto rounded = nv::roundMagnitudes<F>(hn::Mul(magnitude, scales.multiplier[v]));
            const auto dequantised =
                m_divides ? hn::Div(rounded, scales.dequantiser[v]) : hn::Mul(rounded, scales.dequantiser[v]);
            if (at.values != nullptr) hn::StoreU(hn::CopySignToAbs(dequantised, x), kFloat, at.values + i);
            if (at.codes != nullptr) nv::store<F>(hn::CopySignToAbs(rounded, x), rounded, at.codes + i);
            if constexpr (kErrors) {
                const auto flushed = hn::And(hn::Eq(rounded, zero), hn::Gt(magnitude, zero));
                m_underflows = hn::Sub(m_underflows, hn::BitCast(kInt, hn::VecFromMask(kFloat, flushed)));
                const auto difference = hn::Sub(magnitude, dequantised);
                m_error[v] = hn::Add(m_error[v], hn::Mul(difference, difference));
                m_square[v] = hn::Add(m_square[v], hn::Mul(magnitude, magnitude));
                m_squareCast[v] = hn::Add(m_squareCast[v], hn::Mul(dequantised, dequantised));
            }
        }
    }

    /// The last n % 16 elements, padded with zeros, which change no count and no sum.
    HWY_INLINE void castTail(const Place& at, size_t offset, size_t n, const GroupScales& scales) {
        float in[kVirtualLanes] = {}, values[kVirtualLanes];
        uint8_t codes[kVirtualLanes];
        std::memcpy(in, at.in + offset, n * sizeof(float));
        castGroup({in, values, codes}, 0, scales);
        if (at.values != nullptr) std::memcpy(at.values + offset, values, n * sizeof(float));
        if (at.codes != nullptr) std::memcpy(at.codes + offset, codes, n);
    }

    /// Overflow and saturation of a row; multiplierOf(column of the task).
    template <typename MultiplierOf>
    void countBeyond(int64_t row, const MultiplierOf& multiplierOf) {
        if (!kErrors) return;
        const float* in = place(row, 0).in;
        for (int64_t col = 0; col < m_task.cols; ++col) {
            const float x = kBf16 ? numerics::roundToBf16(in[col]) : in[col];
            const float scaled = numerics::floatOf(numerics::bitsOf(x) & ~numerics::kSignBit) * multiplierOf(col);
            m_result.statistics.overflows += scaled > overflowLimit(F);
            m_result.statistics.saturated += numerics::roundsAboveMax(F, scaled);
        }
    }

    void clearSums() {
        for (size_t v = 0; v < kVectors; ++v)
            m_error[v] = m_square[v] = m_squareCast[v] = hn::Zero(kFloat);
    }

    HWY_NOINLINE void flush() {
        m_inRun = 0;
        if constexpr (!kErrors) return;
        m_result.statistics.squaredError += nv::laneSum(m_error);
        m_result.statistics.sumSquares += nv::laneSum(m_square);
        m_result.statistics.sumSquaresCast += nv::laneSum(m_squareCast);
        clearSums();
    }

    const TileMatrix& m_matrix;
    const TileTask& m_task;
    const TileCastSpec& m_spec;
    const ColumnScales* m_prepared;
    bool m_divides;
    bool m_mayOverflow = false;
    int64_t m_inRun = 0;
    hn::Vec<nv::IntTag> m_underflows;
    FloatVec m_error[kVectors], m_square[kVectors], m_squareCast[kVectors];
    TileCastResult m_result;
    std::vector<TileScale> m_scales;  // of one row's tiles
    const float* m_multipliers = nullptr;
    const float* m_dequantisers = nullptr;  // of one strip, one for each column
};

template <Fp8Format F, bool kErrors, bool kBf16>
TileCastResult runTask(const TileMatrix& matrix, const TileTask& task, const TileCastSpec& spec,
                       const ColumnScales* scales) {
    TaskCast<F, kErrors, kBf16> cast(matrix, task, spec, scales);
    return cast.run() ? cast.result() : castTaskReference(matrix, task, spec);
}

template <Fp8Format F, bool kErrors>
TileCastResult runWithInput(const TileMatrix& matrix, const TileTask& task, const TileCastSpec& spec,
                            const ColumnScales* scales) {
    return spec.roundInputToBf16 ? runTask<F, kErrors, true>(matrix, task, spec, scales)
                                 : runTask<F, kErrors, false>(matrix, task, spec, scales);
}

TileCastResult castTaskVector(const TileMatrix& matrix, const TileTask& task, const TileCastSpec& spec,
                              const ColumnScales* scales) {
    const bool errors = spec.level != StatisticsLevel::Amax;
    TileCastResult result;
    if (spec.format == Fp8Format::E4M3) {
        result = errors ? runWithInput<Fp8Format::E4M3, true>(matrix, task, spec, scales)
                        : runWithInput<Fp8Format::E4M3, false>(matrix, task, spec, scales);
    } else {
        result = errors ? runWithInput<Fp8Format::E5M2, true>(matrix, task, spec, scales)
                        : runWithInput<Fp8Format::E5M2, false>(matrix, task, spec, scales);
    }
    if (spec.level == StatisticsLevel::Counters) {
        result.statistics.squaredError = result.statistics.sumSquares = result.statistics.sumSquaresCast = 0;
    }
    return result;
}

void raiseVector(const TileMatrix& matrix, int64_t firstRow, int64_t rows, uint32_t* bits) {
    raiseTo(matrix.in + firstRow * matrix.cols, matrix.cols, rows, bits, static_cast<size_t>(matrix.cols));
}

}  // namespace octet::scaling::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace octet::scaling {
HWY_EXPORT(castTaskVector);
HWY_EXPORT(raiseVector);

TileCastResult castTask(const TileMatrix& matrix, const TileTask& task, const TileCastSpec& spec) {
    return HWY_DYNAMIC_DISPATCH(castTaskVector)(matrix, task, spec, nullptr);
}

TileCastResult castTaskWithColumnScales(const TileMatrix& matrix, const TileTask& task, const TileCastSpec& spec,
                                        const ColumnScales& scales) {
    return HWY_DYNAMIC_DISPATCH(castTaskVector)(matrix, task, spec, &scales);
}

void raiseToColumnMaxima(const TileMatrix& matrix, int64_t firstRow, int64_t rows, std::span<uint32_t> bits) {
    HWY_DYNAMIC_DISPATCH(raiseVector)(matrix, firstRow, rows, bits.data());
}

}  // namespace octet::scaling
#endif
