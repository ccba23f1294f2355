// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/verdict_texts.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <algorithm>
#include <cmath>

#include "engine/analysis/comparison_sentences.h"
#include "engine/core/text.h"

namespace octet::ui {
namespace {

using series::Verdict;

struct Words {
    Q_DECLARE_TR_FUNCTIONS(octet::ui::VerdictTexts)
};

constexpr size_t kMostColumns = 3;  // more would cut their figures

struct VerdictLook {
    QString word;
    Tone tone;
};

VerdictLook lookOf(Verdict verdict) {
    switch (verdict) {
        case Verdict::Pass:
            return {Words::tr("PASS"), Tone::Ok};
        case Verdict::Fail:
            return {Words::tr("FAIL"), Tone::Bad};
        case Verdict::WithinNoise:
            return {Words::tr("Within noise"), Tone::Ok};
        case Verdict::BeyondNoise:
            return {Words::tr("Beyond noise"), Tone::Warn};
        case Verdict::NotFinite:
            return {Words::tr("NaN"), Tone::Bad};
        case Verdict::Refused:
            return {Words::tr("No verdict"), Tone::Warn};
        case Verdict::NotEnoughData:
        case Verdict::Baseline:
            break;
    }
    return {Words::tr("Not enough data"), Tone::Neutral};
}

QString signedPercent(double value) {
    return QStringLiteral("%1%2 %")
        .arg(value < 0 ? QStringLiteral("\u2212") : QStringLiteral("+"))
        .arg(std::fabs(value), 0, 'f', 2);
}

QString seedsText(int64_t seeds) {
    return seeds == 1 ? Words::tr("1 seed") : Words::tr("%1 seeds").arg(seeds);
}

QString detailOf(const series::GroupGap& group, const analysis::ExperimentComparison& compared) {
    const bool isSettled = group.verdict == Verdict::Refused || group.verdict == Verdict::NotFinite;
    if (isSettled || !group.meanPercent) return QString::fromStdString(group.words);
    QString text = Words::tr("gap %1").arg(signedPercent(*group.meanPercent));
    if (group.interval)
        text += Words::tr(" (%1 to %2)").arg(group.interval->first, 0, 'f', 2).arg(group.interval->second, 0, 'f', 2);
    if (compared.barPercent)
        text += Words::tr(", bar %1 %").arg(*compared.barPercent);
    else if (compared.comparison.noisePercent)
        text += Words::tr(", noise \u00b1%1 %").arg(*compared.comparison.noisePercent, 0, 'g', 2);
    return text + QStringLiteral(", ") + seedsText(group.seeds);
}

std::optional<double> valueAt(const SeriesPointer& data, XAxis axis, double x) {
    if (!data) return {};
    const auto& places = axis == XAxis::Step     ? data->axes->step
                         : axis == XAxis::Tokens ? data->axes->tokens
                                                 : data->axes->wallTime;
    const int64_t at = indexAt(places, data->size(), x);
    if (at < 0) return {};
    return static_cast<double>(data->values.at(at));
}

/// Median over the last steps: one slow step says nothing.
std::optional<double> speedAt(const SeriesPointer& throughput, XAxis axis, double x) {
    constexpr int64_t kSteps = 15;
    if (!throughput) return {};
    const auto& places = axis == XAxis::Step     ? throughput->axes->step
                         : axis == XAxis::Tokens ? throughput->axes->tokens
                                                 : throughput->axes->wallTime;
    const int64_t last = indexAt(places, throughput->size(), x);
    std::vector<double> values;
    for (int64_t i = std::max<int64_t>(0, last - kSteps + 1); i <= last; ++i)
        values.push_back(static_cast<double>(throughput->values.at(i)));
    return series::median(std::move(values));
}

/// One row, all of its values with the same decimals; a dash where there is none.
FigureTableText::Row rowOf(const QString& name, const std::vector<FiguresAt>& figures,
                           std::optional<double> FiguresAt::*member, int decimals, const QString& unit = {}) {
    FigureTableText::Row row{name, {}};
    for (const FiguresAt& one : figures) {
        const auto& value = one.*member;
        row.values << (!value                   ? QStringLiteral("\u2013")
                       : !std::isfinite(*value) ? QStringLiteral("NaN")
                       : decimals == 0          ? QString::fromStdString(groupedDigits(std::llround(*value)))
                                                : QString::number(*value, 'f', decimals) + unit);
    }
    return row;
}

/// Percentages of a row: three digits of the largest.
int percentDecimals(const std::vector<FiguresAt>& figures, std::optional<double> FiguresAt::*member) {
    double largest = 0;
    for (const FiguresAt& one : figures)
        if (one.*member && std::isfinite(*(one.*member))) largest = std::max(largest, *(one.*member));
    return largest >= 10 ? 1 : largest >= 1 ? 2 : 3;
}

QString textOf(const Json& value) {
    if (value.is_null()) return {};
    return QString::fromStdString(value.is_string() ? value.get<std::string>() : value.dump());
}

/// "te.fp8_format" -> value, for every leaf of a document.
void flatten(const Json& value, const std::string& prefix, std::vector<std::pair<std::string, QString>>& into) {
    if (!value.is_object()) {
        into.emplace_back(prefix, textOf(value));
        return;
    }
    for (const auto& [key, inner] : value.items())
        flatten(inner, prefix.empty() ? key : prefix + '.' + key, into);
}

QString valueIn(const std::vector<std::pair<std::string, QString>>& leaves, const std::string& key) {
    const auto found = std::ranges::find(leaves, key, &std::pair<std::string, QString>::first);
    return found == leaves.end() ? QString() : found->second;
}

/// Rows of the documents' leaves that are not the same everywhere; keys in the order of first appearance.
void addDifferingRows(const std::vector<std::vector<std::pair<std::string, QString>>>& documents,
                      const QStringList& ignored, std::vector<FigureTableText::Row>& rows) {
    std::vector<std::string> keys;
    for (const auto& leaves : documents)
        for (const auto& [key, value] : leaves)
            if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
    for (const std::string& key : keys) {
        const QString name = QString::fromStdString(key);
        if (ignored.contains(name)) continue;
        FigureTableText::Row row{name.section(QLatin1Char('.'), -1), {}};
        for (const auto& leaves : documents)
            row.values << valueIn(leaves, key);
        if (row.values.count(row.values.front()) == row.values.size()) continue;
        row.values.replaceInStrings(QRegularExpression(QStringLiteral("^$")), QStringLiteral("\u2013"));
        rows.push_back(std::move(row));
    }
}

/// "[false, false, true]" and "false,false,true" are one value.
QString bare(QString text) {
    return text.remove(QRegularExpression(QStringLiteral("[\\[\\] ]")));
}

/// Fields that the target libraries run otherwise than asked, where the runs ask or get different values.
void addTargetRows(const std::vector<std::vector<std::pair<std::string, QString>>>& recipes,
                   const std::vector<Json>& targets, std::vector<FigureTableText::Row>& rows) {
    std::vector<std::string> keys;
    for (const Json& target : targets)
        for (const auto& [key, value] : target.items())
            if (key != "runs" && std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
    for (const std::string& key : keys) {
        const QString field = QString::fromStdString(key).section(QLatin1Char('.'), -1);
        FigureTableText::Row row{Words::tr("%1 on the target").arg(field), {}};
        QStringList asked;
        bool otherwise = false;
        for (size_t i = 0; i < targets.size(); ++i) {
            asked << bare(valueIn(recipes[i], key));
            const QString runs = targets[i].contains(key) ? bare(textOf(targets[i][key])) : QString();
            otherwise = otherwise || (!runs.isEmpty() && runs != asked.back());
            row.values << (runs.isEmpty() ? QStringLiteral("\u2013") : runs);
        }
        const auto equal = [](const QStringList& values) { return values.count(values.front()) == values.size(); };
        if (otherwise && !(equal(asked) && equal(row.values))) rows.push_back(std::move(row));
    }
}

}  // namespace

std::vector<VerdictLine> verdictLines(const analysis::ExperimentComparison& compared) {
    std::vector<VerdictLine> lines;
    for (const series::GroupGap& group : compared.comparison.groups) {
        const VerdictLook look = lookOf(group.verdict);
        lines.push_back({look.word, look.tone, QString::fromStdString(group.group), detailOf(group, compared)});
    }
    return lines;
}

QStringList verdictSentences(const analysis::ExperimentComparison& compared) {
    std::vector<std::string> all = analysis::mechanismSentences(compared);
    all.push_back(analysis::noiseSentence(compared));
    for (const auto& more : {analysis::footingSentences(compared), analysis::groupSentences(compared)})
        all.insert(all.end(), more.begin(), more.end());
    QStringList sentences;
    for (const std::string& sentence : all)
        sentences << QString::fromStdString(sentence);
    int64_t seeds = 0;
    for (const series::GroupGap& group : compared.comparison.groups)
        seeds = std::max(seeds, group.seeds);
    if (compared.barPercent)
        sentences << Words::tr("PASS and FAIL need 5 seeds, or an interval that is clear of the bar of %1 %.")
                         .arg(*compared.barPercent);
    else if (seeds < 5)
        sentences << Words::tr(
            "A short run shows the mechanism. Whether a recipe trains as well as the baseline needs "
            "a bar, more seeds and more steps.");
    return sentences;
}

FiguresAt figuresAt(const ShownRun& run, RunSeries& series, XAxis axis, double x) {
    FiguresAt figures;
    figures.loss = valueAt(series.smoothedLoss(run.info.id), axis, x);
    figures.evaluation = valueAt(series.recorded(run.info.id, {"", "", "", "eval_loss", ""}), axis, x);
    figures.tokensPerSecond = speedAt(series.throughput(run.info), axis, x);
    if (!run.isFp8) return figures;
    figures.underflowPercent = valueAt(series.meanUnderflow(run.info), axis, x);
    figures.saturatedPercent = valueAt(series.meanSaturated(run.info), axis, x);
    return figures;
}

FigureTableText figureTable(const QString& corner, const std::vector<const ShownRun*>& runs,
                            const std::vector<FiguresAt>& figures) {
    FigureTableText table;
    table.corner = corner;
    for (const ShownRun* run : runs)
        table.columns.push_back({run->name, run->colourIndex});
    const int underflow = percentDecimals(figures, &FiguresAt::underflowPercent);
    const int saturated = percentDecimals(figures, &FiguresAt::saturatedPercent);
    table.rows = {
        rowOf(Words::tr("loss"), figures, &FiguresAt::loss, 4),
        rowOf(Words::tr("eval loss"), figures, &FiguresAt::evaluation, 4),
        rowOf(Words::tr("tokens/s"), figures, &FiguresAt::tokensPerSecond, 0),
        rowOf(Words::tr("dy underflow"), figures, &FiguresAt::underflowPercent, underflow, QStringLiteral("%")),
        rowOf(Words::tr("saturated"), figures, &FiguresAt::saturatedPercent, saturated, QStringLiteral("%"))};
    return table;
}

std::vector<const ShownRun*> tableRuns(const ShownExperiment& shown, store::RunId current) {
    std::vector<const ShownRun*> runs;
    // Of several seeds those of the current run's: a column a recipe.
    const ShownRun* chosen = shown.find(current);
    for (const ShownRun& run : shown.runs)
        if (run.isVisible && (!chosen || run.info.seed == chosen->info.seed)) runs.push_back(&run);
    const auto isWanted = [&](const ShownRun* run) {
        return run->info.id == current || run->info.id == shown.baseline;
    };
    for (auto at = runs.rbegin(); at != runs.rend() && runs.size() > kMostColumns;) {
        if (isWanted(*at)) {
            ++at;
            continue;
        }
        at = std::make_reverse_iterator(runs.erase(std::next(at).base()));
    }
    return runs;
}

FigureTableText differenceTable(const std::vector<const ShownRun*>& runs) {
    FigureTableText table;
    table.corner = Words::tr("field");
    std::vector<std::vector<std::pair<std::string, QString>>> recipes, environments;
    std::vector<Json> targets;
    for (const ShownRun* run : runs) {
        table.columns.push_back({run->name, run->colourIndex});
        flatten(run->info.recipe, {}, recipes.emplace_back());
        const Json& effective = run->info.effective;  // older runs have no such block
        const bool has = effective.is_object() && effective.contains("on_target");
        targets.push_back(has ? effective["on_target"] : Json::object());
        flatten(run->info.environment, {}, environments.emplace_back());
    }
    if (runs.size() < 2) return table;
    addDifferingRows(recipes, {QStringLiteral("name")}, table.rows);
    addTargetRows(recipes, targets, table.rows);
    addDifferingRows(environments, {}, table.rows);
    return table;
}

}  // namespace octet::ui
