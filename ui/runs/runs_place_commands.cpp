// SPDX-License-Identifier: GPL-3.0-or-later
// What the Runs place does with a run or with what is seen: commands to the worker, the run's recipe, and files of the
// tracks.
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>

#include "engine/core/files.h"
#include "engine/recipe/recipe_json.h"
#include "ui/plots/track_stack.h"
#include "ui/recipe/recipe_files.h"
#include "ui/runs/recipe_menu.h"
#include "ui/runs/run_strip.h"
#include "ui/runs/runs_place.h"

namespace octet::ui {
namespace {

constexpr double kPictureScale = 2;

const char* suffixOf(ViewFile file) {
    return file == ViewFile::Png ? ".png" : file == ViewFile::Svg ? ".svg" : ".csv";
}

/// ~/Octet/HYBRID against E4M3, compare.png
QString suggestedPath(const ShownExperiment& shown, ViewPreset preset, ViewFile file) {
    QString name = QString::fromStdString(shown.info.name);
    for (QChar& letter : name)
        if (letter == QLatin1Char('/') || letter.unicode() < 0x20) letter = QLatin1Char('-');
    return QStringLiteral("%1/Octet/%2, %3%4")
        .arg(QDir::homePath(), name, preset == ViewPreset::Live ? RunsPlace::tr("live") : RunsPlace::tr("compare"),
             QLatin1String(suffixOf(file)));
}

}  // namespace

void RunsPlace::send(store::RunId run, store::CommandVerb verb) {
    if (!m_project) return;
    const auto sent = m_project->send(run, verb);
    if (!sent) emit message(sentenceOf(sent.error()), true);
}

void RunsPlace::setOpenRecipe(std::function<std::optional<recipe::Recipe>()> open) {
    m_openRecipe = std::move(open);
}

void RunsPlace::connectRecipeMenu() {
    connect(m_strip->recipeMenu(), &QMenu::aboutToShow, this, [this] {
        const store::RunId run = m_selection->currentRun();
        fillRecipeMenu(*m_strip->recipeMenu(), m_openRecipe ? m_openRecipe() : std::nullopt,
                       {[this, run](const recipe::Recipe& recipe) { setRecipe(run, recipe); },
                        [this, run] {
                            const QString path = QFileDialog::getOpenFileName(
                                this, tr("Recipe to go on with"), recipeFolder(), tr("Recipes (*.octet.json *.json)"));
                            if (!path.isEmpty()) setRecipe(run, path);
                        }});
    });
}

void RunsPlace::setRecipe(store::RunId run, const QString& reference) {
    const auto loaded = recipe::loadRecipe(reference.toStdString());
    if (loaded)
        setRecipe(run, loaded->recipe);
    else
        emit message(sentenceOf(loaded.error()), true);
}

void RunsPlace::setRecipe(store::RunId run, const recipe::Recipe& recipe) {
    if (!m_project) return;
    const auto sent = m_project->send(run, store::CommandVerb::SetRecipe, recipe::recipeToJson(recipe));
    if (sent)
        m_wantedRecipes[run.value] = QString::fromStdString(recipe.name);
    else
        emit message(sentenceOf(sent.error()), true);
}

void RunsPlace::confirm(store::RunId run, store::CommandVerb verb) {
    const store::RunInfo* info = m_project ? m_project->run(run) : nullptr;
    if (verb != store::CommandVerb::SetRecipe || !info || !m_wantedRecipes.contains(run.value)) return;
    emit message(tr("%1 goes on with the recipe %2. It has trained with two recipes now, so it gets no verdict; the "
                    "mark in the tracks is where it changed.")
                     .arg(QString::fromStdString(info->name), m_wantedRecipes.take(run.value)),
                 false);
}

void RunsPlace::openRecipe(store::RunId run) {
    const store::RunInfo* info = m_project ? m_project->run(run) : nullptr;
    if (!info) return;
    for (const recipe::Preset& preset : recipe::presets()) {
        if (recipe::recipeToJson(preset.recipe) != info->recipe) continue;
        emit wantsRecipe(QStringLiteral("preset:") + QString::fromStdString(preset.name));
        return;
    }
    emit wantsRecipeOfRun(QString::fromStdString(info->recipe.dump()), QString::fromStdString(info->name));
}

void RunsPlace::exportView(ViewFile file) {
    if (!m_project || m_shown.runs.empty()) {
        emit message(tr("Nothing is drawn yet, so there is nothing to write into a file."), false);
        return;
    }
    QString path = m_chooseExportPath(suggestedPath(m_shown, m_selection->preset(), file));
    if (path.isEmpty()) return;
    const QLatin1String suffix(suffixOf(file));
    if (!path.endsWith(suffix, Qt::CaseInsensitive)) path += suffix;
    Result<void> written;
    if (file == ViewFile::Csv)
        written = writeFileAtomically(path.toStdString(), m_tracks->visibleCsv().toStdString());
    else
        written = m_tracks->exportImage(path, kPictureScale);
    if (written)
        emit message(tr("Wrote %1.").arg(path), false);
    else
        emit message(sentenceOf(written.error()), true);
}

}  // namespace octet::ui
