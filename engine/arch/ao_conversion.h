// SPDX-License-Identifier: Apache-2.0
// Which Linears torchao's convert_to_float8_training would swap, under the filters that people use with it.
// Source: accelerate 1.15.0, utils/ao.py; torchao 0.18.0, float8_linear_utils.py; torchtitan's filter_fqns; checked
// against golden runs of that code.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/arch/module_list.h"
#include "engine/arch/te_conversion.h"

namespace octet::arch {

/// torchao's _auto_filter_for_recipe leaves layers alone that its authors measured to be slower in float8.
/// rowwise_with_gw_hp has no thresholds: torchao refuses it.
enum class AutoFilter { Tensorwise, Rowwise };

/// What has to hold before a Linear is converted. The defaults are Accelerate's own filter.
struct AoFilter {
    bool skipFirstAndLast = true;      // first and last Linear in module order, found before the shapes are looked at
    bool widthsMultipleOf16 = true;    // both weight dimensions
    std::vector<std::string> names{};  // whole names that stay (filter_linear_layers)
    std::vector<std::string> nameParts{};  // names that hold one of these stay (torchtitan's filter_fqns)
    std::optional<AutoFilter> thresholds{};
    bool replacesRoot = false;  // torchao returns a new root; Accelerate ignores it
};

/// One decision per module of the list, same order. torchao visits nn.Linear only, children before parents.
[[nodiscard]] std::vector<TeDecision> convertForAo(const std::vector<Module>& modules, const AoFilter& filter = {});

/// Why torchao's thresholds leave this shape in high precision; empty when they take it. A sentence without the name.
[[nodiscard]] std::string belowThreshold(const Module& linear, AutoFilter filter);

}  // namespace octet::arch
