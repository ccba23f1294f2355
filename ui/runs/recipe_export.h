// SPDX-License-Identifier: GPL-3.0-or-later
// Carries a run's recipe home: the Accelerate kwargs as JSON, and the Octet recipe beside it.
#pragma once

#include <QString>
#include <QStringList>
#include <filesystem>

#include "engine/core/result.h"
#include "engine/store/reader.h"

namespace octet::ui {

struct ExportedFiles {
    std::filesystem::path kwargs;  // empty when Accelerate can't have this recipe
    std::filesystem::path recipe;
    QStringList notes;  // what was left out, or why there are no kwargs; one sentence each
};

/// ~/Octet/hybrid-16.accelerate.json
[[nodiscard]] QString suggestedExportPath(const store::RunInfo& run);

/// Writes kwargs to `path` and the recipe beside it, as NAME.octet.json. Another recipe that is there already is kept:
/// the new one gets a number. A file that holds the same is left as it is.
[[nodiscard]] Result<ExportedFiles> exportRecipeOf(const store::RunInfo& run, const std::filesystem::path& path);

}  // namespace octet::ui
