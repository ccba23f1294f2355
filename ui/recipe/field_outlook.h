// SPDX-License-Identifier: GPL-3.0-or-later
// What will happen with a field of a recipe: one word and one sentence, by the engine's resolver, and what was asked,
// passed on and runs for the tool tip.
#pragma once

#include <QString>
#include <vector>

#include "engine/recipe/recipe.h"
#include "engine/recipe/schema.h"

namespace octet::ui {

enum class FieldStatus {
    Used,        // changes training
    Default,     // has its default, which is what runs
    Dropped,     // Accelerate does not pass it on
    Ignored,     // nobody reads it
    Overridden,  // something else decides
    Refused,     // keeps the recipe from training
};

struct FieldOutlook {
    FieldStatus status = FieldStatus::Used;
    QString sentence;
    QString details{};  // "asked 4; passed on 4; runs 1. Source: ..."
};

/// Whether the form shows the field: those of the recipe's backend, torchao's own config only when it is read.
[[nodiscard]] bool belongsToForm(const recipe::Recipe& recipe, const recipe::RecipeField& field);

[[nodiscard]] FieldOutlook fieldOutlook(const recipe::Recipe& recipe, const recipe::RecipeField& field);

/// One thing to know about the whole recipe, worst first.
struct Finding {
    enum class Kind { Refused, StopsFp8, NoEffect, Warning, Note } kind = Kind::Note;
    QString sentence;
};

/// @param layerNotes  what the layer rules met in the model, one sentence each
[[nodiscard]] std::vector<Finding> findingsOf(const recipe::Recipe& recipe, const std::vector<std::string>& layerNotes);

/// "used", "default", ... in the language of the window.
[[nodiscard]] QString statusText(FieldStatus status);
[[nodiscard]] QString findingText(Finding::Kind kind);

}  // namespace octet::ui
