// SPDX-License-Identifier: Apache-2.0
#include "engine/series/pyramid.h"

#include <algorithm>
#include <cmath>

namespace octet::series {

Extremes extremesOf(std::span<const float> samples) {
    Extremes found;
    for (const float value : samples) {
        const bool finite = std::fabs(value) <= std::numeric_limits<float>::max();
        found.nonFinite += finite ? 0 : 1;
        found.min = finite && value < found.min ? value : found.min;
        found.max = finite && value > found.max ? value : found.max;
    }
    return found;
}

void Pyramid::append(std::span<const float> samples) {
    while (!samples.empty()) {
        const int64_t at = m_size % kChunk;
        if (at == 0) m_chunks.push_back(std::make_unique_for_overwrite<float[]>(kChunk));
        const auto count = std::min(static_cast<int64_t>(samples.size()), kChunk - at);
        std::copy_n(samples.data(), count, m_chunks.back().get() + at);
        samples = samples.subspan(static_cast<size_t>(count));
        m_size += count;
    }
    extendLevels();
}

// Only newly complete buckets are made, bottom up; the first level that did not grow ends it.
void Pyramid::extendLevels() {
    int64_t below = m_size;
    for (size_t level = 0; below >= kFactor; ++level) {
        if (level == m_levels.size()) m_levels.emplace_back();
        Level& buckets = m_levels[level];
        const int64_t complete = below / kFactor;
        auto bucket = static_cast<int64_t>(buckets.size());
        if (bucket == complete) return;
        for (; bucket < complete; ++bucket) {
            const int64_t first = bucket * kFactor;
            buckets.push_back(level == 0 ? rawRange(first, first + kFactor)
                                         : levelRange(level - 1, first, first + kFactor));
        }
        below = complete;
    }
}

float Pyramid::at(int64_t index) const {
    return m_chunks[static_cast<size_t>(index / kChunk)][static_cast<size_t>(index % kChunk)];
}

Extremes Pyramid::rawRange(int64_t first, int64_t last) const {
    Extremes found;
    while (first < last) {
        const int64_t at = first % kChunk;
        const int64_t count = std::min(last - first, kChunk - at);
        const float* chunk = m_chunks[static_cast<size_t>(first / kChunk)].get();
        found.merge(extremesOf({chunk + at, static_cast<size_t>(count)}));
        first += count;
    }
    return found;
}

Extremes Pyramid::levelRange(size_t level, int64_t first, int64_t last) const {
    Extremes found;
    for (int64_t bucket = first; bucket < last; ++bucket)
        found.merge(m_levels[level][static_cast<size_t>(bucket)]);
    return found;
}

Extremes Pyramid::range(int64_t first, int64_t last) const {
    first = std::max<int64_t>(first, 0);
    last = std::min(last, m_size);
    Extremes found;
    // Depth 0 reads samples, depth k buckets of level k - 1. At each depth the ragged ends are read and the middle is
    // left to the next, which is complete there because first and last are.
    for (size_t depth = 0; first < last; ++depth) {
        const auto read = [&](int64_t from, int64_t to) {
            found.merge(depth == 0 ? rawRange(from, to) : levelRange(depth - 1, from, to));
        };
        const int64_t innerFirst = (first + kFactor - 1) / kFactor;
        const int64_t innerLast = last / kFactor;
        if (depth == m_levels.size() || innerFirst >= innerLast) {
            read(first, last);
            break;
        }
        read(first, innerFirst * kFactor);
        read(innerLast * kFactor, last);
        first = innerFirst;
        last = innerLast;
    }
    return found;
}

std::vector<Extremes> Pyramid::columns(int64_t first, int64_t length, int columns) const {
    std::vector<Extremes> found;
    found.reserve(static_cast<size_t>(std::max(columns, 0)));
    for (int64_t x = 0; x < columns; ++x) {
        const int64_t from = first + length * x / columns;
        found.push_back(range(from, std::max(from + 1, first + length * (x + 1) / columns)));
    }
    return found;
}

}  // namespace octet::series
