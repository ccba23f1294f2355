// SPDX-License-Identifier: Apache-2.0
// Every kernel of a device against the CPU reference, row by row: what `octet-engine selfcheck` runs on a GPU, and what
// the tests run on the host twin of the kernels. Codes, scales and counters must be equal bit for bit; error sums and
// GEMMs lie within stated bounds. No torch.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/backend/device.h"

namespace octet::backend {

struct CheckResult {
    std::string name;
    int64_t rows = 0, failures = 0;
    std::string firstFailure;    // the row in words, with what was found and expected
    std::string skippedBecause;  // empty when it ran
};

struct CheckOptions {
    std::vector<std::string> only;  // names; empty: all
    int every = 1;                  // only every n-th row, for slow machines
    std::function<void(const std::string&)> onStart = [](const std::string&) {};
};

[[nodiscard]] std::vector<std::string> checkNames();
[[nodiscard]] std::vector<CheckResult> checkDevice(Device& device, const CheckOptions& options);

}  // namespace octet::backend
