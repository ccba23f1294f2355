// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/recipe/recipe_files.h"

#include <QCoreApplication>
#include <QCryptographicHash>
#include <QDir>
#include <QFileInfo>
#include <QSettings>
#include <filesystem>

#include "engine/core/files.h"
#include "engine/recipe/recipe_json.h"

namespace octet::ui {
namespace {

const QString kRecentKey = QStringLiteral("recipe/recent");
constexpr qsizetype kMostRecent = 12;
constexpr int kHashLetters = 6, kNameLetters = 60;

QString tr(const char* text) {
    return QCoreApplication::translate("RecipeFiles", text);
}

}  // namespace

QString errorText(const Error& error) {
    return QString::fromStdString(error.hint.empty() ? error.message : error.message + " " + error.hint);
}

QString recipeFolder() {
    return QDir::homePath() + QStringLiteral("/Octet/recipes");
}

QString fileNameOf(const recipe::Recipe& recipe) {
    QString name = QString::fromStdString(recipe.name).trimmed().left(kNameLetters);
    for (QChar& letter : name) {
        const bool isSafe = letter.isLetterOrNumber() || letter == u'-' || letter == u'_' || letter == u'.';
        if (!isSafe) letter = u'-';
    }
    while (name.startsWith(u'.'))
        name.remove(0, 1);
    return name.isEmpty() ? QStringLiteral("recipe") : name;
}

Result<QString> writeRecipeForRun(const recipe::Recipe& recipe) {
    const QString folder = recipeFolder();
    if (!QDir().mkpath(folder)) {
        return Error{ErrorCode::Unreadable, tr("Cannot make the folder %1.").arg(folder).toStdString(),
                     tr("Save the recipe elsewhere with Save as, then run it.").toStdString()};
    }
    const std::string text = recipe::recipeText(recipe);
    const QByteArray hash = QCryptographicHash::hash(QByteArray::fromStdString(text), QCryptographicHash::Sha256);
    const QString path = QStringLiteral("%1/%2-%3.octet.json")
                             .arg(folder, fileNameOf(recipe), QString::fromLatin1(hash.toHex().left(kHashLetters)));
    if (auto written = writeFileAtomically(std::filesystem::path(path.toStdString()), text); !written)
        return written.error();
    return path;
}

QStringList recentRecipes() {
    QStringList recent = QSettings().value(kRecentKey).toStringList();
    recent.removeIf([](const QString& path) { return !QFileInfo::exists(path); });
    return recent;
}

void rememberRecipe(const QString& path) {
    QStringList recent = recentRecipes();
    recent.removeAll(path);
    recent.prepend(path);
    QSettings().setValue(kRecentKey, recent.mid(0, kMostRecent));
}

}  // namespace octet::ui
