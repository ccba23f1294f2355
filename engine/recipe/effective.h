// SPDX-License-Identifier: Apache-2.0
// What really happens with a recipe on its target: for each field what was asked, what Accelerate passes on, what the
// library would have run without it, and what runs. The engine's own training follows Recipe::semantics; this is the
// library's side.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/core/json.h"
#include "engine/recipe/recipe.h"
#include "engine/recipe/training_plan.h"

namespace octet::recipe {

enum class FieldFate {
    Used,        // passed on, and runs as asked
    Default,     // equal to Accelerate's default, not passed on, and what runs is the same
    Dropped,     // equal to Accelerate's default, not passed on, and something else runs
    Ignored,     // nobody reads it
    Overridden,  // another setting decides
    Refused,     // stops the training there
};
enum class Severity { Info, Warning, Error };

struct EffectiveField {
    std::string key;  // "te.margin"
    std::string asked;
    std::string passed;          // to the library; empty: nothing
    std::string libraryDefault;  // what the library runs when nothing is passed; empty: it has no such field
    std::string effective;       // what runs; empty: there is no such thing in the run
    FieldFate fate = FieldFate::Used;
    Severity severity = Severity::Info;
    std::string reason;  // one clause, no capital at its start; empty for a plain "used"
    std::string source;  // where that is known from
};

/// One thing about the whole recipe on its target.
struct TargetReport {
    Severity severity = Severity::Warning;
    std::string sentence;
    std::string source;
};

struct EffectiveRecipe {
    std::string runs;  // "DelayedScaling(margin=0, fp8_format=HYBRID, ...)"; empty when refused
    std::vector<EffectiveField> fields;
    std::vector<TargetReport> reports;
    std::optional<Error> refusal;
};

[[nodiscard]] EffectiveRecipe effectiveRecipe(const Recipe& recipe);

/// nullptr for a field that the target does not see, such as name.
[[nodiscard]] const EffectiveField* fieldIn(const EffectiveRecipe& effective, std::string_view key);

/// "interval 4 has no effect: ..." for a field that is dropped, ignored or overridden; empty for the others.
[[nodiscard]] std::string noEffectSentence(const EffectiveField& field);

[[nodiscard]] const char* fateName(FieldFate fate);
[[nodiscard]] const char* severityName(Severity severity);

/// With the recipe's target. @param plan  adds formats, granularity, accumulation and padding of each layer's GEMMs
[[nodiscard]] Json effectiveJson(const Recipe& recipe, const EffectiveRecipe& effective, const TrainingPlan* plan);

/// What runs on the target, short enough to be kept with every run and compared: "runs", then each field's value there.
[[nodiscard]] Json onTargetJson(const Recipe& recipe);

}  // namespace octet::recipe
