// SPDX-License-Identifier: Apache-2.0
// A frame: the samples of one commit and recording group in one row. Values are float32 [series][n], axes are float64
// [3][n] (step, tokens, wall time), little-endian.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace octet::store {

static_assert(std::endian::native == std::endian::little, "frames and chunks are stored as they lie in memory");

constexpr size_t kAxisCount = 3;

struct Frame {
    int64_t seq = 0;    // row id, 0 before it is written
    int64_t first = 0;  // index of its first sample in the group
    int64_t n = 0;
    std::vector<double> axes;   // [3][n]
    std::vector<float> values;  // [series][n]

    [[nodiscard]] int64_t end() const { return first + n; }
};

/// [n][columns] to [columns][n], in blocks that stay in the cache.
template <typename T>
[[nodiscard]] std::vector<T> transposed(std::span<const T> rows, size_t columns) {
    constexpr size_t kBlock = 32;
    const size_t n = columns == 0 ? 0 : rows.size() / columns;
    std::vector<T> out(rows.size());
    for (size_t r0 = 0; r0 < n; r0 += kBlock) {
        const size_t rEnd = r0 + kBlock < n ? r0 + kBlock : n;
        for (size_t c = 0; c < columns; ++c) {
            for (size_t r = r0; r < rEnd; ++r)
                out[c * n + r] = rows[r * columns + c];
        }
    }
    return out;
}

}  // namespace octet::store
