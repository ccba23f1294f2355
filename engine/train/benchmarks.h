// SPDX-License-Identifier: Apache-2.0
// Speed of casts, steps, store and overview, each against something measured in the same run.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/core/result.h"

namespace octet::train {

struct BenchOptions {
    int pairs = 30;  // interleaved FP8 and baseline steps
    std::string model = "llama:d=256,layers=4,heads=4,ctx=128,vocab=256";
};

struct BenchResult {
    std::string name;  // "step.fp8", "cast.memory", ...
    double value = 0;
    std::string unit;
    double ratio = 0;     // value against what it is measured against; see `against`
    std::string against;  // with its own figure
};

/// @param only  names to run; empty: all. Unknown names are refused with the known ones.
/// @param onStart  told what is about to be measured
[[nodiscard]] Result<std::vector<BenchResult>> runBenchmarks(const std::vector<std::string>& only,
                                                             const BenchOptions& options,
                                                             const std::function<void(const std::string&)>& onStart);

/// Processor, threads and instruction set.
[[nodiscard]] std::string benchMachine();

}  // namespace octet::train
