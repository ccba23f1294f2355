// SPDX-License-Identifier: Apache-2.0
// Which modules Accelerate's convert_model would swap for Transformer Engine's, with its order-dependent early stop.
// Source: accelerate 1.15.0, utils/transformer_engine.py:26-92; checked against golden runs of that code.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/arch/module_list.h"

namespace octet::arch {

/// The two switches of convert_model; Accelerator.prepare() leaves both on.
struct TeConversionOptions {
    bool linears = true;
    bool layerNorms = true;
};

struct TeDecision {
    bool converted = false;
    std::string reason;  // one sentence without the module's own name
};

/// The Python exception that ends the conversion half-way.
struct TeConversionFailure {
    std::string type;     // "AttributeError", "RuntimeError"
    std::string module;   // where it is raised
    std::string message;  // a sentence
};

struct TeConversion {
    std::vector<TeDecision> decisions;           // one per module of the list, same order
    std::optional<TeConversionFailure> failure;  // the decisions then hold what was converted by that time
};

/// @param modules  in named_modules() order; containers may be left out, they follow from the dotted names. A module
///                 that is registered twice is listed once, under its first name
[[nodiscard]] TeConversion convertForTe(const std::vector<Module>& modules, const TeConversionOptions& options = {});

}  // namespace octet::arch
