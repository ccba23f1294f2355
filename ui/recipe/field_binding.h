// SPDX-License-Identifier: GPL-3.0-or-later
// Ties an editor to its field of the document, both ways.
#pragma once

#include <QStringList>

#include "ui/recipe/field_editor.h"
#include "ui/recipe/recipe_document.h"

namespace octet::ui {

/// Edits become commands, what is no value becomes a problem of the document, and the document's value is shown.
void bindEditor(FieldEditor* editor, const recipe::RecipeField& field, RecipeDocument* document);

/// An editor by the field's type, bound, named after the field for screen readers.
[[nodiscard]] FieldEditor* makeBoundEditor(const recipe::RecipeField& field, RecipeDocument* document, QWidget* parent);

/// "octaves, default 0": unit and default under an editor.
[[nodiscard]] QString defaultText(const recipe::RecipeField& field);

}  // namespace octet::ui
