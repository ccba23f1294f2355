// SPDX-License-Identifier: Apache-2.0
// Speed of a GPU's kernels and GEMMs, each against something measured in the same run: casts against a device copy,
// FP8 GEMMs against BF16 of the same shape, and the four linears of a layer forward and backward, quantising included,
// against BF16. No torch.
#pragma once

#include <string>
#include <vector>

#include "engine/backend/device.h"

namespace octet::backend {

struct DeviceBenchOptions {
    /// Transformer Engine's published layer: H200 NVL, 1.69x delayed, 1.58x current, 1.40x block.
    int64_t tokens = 15872, hidden = 4096, feedForward = 16384;
    int repeats = 20;
    int capability = 90;
};

struct DeviceBenchResult {
    std::string name;
    double value = 0;
    std::string unit;
    double ratio = 0;
    std::string against;
};

[[nodiscard]] std::vector<DeviceBenchResult> benchDevice(Device& device, const DeviceBenchOptions& options);

}  // namespace octet::backend
