// SPDX-License-Identifier: Apache-2.0
// A chunk: up to 16,384 samples of one channel, sealed. Channels from 0 are series (float32); the three axes of the
// group have negative numbers (float64).
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>

namespace octet::store {

constexpr int64_t kMaxChunkSamples = 16384;
constexpr int64_t kStepChannel = -1, kTokensChannel = -2, kWallTimeChannel = -3;

template <typename T>
constexpr const char* kChunkKind = sizeof(T) == sizeof(float) ? "f32" : "f64";

struct ChunkSummary {
    std::optional<double> min, max;  // of the finite samples; none when there are none
    int64_t nonFinite = 0;
};

template <typename T>
[[nodiscard]] ChunkSummary summarise(std::span<const T> samples) {
    ChunkSummary summary;
    for (const T sample : samples) {
        if (!std::isfinite(sample)) {
            ++summary.nonFinite;
            continue;
        }
        const auto value = static_cast<double>(sample);
        if (!summary.min || value < *summary.min) summary.min = value;
        if (!summary.max || value > *summary.max) summary.max = value;
    }
    return summary;
}

}  // namespace octet::store
