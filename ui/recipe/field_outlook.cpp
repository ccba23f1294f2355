// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/recipe/field_outlook.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "engine/core/text.h"
#include "engine/numerics/fp8_format.h"
#include "engine/recipe/effective.h"
#include "engine/recipe/recipe_json.h"
#include "engine/recipe/te_library.h"
#include "engine/recipe/training_plan.h"
#include "ui/recipe/family_sentences.h"
#include "ui/recipe/recipe_document.h"

namespace octet::ui {
namespace {

using recipe::Backend;
using recipe::Recipe;
using recipe::RecipeField;
using recipe::Semantics;

QString tr(const char* text) {
    return QCoreApplication::translate("FieldOutlook", text);
}

QString words(const std::string& text) {
    return QString::fromStdString(text);
}

QString withHint(const Error& error) {
    return words(error.hint.empty() ? error.message : error.message + " " + error.hint);
}

/// Refusals that no layer and no model have a part in: the library's, and what this version does not train yet.
std::optional<Error> refusalOf(const Recipe& recipe) {
    const auto plan = recipe::planTraining(recipe, {});
    return plan ? std::nullopt : std::optional(plan.error());
}

/// The refusal that this field has a part in: it goes away, or another comes first, with the field at its default; or
/// the field is refused when it alone differs from the defaults.
std::optional<Error> refusalBecauseOf(const Recipe& recipe, const RecipeField& field) {
    const recipe::FieldValue value = field.get(recipe), normal = field.get(Recipe{});
    if (value == normal) return std::nullopt;
    if (const auto now = refusalOf(recipe)) {
        Recipe without = recipe;
        field.set(without, normal);
        const auto then = refusalOf(without);
        if (!then || then->message != now->message) return now;
    }
    Recipe alone;
    alone.semantics = recipe.semantics;
    alone.backend = recipe.backend == Backend::Te ? Backend::Te : Backend::None;
    field.set(alone, value);
    return refusalOf(alone);
}

/// "interval 4 has no effect: X." -> "X."
QString reasonOf(const std::string& sentence) {
    const size_t colon = sentence.find(": ");
    QString reason = words(colon == std::string::npos ? sentence : sentence.substr(colon + 2));
    if (!reason.isEmpty()) reason[0] = reason[0].toUpper();
    return reason;
}

// ---- what a value that runs means ----

QString formatSentence(const Recipe& recipe, bool isDefault) {
    switch (recipe.te.fp8Format) {
        case recipe::TeFormat::Hybrid:
            return isDefault ? tr("Not passed on, and HYBRID runs all the same.") : tr("E4M3 forward, E5M2 gradients.");
        case recipe::TeFormat::E4M3:
            return tr("E4M3 for gradients too: small ones flush to zero sooner.");
        case recipe::TeFormat::E5M2:
            break;
    }
    return tr("E5M2 in both directions; the library would refuse it.");
}

QString marginSentence(const Recipe& recipe, bool) {
    const auto forward =
        recipe.te.fp8Format == recipe::TeFormat::E5M2 ? numerics::Fp8Format::E5M2 : numerics::Fp8Format::E4M3;
    const QString largest = QString::number(numerics::fp8Max(forward));
    const int margin = recipe.te.margin;
    if (margin == 0) return tr("scale = %1 / amax: no headroom.").arg(largest);
    const QString divisor = std::abs(margin) <= 16 ? QString::number(std::exp2(std::abs(margin)))
                                                   : QStringLiteral("2^%1").arg(std::abs(margin));
    if (margin > 0) {
        return margin == 1 ? tr("scale = %1 / amax / 2: one octave of headroom.").arg(largest)
                           : tr("scale = %1 / amax / %2: %3 octaves of headroom.").arg(largest, divisor).arg(margin);
    }
    return tr("scale = %1 / amax x %2: the largest values saturate.").arg(largest, divisor);
}

QString intervalSentence(const Recipe& recipe, bool isDefault) {
    if (isDefault) return tr("The scale is made at every update.");
    return tr("As documented: the scale is made once in %1 updates, first at update 0; the library ignores it.")
        .arg(recipe.te.interval);
}

QString historySentence(const Recipe& recipe, bool) {
    if (recipe.te.useMxfp8BlockScaling) return tr("Block scaling has no amax history.");
    if (recipe.te.amaxHistoryLen == 1) return tr("Only the last update is remembered.");
    return tr("A spike is remembered for %1 updates.").arg(words(groupedDigits(recipe.te.amaxHistoryLen)));
}

QString algoSentence(const Recipe& recipe, bool) {
    if (recipe.te.amaxComputeAlgo == recipe::AmaxAlgo::Max)
        return tr("The largest amax of the history makes the scale.");
    return tr("As documented: the newest amax makes the scale; in the library, max runs.");
}

QString overrideSentence(const Recipe& recipe, bool isDefault) {
    if (isDefault) return tr("All three GEMMs of a converted layer run in FP8.");
    return tr("As documented: %1 stays in high precision; the library ignores it.")
        .arg(words(recipe::gemmsText(recipe.te.overrideLinearPrecision)));
}

QString blockSentence(const Recipe&, bool isDefault) {
    return isDefault ? tr("Delayed scaling: one scale a tensor, from its history.") : tr("One scale per 32 values.");
}

QString evaluationSentence(const Recipe&, bool isDefault) {
    return isDefault ? tr("Evaluation runs in high precision.")
                     : tr("Evaluation runs in FP8, and its amaxes enter the history.");
}

QString backendSentence(const Recipe& recipe, bool) {
    if (recipe.backend == Backend::None) return tr("Trains in BF16: the run that others are compared with.");
    if (recipe.backend != Backend::Te) return words(recipe::recipeSummary(recipe));
    return tr("Trains in FP8 with Transformer Engine's delayed scaling.");
}

using Sentence = QString (*)(const Recipe&, bool isDefault);

/// What a value that runs means, in this recipe; fields without an entry are told by their help.
Sentence sentenceOf(std::string_view key) {
    static constexpr std::pair<std::string_view, Sentence> sentences[] = {
        {"backend", backendSentence},
        {"te.fp8_format", formatSentence},
        {"te.margin", marginSentence},
        {"te.interval", intervalSentence},
        {"te.amax_history_len", historySentence},
        {"te.amax_compute_algo", algoSentence},
        {"te.override_linear_precision", overrideSentence},
        {"te.use_mxfp8_block_scaling", blockSentence},
        {"te.use_autocast_during_eval", evaluationSentence},
    };
    const auto* found = std::ranges::find(sentences, key, &std::pair<std::string_view, Sentence>::first);
    return found == std::end(sentences) ? nullptr : found->second;
}

struct Family {
    Backend backend;
    std::string_view prefix;
};
constexpr Family kFamilies[] = {{Backend::Te, "te."}, {Backend::Ao, "ao."}, {Backend::Native, "native."}};

const Family* familyOf(const RecipeField& field) {
    const auto* found = std::ranges::find_if(
        kFamilies, [&](const Family& family) { return std::string_view(field.key).starts_with(family.prefix); });
    return found == std::end(kFamilies) ? nullptr : found;
}

QString clause(const std::string& reason) {
    QString text = words(reason);
    if (!text.isEmpty()) text[0] = text[0].toUpper();
    return text.isEmpty() || text.endsWith(u'.') ? text : text + u'.';
}

QString detailsOf(const recipe::EffectiveField& field) {
    const auto shown = [](const std::string& value) { return value.empty() ? tr("nothing") : words(value); };
    QString text =
        tr("Asked %1; passed on: %2; runs: %3.").arg(shown(field.asked), shown(field.passed), shown(field.effective));
    if (!field.source.empty()) text += u'\n' + tr("Source: %1").arg(words(field.source));
    return text;
}

std::optional<FieldStatus> lostStatus(recipe::FieldFate fate) {
    switch (fate) {
        case recipe::FieldFate::Dropped:
            return FieldStatus::Dropped;
        case recipe::FieldFate::Ignored:
            return FieldStatus::Ignored;
        case recipe::FieldFate::Overridden:
            return FieldStatus::Overridden;
        case recipe::FieldFate::Used:
        case recipe::FieldFate::Default:
        case recipe::FieldFate::Refused:
            break;
    }
    return std::nullopt;
}

std::optional<FieldOutlook> ofAnotherBackend(const Recipe& recipe, const RecipeField& field) {
    const Family* family = familyOf(field);
    if (!family || family->backend == recipe.backend) return std::nullopt;
    return FieldOutlook{FieldStatus::Ignored,
                        tr("Only backend %1 reads it.").arg(QString::fromUtf8(recipe::nameOf(family->backend)))};
}

/// What a value that runs means: the sentence of this window, else the resolver's, else the schema's help.
QString meaningOf(const Recipe& recipe, const RecipeField& field, const recipe::EffectiveField* resolved,
                  bool isDefault) {
    if (const auto warning = recipe::fieldWarning(field, field.get(recipe))) return reasonOf(*warning);
    if (const Sentence sentence = sentenceOf(field.key)) return sentence(recipe, isDefault);
    if (const QString sentence = familySentence(recipe, field.key); !sentence.isEmpty()) return sentence;
    const bool says = resolved && !resolved->reason.empty() && resolved->fate == recipe::FieldFate::Used;
    return says ? clause(resolved->reason) : QString::fromUtf8(field.help);
}

}  // namespace

bool belongsToForm(const Recipe& recipe, const RecipeField& field) {
    const Family* family = familyOf(field);
    if (!family) return false;
    // The baseline shows what it leaves unread, as it always did.
    const Backend shown = recipe.backend == Backend::None ? Backend::Te : recipe.backend;
    const bool unread =
        std::string_view(field.key).starts_with("ao.float8.") && recipe.ao.config != recipe::AoConfig::Custom;
    return family->backend == shown && !unread;
}

FieldOutlook fieldOutlook(const Recipe& recipe, const RecipeField& field) {
    if (auto none = ofAnotherBackend(recipe, field)) return *none;
    const recipe::EffectiveRecipe effective = recipe::effectiveRecipe(recipe);
    const recipe::EffectiveField* resolved = recipe::fieldIn(effective, field.key);
    const QString details = resolved ? detailsOf(*resolved) : QString();
    const bool library = recipe.semantics == Semantics::Library;
    if (resolved && library) {
        if (const auto lost = lostStatus(resolved->fate)) return {*lost, clause(resolved->reason), details};
    }
    if (const auto refusal = refusalBecauseOf(recipe, field))
        return {FieldStatus::Refused, withHint(*refusal), details};
    const bool isDefault = field.get(recipe) == field.get(Recipe{});
    const QString text = meaningOf(recipe, field, resolved, isDefault);
    return {isDefault ? FieldStatus::Default : FieldStatus::Used, text, details};
}

std::vector<Finding> findingsOf(const Recipe& recipe, const std::vector<std::string>& layerNotes) {
    std::vector<Finding> findings;
    const auto add = [&](Finding::Kind kind, const QString& sentence) { findings.push_back({kind, sentence}); };
    const auto checked = recipe::checkRecipe(recipe, "recipe \"" + recipe.name + "\"");
    if (!checked) {
        add(Finding::Kind::Refused, withHint(checked.error()));
        return findings;
    }
    if (const auto refusal = refusalOf(recipe)) add(Finding::Kind::Refused, withHint(*refusal));
    const bool documented = recipe.semantics == Semantics::Documented;
    const auto inLibrary = [&](const std::string& sentence) {
        return documented ? tr("In the library: %1").arg(words(sentence)) : words(sentence);
    };
    for (const recipe::TargetReport& report : recipe::effectiveRecipe(recipe).reports)
        add(Finding::Kind::StopsFp8, words(report.sentence));
    Recipe alone = recipe;
    alone.target.parallel = "none";
    const recipe::EffectiveRecipe effective = recipe::effectiveRecipe(alone);
    if (documented && effective.refusal) add(Finding::Kind::NoEffect, inLibrary(effective.refusal->message));
    for (const recipe::EffectiveField& field : effective.fields) {
        const std::string lost = recipe::noEffectSentence(field);
        if (!lost.empty() && field.severity != recipe::Severity::Info) add(Finding::Kind::NoEffect, inLibrary(lost));
    }
    for (const std::string& warning : *checked)
        add(Finding::Kind::Warning, words(warning));
    for (const std::string& note : layerNotes)
        add(Finding::Kind::Note, words(note));
    return findings;
}

QString statusText(FieldStatus status) {
    switch (status) {
        case FieldStatus::Used:
            return tr("used");
        case FieldStatus::Default:
            return tr("default");
        case FieldStatus::Dropped:
            return tr("dropped");
        case FieldStatus::Ignored:
            return tr("ignored");
        case FieldStatus::Overridden:
            return tr("overridden");
        case FieldStatus::Refused:
            return tr("refused");
    }
    return {};
}

QString findingText(Finding::Kind kind) {
    switch (kind) {
        case Finding::Kind::Refused:
            return tr("refused");
        case Finding::Kind::StopsFp8:
            return tr("target");
        case Finding::Kind::NoEffect:
            return tr("no effect");
        case Finding::Kind::Warning:
            return tr("warning");
        case Finding::Kind::Note:
            return tr("layers");
    }
    return {};
}

}  // namespace octet::ui
