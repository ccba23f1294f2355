// SPDX-License-Identifier: Apache-2.0
// A run whose every sample can be computed again, so that any process can check what it reads.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "engine/store/reader.h"
#include "engine/store/writer.h"

namespace sample_run {

using namespace octet;

inline uint64_t mixed(uint64_t x) {
    x += 0x9E3779B97F4A7C15ull;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return x ^ (x >> 31);
}

/// Every bit pattern may come, with NaN and both infinities more often than by chance.
inline float value(uint64_t seed, size_t series, int64_t step) {
    const uint64_t random = mixed(seed * 1000003 + series * 7919 + static_cast<uint64_t>(step));
    switch (random % 50) {
        case 0:
            return std::numeric_limits<float>::quiet_NaN();
        case 1:
            return std::numeric_limits<float>::infinity();
        case 2:
            return -std::numeric_limits<float>::infinity();
        default:
            return std::bit_cast<float>(static_cast<uint32_t>(random >> 32));
    }
}

inline store::Axes axes(int64_t step) {
    const auto s = static_cast<double>(step);
    return {s, s * 1024 + 9007199254740993.0, s * 0.1};
}

inline std::vector<float> values(uint64_t seed, size_t seriesCount, int64_t step) {
    std::vector<float> out(seriesCount);
    for (size_t i = 0; i < seriesCount; ++i)
        out[i] = value(seed, i, step);
    return out;
}

inline bool same(float a, float b) {
    return (std::isnan(a) && std::isnan(b)) || std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b);
}

struct Started {
    store::ExperimentId experiment;
    store::RunId run;
    store::AttemptId attempt;
    store::GroupId group;
};

inline std::vector<store::SeriesKey> keys(size_t seriesCount) {
    std::vector<store::SeriesKey> out;
    for (size_t i = 0; i < seriesCount; ++i) {
        out.push_back({"model.layers." + std::to_string(i), "input", "fprop", "amax", ""});
    }
    return out;
}

/// Experiment, run with its seed, attempt and one "step" group.
inline Result<Started> start(store::Writer& writer, uint64_t seed, size_t seriesCount) {
    Started started;
    const auto experiment = writer.addExperiment({"sample", Json{{"steps", 100}}, 0.5});
    if (!experiment) return experiment.error();
    started.experiment = *experiment;
    store::NewRun run;
    run.experiment = *experiment;
    run.name = "hybrid-16";
    run.recipeName = "hybrid-16";
    run.seed = static_cast<int64_t>(seed);
    run.plannedSteps = 100;
    const auto id = writer.addRun(run);
    if (!id) return id.error();
    started.run = *id;
    const auto attempt = writer.beginAttempt(*id);
    if (!attempt) return attempt.error();
    started.attempt = *attempt;
    const auto series = keys(seriesCount);
    const auto group = writer.addGroup(*id, "step", series);
    if (!group) return group.error();
    started.group = *group;
    return started;
}

/// "" when `data`, read from sample `from` on, is what the run recorded there; else what differs.
inline std::string difference(const store::SeriesData& data, uint64_t seed, size_t series, int64_t from) {
    const size_t n = data.value.size();
    if (data.step.size() != n || data.tokens.size() != n || data.wallTime.size() != n) return "axes of another length";
    for (size_t i = 0; i < n; ++i) {
        const int64_t step = from + static_cast<int64_t>(i);
        const store::Axes at = axes(step);
        const bool right = data.step[i] == at.step && data.tokens[i] == at.tokens && data.wallTime[i] == at.wallTime &&
                           same(data.value[i], value(seed, series, step));
        if (!right) return "series " + std::to_string(series) + " differs at sample " + std::to_string(step);
    }
    return "";
}

}  // namespace sample_run
