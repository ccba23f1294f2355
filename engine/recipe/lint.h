// SPDX-License-Identifier: Apache-2.0
// Findings in a recipe file, each with its place, and the repair of the lines that are wrong without doubt.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/marked_value.h"
#include "engine/recipe/effective.h"
#include "engine/recipe/import.h"
#include "engine/recipe/recipe.h"

namespace octet::recipe {

/// Replaces the bytes [offset, end) of the text.
struct TextFix {
    size_t offset = 0;
    size_t end = 0;
    std::string replacement;
    std::string says;  // "amax_history_len: 1e3 becomes 1000"
};

struct LintFinding {
    Severity severity = Severity::Warning;
    TextPlace place;  // line 0: the file as a whole
    std::string message;
    std::string hint;
    std::optional<TextFix> fix;
};

struct LintReport {
    RecipeForm form = RecipeForm::Unknown;
    std::vector<LintFinding> findings;  // in the order of the text
    std::optional<Recipe> recipe;       // what the file comes to, if it comes to one
    [[nodiscard]] bool hasErrors() const;
    [[nodiscard]] int fixes() const;
};

/// @param what    names the file in messages
/// @param target  versions and GPU; the way of running comes from a file that says it
[[nodiscard]] LintReport lintText(std::string_view text, const std::string& what, const Target& target);

/// The text with every fix done; all other bytes stay.
[[nodiscard]] std::string repairedText(std::string_view text, const std::vector<LintFinding>& findings);

[[nodiscard]] const char* formName(RecipeForm form);

}  // namespace octet::recipe
