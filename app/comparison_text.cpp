// SPDX-License-Identifier: Apache-2.0
#include "app/comparison_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "app/table.h"
#include "app/terminal.h"
#include "engine/analysis/comparison_sentences.h"
#include "engine/core/text.h"

namespace octet::app {
namespace {

using series::Verdict;

std::string textOr(const std::optional<double>& value, const char* format) {
    return value ? fmt::format(fmt::runtime(format), *value) : "-";
}

Json jsonOr(const std::optional<double>& value) {
    return value ? jsonNumber(*value) : Json();
}

std::string runTable(const analysis::ExperimentComparison& compared) {
    using enum Table::Align;
    Table table({{"name"},
                 {"final loss", Right},
                 {"gap %", Right},
                 {"noise %", Right},
                 {"tokens/s", Right},
                 {"dy underflow %", Right},
                 {"saturated %", Right},
                 {"verdict"}});
    for (const analysis::ComparedFigures& one : compared.runs) {
        const auto speed = one.tokensPerSecond;
        table.addRow({one.run.name, textOr(one.gap.finalLoss, "{:.4f}"),
                      one.gap.verdict == Verdict::Baseline ? "-" : textOr(one.gap.gapPercent, "{:+.2f}"),
                      textOr(one.gap.noisePercent, "{:.2f}"), speed ? groupedDigits(std::llround(*speed)) : "-",
                      textOr(one.dyUnderflowPercent, "{:.3g}"), textOr(one.saturatedPercent, "{:.3g}"), one.gap.words});
    }
    return table.text();
}

/// Recipes in the order of the runs.
std::vector<std::string> recipesOf(const analysis::ExperimentComparison& compared) {
    std::vector<std::string> recipes;
    for (const analysis::ComparedFigures& one : compared.runs) {
        if (std::ranges::find(recipes, one.run.recipeName) == recipes.end()) recipes.push_back(one.run.recipeName);
    }
    return recipes;
}

/// What the seeds of one recipe gave.
struct RecipeLine {
    int seeds = 0;
    std::vector<double> losses, gaps, underflows, saturations;
    std::string words;

    RecipeLine(const analysis::ExperimentComparison& compared, const std::string& recipe) {
        const auto take = [](std::vector<double>& values, const std::optional<double>& value) {
            if (value) values.push_back(*value);
        };
        for (const analysis::ComparedFigures& one : compared.runs) {
            if (one.run.recipeName != recipe) continue;
            ++seeds;
            take(losses, one.gap.finalLoss);
            if (one.gap.verdict != Verdict::Baseline) take(gaps, one.gap.gapPercent);
            take(underflows, one.dyUnderflowPercent);
            take(saturations, one.saturatedPercent);
            words = one.gap.words;
        }
        const auto& groups = compared.comparison.groups;
        const auto group = std::ranges::find(groups, recipe, &series::GroupGap::group);
        if (group != groups.end()) words = group->words;
    }

