// SPDX-License-Identifier: GPL-3.0-or-later
// What an experiment will about cost, from its spec alone: multiplications a step, time, memory. An estimate, and
// worded as one.
#pragma once

#include <QString>

#include "engine/recipe/run_spec.h"

namespace octet::ui {

/// How fast the worker multiplies.
struct Throughput {
    double gflops = 0;
    bool isMeasured = false;  // from runs on this machine; else assumed
};

/// 70 GFLOP/s for each processor core; two cores of the development machine reach about 75 each in training.
[[nodiscard]] Throughput assumedThroughput();

struct RunEstimate {
    double weights = 0;
    double flopsPerStep = 0;  // of one run: forward and backward of all matrix products
    int runs = 0;             // recipes x seeds
    int twins = 0;            // hidden runs that measure the noise
    double seconds = 0;
    double bytes = 0;
    double gflops = 0;
    bool isMeasured = false;
};

/// Time is that of the processor; `seconds` is 0 for a GPU, where nothing was measured.
/// @param hasBaseline  one of the recipes is a baseline, which gets a hidden twin
[[nodiscard]] Result<RunEstimate> runEstimate(const recipe::RunSpec& spec, bool hasBaseline,
                                              const Throughput& throughput);

/// "about 50 s and 420 MB"
[[nodiscard]] QString shortEstimateText(const RunEstimate& estimate);

/// "About 50 s and 0.4 GB: 3 runs and a hidden twin of 868 thousand weights, ..."
[[nodiscard]] QString estimateText(const RunEstimate& estimate);

}  // namespace octet::ui
