// SPDX-License-Identifier: Apache-2.0
// Exact minimum and maximum of any index range of a long recording in a few dozen reads, so that a plot of 10^8 samples
// draws every spike. Level 0 has one bucket per 16 samples, level k + 1 one per 16 buckets of level k; a bucket is
// complete or absent, and the tail is read raw. Factor 16: facts/qcustomplot.md section 7 (0.2 s to build 10^8).
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

namespace octet::series {

/// Extremes of the finite samples of a range, and how many were not finite (those are marked, never drawn as a value).
struct Extremes {
    float min = std::numeric_limits<float>::infinity();
    float max = -std::numeric_limits<float>::infinity();
    uint32_t nonFinite = 0;

    [[nodiscard]] bool hasFinite() const { return min <= max; }
    void merge(const Extremes& other) {
        min = other.min < min ? other.min : min;
        max = other.max > max ? other.max : max;
        nonFinite += other.nonFinite;
    }
    bool operator==(const Extremes&) const = default;
};

[[nodiscard]] Extremes extremesOf(std::span<const float> samples);

/// Owned and used by one thread. Memory: the samples and 20 % on top.
class Pyramid {
public:
    void append(std::span<const float> samples);

    [[nodiscard]] int64_t size() const { return m_size; }
    [[nodiscard]] float at(int64_t index) const;

    /// Extremes of the samples [first, last), clipped to what is there; an empty range has no finite value.
    [[nodiscard]] Extremes range(int64_t first, int64_t last) const;

    /// One entry per pixel column: column x covers [first + length x / columns, first + length (x + 1) / columns), and
    /// always at least one sample, so short ranges repeat samples.
    [[nodiscard]] std::vector<Extremes> columns(int64_t first, int64_t length, int columns) const;

private:
    using Level = std::vector<Extremes>;
    static constexpr int64_t kFactor = 16;
    static constexpr int64_t kChunk = int64_t{1} << 16;  // samples; a multiple of kFactor, so buckets don't straddle

    void extendLevels();
    [[nodiscard]] Extremes rawRange(int64_t first, int64_t last) const;
    [[nodiscard]] Extremes levelRange(size_t level, int64_t first, int64_t last) const;

    std::vector<std::unique_ptr<float[]>> m_chunks;
    std::vector<Level> m_levels;
    int64_t m_size = 0;
};

}  // namespace octet::series