    [[nodiscard]] std::optional<double> meanOf(std::vector<double> RecipeLine::*values) const {
        if ((this->*values).empty()) return std::nullopt;
        return series::meanInterval(this->*values).mean;
    }
    /// "+0.40, +0.42"
    [[nodiscard]] std::string gapsText() const {
        std::vector<std::string> texts;
        for (const double gap : gaps)
            texts.push_back(fmt::format("{:+.2f}", gap));
        return texts.empty() ? "-" : fmt::format("{}", fmt::join(texts, ", "));
    }
};

std::string closing(const analysis::ExperimentComparison& compared) {
    int64_t seeds = 0;
    for (const series::GroupGap& group : compared.comparison.groups)
        seeds = std::max(seeds, group.seeds);
    if (compared.barPercent)
        return fmt::format(
            "Bar: a gap of at most {} %. PASS and FAIL need 5 seeds, or an interval (from 2 seeds on) that "
            "is clear of the bar; there {} {}.",
            *compared.barPercent, seeds == 1 ? "is" : "are", seeds);
    if (seeds >= 5) return {};
    return "What a short run can show is the mechanism (underflow of dy, saturation, cold start); whether a recipe "
           "trains as well as the baseline needs a bar (--bar-percent), more seeds (--seeds 1,2,3,4,5) and more steps.";
}

}  // namespace

std::string comparisonText(const analysis::ExperimentComparison& compared) {
    std::string text;
    if (compared.experiment)
        text += fmt::format("Experiment {} \"{}\"\n\n", compared.experiment->id.value, compared.experiment->name);
    text += runTable(compared) + "\n";
    std::vector<std::string> lines = analysis::footingSentences(compared);
    lines.push_back(analysis::noiseSentence(compared));
    if (!compared.baseline) lines.back() += " Train one with --recipe preset:baseline.";
    for (const auto& more : {analysis::groupSentences(compared), analysis::differenceSentences(compared),
                             analysis::mechanismSentences(compared)})
        lines.insert(lines.end(), more.begin(), more.end());
    lines.push_back(closing(compared));
    for (const std::string& line : lines)
        if (!line.empty()) text += wrappedText(line, textColumns()) + "\n";
    return text;
}

std::string comparisonMarkdown(const analysis::ExperimentComparison& compared) {
    std::string text =
        "| recipe | seeds | final loss | gap % | per seed | noise % | dy underflow % | saturated % | verdict |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
    for (const std::string& recipe : recipesOf(compared)) {
        const RecipeLine line(compared, recipe);
        text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", recipe, line.seeds,
                            textOr(line.meanOf(&RecipeLine::losses), "{:.4f}"),
                            textOr(line.meanOf(&RecipeLine::gaps), "{:+.2f}"), line.gapsText(),
                            textOr(compared.comparison.noisePercent, "{:.2f}"),
                            textOr(line.meanOf(&RecipeLine::underflows), "{:.3g}"),
                            textOr(line.meanOf(&RecipeLine::saturations), "{:.3g}"), line.words);
    }
    return text;
}

Json comparisonJson(const analysis::ExperimentComparison& compared) {
    Json runs = Json::array(), groups = Json::array();
    for (const analysis::ComparedFigures& one : compared.runs) {
        runs.push_back({{"id", one.run.id.value},
                        {"final_loss", jsonOr(one.gap.finalLoss)},
                        {"gap_percent", jsonOr(one.gap.gapPercent)},
                        {"noise_percent", jsonOr(one.gap.noisePercent)},
                        {"tokens_per_s", jsonOr(one.tokensPerSecond)},
                        {"dy_underflow_percent", jsonOr(one.dyUnderflowPercent)},
                        {"saturated_percent", jsonOr(one.saturatedPercent)},
                        {"verdict", one.gap.words},
                        {"name", one.run.name},
                        {"recipe", one.run.recipeName},
                        {"seed", one.run.seed}});
    }
    for (const series::GroupGap& group : compared.comparison.groups) {
        Json interval;
        if (group.interval) interval = {jsonNumber(group.interval->first), jsonNumber(group.interval->second)};
        groups.push_back({{"recipe", group.group},
                          {"seeds", group.seeds},
                          {"gap_percent", jsonOr(group.meanPercent)},
                          {"interval_percent", interval},
                          {"verdict", group.words}});
    }
    const auto& steps = compared.comparison.commonSteps;
    return {{"baseline", compared.baseline ? Json(compared.baseline->value) : Json()},
            {"runs", runs},
            {"groups", groups},
            {"step", steps.empty() ? Json() : jsonNumber(steps.back())},
            {"noise_percent", jsonOr(compared.comparison.noisePercent)},
            {"bar_percent", jsonOr(compared.barPercent)},
            {"experiment", compared.experiment ? Json(compared.experiment->id.value) : Json()}};
}

}  // namespace octet::app
