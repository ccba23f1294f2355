// SPDX-License-Identifier: GPL-3.0-or-later
// Edits of the ordered list of layer rules, made from what a person asks of one layer or of all layers of one name.
// Plain functions on the list: the document turns the result into an undo step.
#pragma once

#include <string>
#include <vector>

#include "engine/recipe/recipe.h"

namespace octet::ui {

using Rules = std::vector<recipe::LayerRule>;

/// The index of the rule that decides the layer `name`, or -1. Rules whose pattern is none are passed over.
[[nodiscard]] int decidingRule(const Rules& rules, const std::string& name);

/// A rule for exactly `match`, first in the order where it is new, keeps the whole layer in high precision or lets it
/// go again; what an earlier rule asked of the GEMMs stays. A rule that changes nothing is removed.
/// @param match  a module name, or its last part for all layers of that name
[[nodiscard]] Rules withKept(const recipe::Layers& layers, const std::string& match, bool keep);

/// The same for one GEMM.
[[nodiscard]] Rules withGemmHigh(const recipe::Layers& layers, const std::string& match, recipe::Gemm gemm, bool high);

[[nodiscard]] Rules withMoved(Rules rules, size_t from, size_t to);
[[nodiscard]] Rules withoutRule(Rules rules, size_t index);

/// "model.layers.0.mlp.down_proj" -> "down_proj"
[[nodiscard]] std::string lastPart(const std::string& name);

}  // namespace octet::ui
