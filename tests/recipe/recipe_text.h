// SPDX-License-Identifier: Apache-2.0
// A recipe out of the keys that a row of a test cares about.
#pragma once

#include <QByteArray>

#include "engine/core/json.h"
#include "engine/recipe/recipe_json.h"

namespace octet::tests {

/// @param text  a recipe's JSON without "octet_recipe"
inline recipe::Recipe recipeOf(const QByteArray& text) {
    Json json = parseJson(text.toStdString(), "row").value();
    json["octet_recipe"] = 1;
    auto loaded = recipe::recipeFromJson(json, "row");
    if (!loaded.ok()) qFatal("%s", loaded.error().message.c_str());
    return loaded->recipe;
}

}  // namespace octet::tests
