// SPDX-License-Identifier: Apache-2.0
// One experiment as text: recipes x seeds on one model and one data order (`octet_run` 1).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/json.h"
#include "engine/core/result.h"

namespace octet::recipe {

enum class Schedule { Cosine, Constant };
enum class ActivationDtype { Bf16, Fp32 };
enum class OnNan { Continue, Pause, Stop };
enum class RunOrder { Interleaved, Sequential };

struct OptimizerSpec {
    double lr = 1e-3;
    int64_t warmupSteps = 20;
    Schedule schedule = Schedule::Cosine;
    double minLr = 1e-4;
    double weightDecay = 0.1;
    double beta1 = 0.9;
    double beta2 = 0.95;
    double clipNorm = 1.0;  // 0: no clipping
    bool operator==(const OptimizerSpec&) const = default;
};

struct RunSpec {
    std::vector<std::string> recipes{"preset:hybrid-16", "preset:e4m3-16", "preset:baseline"};
    std::vector<int64_t> seeds{1};
    std::string model = "llama:d=128,layers=4,heads=4,ctx=128,vocab=256";
    std::string data = "sample";
    std::string name;  // of the experiment; empty: made from the recipes
    int64_t steps = 300;
    int64_t batch = 8;  // sequences of one micro-batch
    int64_t microBatches = 1;
    OptimizerSpec optimizer;
    ActivationDtype activationDtype = ActivationDtype::Bf16;
    bool reuseWeightCodes = false;
    int64_t evalEvery = 50;  // 0: never
    int64_t evalBatches = 8;
    OnNan onNan = OnNan::Continue;
    RunOrder order = RunOrder::Interleaved;
    int64_t statisticsEvery = 1;
    int64_t exponentsEvery = 16;  // 0: never
    std::string device = "auto";
    int64_t threads = 0;  // 0: all cores
    std::optional<double> barPercent;
    bool operator==(const RunSpec&) const = default;
};

/// @param what  names the text in messages. Unknown keys are errors with the nearest known key; every range is checked.
[[nodiscard]] Result<RunSpec> runSpecFromJson(const Json& json, const std::string& what);
[[nodiscard]] Json runSpecToJson(const RunSpec& spec);

/// Range and consistency checks that need no file: also called after command-line flags changed fields.
[[nodiscard]] Result<void> checkRunSpec(const RunSpec& spec);

}  // namespace octet::recipe
