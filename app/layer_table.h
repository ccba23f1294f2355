// SPDX-License-Identifier: Apache-2.0
// The Linears of a model as a table: shape, what each product runs in, and why.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace octet::app {

struct LayerLine {
    std::string name;
    int64_t outFeatures = 0, inFeatures = 0;
    std::array<std::string, 3> gemms;  // fprop, dgrad, wgrad
    std::string reason;
};

/// Each reason is said once, below the table, whose rows give its number.
[[nodiscard]] std::string layerTable(const std::vector<LayerLine>& layers);

}  // namespace octet::app
