// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/recipe_export.h"

#include <fmt/format.h>

#include <QDir>
#include <system_error>

#include "engine/core/files.h"
#include "engine/recipe/export.h"
#include "engine/recipe/recipe_json.h"

namespace octet::ui {
namespace {

constexpr std::string_view kKwargsEnd = ".accelerate.json", kRecipeEnd = ".octet.json", kJsonEnd = ".json";
constexpr int kMostNumbers = 1000;

/// The file name that both files share: without the ends that Octet gives.
std::string stemOf(const std::filesystem::path& path) {
    std::string name = path.filename().string();
    for (const std::string_view end : {kKwargsEnd, kRecipeEnd, kJsonEnd}) {
        if (!name.ends_with(end) || name.size() == end.size()) continue;
        name.resize(name.size() - end.size());
        break;
    }
    return name;
}

bool isFreeOrEqual(const std::filesystem::path& path, const std::string& text) {
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) return true;
    const auto there = readFile(path);
    return there && *there == text;
}

Result<std::filesystem::path> recipePath(const std::filesystem::path& kwargs, const std::string& text) {
    const std::string stem = stemOf(kwargs);
    for (int number = 1; number <= kMostNumbers; ++number) {
        const std::string tail = number == 1 ? "" : fmt::format("-{}", number);
        auto path = kwargs.parent_path() / (stem + tail + std::string(kRecipeEnd));
        if (path != kwargs && isFreeOrEqual(path, text)) return path;
    }
    return Error{ErrorCode::Failed, fmt::format("There are {} recipes named {} already.", kMostNumbers, stem),
                 "Choose another name."};
}

/// The recipe's name as a file name.
QString fileStem(const store::RunInfo& run) {
    QString stem = QString::fromStdString(run.recipeName.empty() ? run.name : run.recipeName);
    for (QChar& letter : stem)
        if (letter == QLatin1Char('/') || letter.unicode() < 0x20) letter = QLatin1Char('-');
    return stem;
}

}  // namespace

QString suggestedExportPath(const store::RunInfo& run) {
    return QDir::homePath() + QStringLiteral("/Octet/") + fileStem(run) + QStringLiteral(".accelerate.json");
}

Result<ExportedFiles> exportRecipeOf(const store::RunInfo& run, const std::filesystem::path& path) {
    const auto loaded = recipe::recipeFromJson(run.recipe, fmt::format("recipe of run \"{}\"", run.name));
    if (!loaded) return loaded.error();
    const auto own = recipe::exportRecipe(loaded->recipe, "octet-json");
    if (!own) return own.error();
    std::error_code failed;
    std::filesystem::create_directories(path.parent_path(), failed);
    if (failed)
        return Error{ErrorCode::Failed,
                     fmt::format("The folder {} can't be made: {}.", path.parent_path().string(), failed.message()),
                     "Choose another folder."};
    const auto beside = recipePath(path, own->text);
    if (!beside) return beside.error();

    ExportedFiles files;
    const auto kwargs = recipe::exportRecipe(loaded->recipe, "accelerate-kwargs");
    if (kwargs) {
        if (const auto written = writeFileAtomically(path, kwargs->text); !written) return written.error();
        files.kwargs = path;
        for (const std::string& sentence : kwargs->leftOut)
            files.notes << QString::fromStdString(sentence);
    } else {
        files.notes << QString::fromStdString(kwargs.error().message);
    }
    if (const auto written = writeFileAtomically(*beside, own->text); !written) return written.error();
    files.recipe = *beside;
    return files;
}

}  // namespace octet::ui
