// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/run_texts.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>

namespace octet::ui {
namespace {

constexpr int kColours = 8, kBaselineColour = 2;

QString words(const char* text) {
    return QCoreApplication::translate("octet::ui::RunTexts", text);
}

QString textAt(const Json& object, const char* key) {
    if (!object.is_object() || !object.contains(key)) return {};
    const Json& value = object[key];
    return QString::fromStdString(value.is_string() ? value.get<std::string>() : value.dump());
}

QString delayedSummary(const Json& te) {
    if (textAt(te, "use_mxfp8_block_scaling") == QStringLiteral("true")) return words("MXFP8, blocks of 32");
    QStringList parts;
    parts << textAt(te, "fp8_format");
    const QString history = textAt(te, "amax_history_len");
    if (!history.isEmpty()) parts << words("history %1").arg(history);
    parts << textAt(te, "amax_compute_algo");
    const QString margin = textAt(te, "margin");
    if (!margin.isEmpty() && margin != QStringLiteral("0")) parts << words("margin %1").arg(margin);
    parts.removeAll(QString());
    return parts.join(QStringLiteral(", "));
}

using RecipeKey = std::pair<store::ExperimentId, std::string>;

/// Adds the recipes of those runs that `counts`, each once, in their order.
template <typename Counts>
void addRecipes(std::vector<RecipeKey>& recipes, const std::vector<store::RunInfo>& runs, Counts counts) {
    for (const store::RunInfo& run : runs) {
        const RecipeKey key{run.experiment, run.recipeName};
        if (!run.hidden && counts(run) && std::ranges::find(recipes, key) == recipes.end()) recipes.push_back(key);
    }
}

size_t placeOf(const std::vector<RecipeKey>& recipes, const store::RunInfo& run) {
    const RecipeKey key{run.experiment, run.recipeName};
    return static_cast<size_t>(std::ranges::find(recipes, key) - recipes.begin());
}

/// The `place`-th colour that is not the baseline's.
int colourAt(size_t place) {
    int index = 0;
    for (size_t passed = 0;; ++index) {
        if (index % kColours == kBaselineColour) continue;
        if (passed++ == place) return index;
    }
}

}  // namespace

StatePill statePill(const store::RunInfo& run, const QString& pending, bool hasNotFinite) {
    if (!pending.isEmpty()) return {pending, Tone::Accent};
    if (hasNotFinite) return {words("NaN"), Tone::Bad};
    switch (run.state) {
        case store::RunState::Queued:
            return {words("queued"), Tone::Neutral};
        case store::RunState::Running:
            return {words("%1 %").arg(static_cast<int>(progressOf(run) * 100)), Tone::Accent};
        case store::RunState::Paused:
            return {words("paused"), Tone::Warn};
        case store::RunState::Done:
            return {words("done"), Tone::Ok};
        case store::RunState::Stopped:
            return {words("stopped"), Tone::Warn};
        case store::RunState::Failed:
            return {words("failed"), Tone::Bad};
        case store::RunState::Interrupted:
            return {words("interrupted"), Tone::Bad};
    }
    return {};
}

QString recipeSummary(const Json& recipe, const Json& environment, bool pinned) {
    const QString backend = textAt(recipe, "backend");
    QString summary;
    if (backend == QStringLiteral("none")) {
        summary = textAt(environment, "activation_dtype") == QStringLiteral("fp32") ? words("FP32") : words("BF16");
    } else if (backend == QStringLiteral("TE") || backend.isEmpty()) {
        summary = recipe.is_object() && recipe.contains("te") ? delayedSummary(recipe["te"]) : words("TE defaults");
    } else {
        summary = backend == QStringLiteral("AO") ? words("torchao") : backend;
    }
    return pinned ? words("%1, pinned").arg(summary) : summary;
}

double progressOf(const store::RunInfo& run) {
    if (run.plannedSteps <= 0) return 0;
    return std::clamp(static_cast<double>(run.steps) / static_cast<double>(run.plannedSteps), 0.0, 1.0);
}

bool isBaselineRecipe(const store::RunInfo& run) {
    return run.baseline || textAt(run.recipe, "backend") == QStringLiteral("none");
}

int colourIndexOf(const std::vector<store::RunInfo>& runs, store::RunId run) {
    const auto found = std::ranges::find(runs, run, &store::RunInfo::id);
    if (found == runs.end() || isBaselineRecipe(*found)) return kBaselineColour;
    std::vector<RecipeKey> recipes;
    addRecipes(recipes, runs, [&](const store::RunInfo& one) {
        return one.experiment == found->experiment && !isBaselineRecipe(one);
    });
    return colourAt(placeOf(recipes, *found));
}

int ColourScheme::indexOf(store::RunId run) const {
    const auto found = std::ranges::find(runs, run, &store::RunInfo::id);
    const bool isGuest = found != runs.end() && found->experiment != chosen && overlaid.contains(run.value);
    if (!isGuest) return colourIndexOf(runs, run);
    std::vector<RecipeKey> recipes;
    addRecipes(recipes, runs,
               [this](const store::RunInfo& one) { return one.experiment == chosen && !isBaselineRecipe(one); });
    addRecipes(recipes, runs, [this](const store::RunInfo& one) {
        return one.experiment != chosen && overlaid.contains(one.id.value);
    });
    return colourAt(placeOf(recipes, *found));
}

store::RunId baselineOf(const std::vector<store::RunInfo>& runs, store::ExperimentId experiment, store::RunId pinned) {
    store::RunId own;
    for (const store::RunInfo& run : runs) {
        if (run.experiment != experiment || run.hidden) continue;
        if (run.id == pinned) return pinned;
        if (run.baseline && !own.valid()) own = run.id;
    }
    return own;
}

}  // namespace octet::ui
