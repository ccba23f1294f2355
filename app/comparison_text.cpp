// SPDX-License-Identifier: Apache-2.0
#include "app/comparison_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/table.h"
#include "engine/core/text.h"
#include "engine/recipe/recipe_json.h"
#include "engine/recipe/schema.h"

namespace octet::app {
namespace {

using series::Verdict;

std::string textOr(const std::optional<double>& value, const char* format) {
    return value ? fmt::format(fmt::runtime(format), *value) : "-";
}

Json jsonOr(const std::optional<double>& value) {
    return value ? jsonNumber(*value) : Json();
}

std::string runTable(const ExperimentComparison& compared) {
    using enum Table::Align;
    Table table({{"name"},
                 {"final loss", Right},
                 {"gap %", Right},
                 {"noise %", Right},
                 {"tokens/s", Right},
                 {"dy underflow %", Right},
                 {"saturated %", Right},
                 {"verdict"}});
    for (const ComparedFigures& one : compared.runs) {
        const auto speed = one.tokensPerSecond;
        table.addRow({one.run.name, textOr(one.gap.finalLoss, "{:.4f}"),
                      one.gap.verdict == Verdict::Baseline ? "-" : textOr(one.gap.gapPercent, "{:+.2f}"),
                      textOr(one.gap.noisePercent, "{:.2f}"), speed ? groupedDigits(std::llround(*speed)) : "-",
                      textOr(one.dyUnderflowPercent, "{:.3g}"), textOr(one.saturatedPercent, "{:.3g}"), one.gap.words});
    }
    return table.text();
}

/// Where and on what footing the losses were compared.
std::vector<std::string> footing(const ExperimentComparison& compared) {
    std::vector<std::string> lines;
    const std::vector<double>& steps = compared.comparison.commonSteps;
    if (steps.empty()) return {"There is no step that all of these runs have yet."};
    const auto longest = std::max_element(compared.runs.begin(), compared.runs.end(),
                                          [](const auto& a, const auto& b) { return a.run.steps < b.run.steps; });
    std::string line = fmt::format("Compared at step {:.0f}, the last that all of these runs have", steps.back());
    if (longest->run.steps > static_cast<int64_t>(steps.size()))
        line += fmt::format(" (\"{}\" has {} steps)", longest->run.name, longest->run.steps);
    lines.push_back(line + "; losses are smoothed with 0.9.");
    const bool isLike = std::none_of(compared.runs.begin(), compared.runs.end(),
                                     [](const ComparedFigures& one) { return one.gap.verdict == Verdict::Refused; });
    if (isLike && compared.baseline && compared.runs.size() > 1)
        lines.emplace_back(
            "Like for like: model, start weights, data and its order, batch split and library versions "
            "agree with the baseline of the same seed.");
    std::string open;
    for (const ComparedFigures& one : compared.runs) {
        const bool isOpen = one.run.state == store::RunState::Running || one.run.state == store::RunState::Paused ||
                            one.run.state == store::RunState::Queued;
        if (isOpen) open += (open.empty() ? "" : ", ") + one.run.name;
    }
    if (!open.empty()) lines.push_back("Not finished yet: " + open + ".");
    return lines;
}

std::string noiseSentence(const ExperimentComparison& compared) {
    const size_t steps = series::lastTenth(compared.comparison.commonSteps.size());
    if (compared.comparison.noisePercent)
        return fmt::format(
            "Noise: the baseline against itself, start weights perturbed by 1e-6, is up to {:.3f} % apart "
            "over the last {} steps.",
            *compared.comparison.noisePercent, steps);
    if (!compared.baseline)
        return "There is no baseline among these runs, so there is no gap: train with --recipe preset:baseline.";
    if (compared.hasTwin) return "Noise: not known yet, the baseline's A/A run is not as far.";
    return "Noise: not known, there is no A/A run of this baseline.";
}

/// How the FP8 recipes differ from the first of them.
std::vector<std::string> recipeDifferences(const ExperimentComparison& compared) {
    std::vector<std::string> lines, seen;
    std::optional<recipe::Recipe> first;
    for (const ComparedFigures& one : compared.runs) {
        const auto loaded = recipe::recipeFromJson(one.run.recipe, "recipe of run " + one.run.name);
        if (!loaded || loaded->recipe.backend == recipe::Backend::None) continue;
        if (std::find(seen.begin(), seen.end(), loaded->recipe.name) != seen.end()) continue;
        seen.push_back(loaded->recipe.name);
        if (!first) {
            first = loaded->recipe;
            continue;
        }
        std::string list;
        for (const auto& [key, a, b] : recipe::differingFields(*first, loaded->recipe)) {
            if (key == "name") continue;
            list += fmt::format("{}{} {} against {}", list.empty() ? "" : ", ", key, a.empty() ? "none" : a,
                                b.empty() ? "none" : b);
        }
        lines.push_back(fmt::format("{} differs from {} in: {}.", first->name, loaded->recipe.name,
                                    list.empty() ? "nothing but the name" : list));
    }
    return lines;
}

std::vector<std::string> groupSentences(const ExperimentComparison& compared) {
    std::vector<std::string> lines;
    for (const series::GroupGap& group : compared.comparison.groups) {
        if (group.seeds < 2 || !group.interval) continue;
        lines.push_back(fmt::format("{} over {} seeds: mean gap {:+.2f} %, 95 % interval {:+.2f} to {:+.2f} %: {}.",
                                    group.group, group.seeds, *group.meanPercent, group.interval->first,
                                    group.interval->second, group.words));
    }
    return lines;
}

/// The run's first event of a kind; without a message when there is none or it isn't wanted.
store::Event firstEvent(const ComparedFigures& one, store::EventKind kind, bool isWanted) {
    const auto event = std::find_if(one.events.begin(), one.events.end(),
                                    [kind](const store::Event& candidate) { return candidate.kind == kind; });
    return isWanted && event != one.events.end() ? *event : store::Event{};
}

/// What a short run can show: mechanisms that were seen, in the words of the events.
std::vector<std::string> mechanisms(const ExperimentComparison& compared) {
    std::vector<std::string> lines;
    const ComparedFigures *least = nullptr, *most = nullptr;
    for (const ComparedFigures& one : compared.runs) {
        if (!one.dyUnderflowPercent) continue;
        if (!least || *one.dyUnderflowPercent < *least->dyUnderflowPercent) least = &one;
        if (!most || *one.dyUnderflowPercent > *most->dyUnderflowPercent) most = &one;
    }
    if (least != most && *most->dyUnderflowPercent > 1.5 * *least->dyUnderflowPercent)
        lines.push_back(fmt::format("{} flushes {:.3g} % of its gradients dy to zero, {} {:.3g} %.", most->run.name,
                                    *most->dyUnderflowPercent, least->run.name, *least->dyUnderflowPercent));
    std::vector<std::string> seen;  // the cold start is the same for every seed of a recipe
    for (const ComparedFigures& one : compared.runs) {
        const bool isFirst = std::find(seen.begin(), seen.end(), one.run.recipeName) == seen.end();
        seen.push_back(one.run.recipeName);
        for (const store::Event& event : {firstEvent(one, store::EventKind::ColdStart, isFirst),
                                          firstEvent(one, store::EventKind::NotFinite, true)}) {
            if (!event.message.empty())
                lines.push_back(fmt::format("{}, step {:.0f}: {}", one.run.name, event.step, event.message));
        }
    }
    return lines;
}

std::string closing(const ExperimentComparison& compared) {
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

std::string comparisonText(const ExperimentComparison& compared) {
    std::string text;
    if (compared.experiment)
        text += fmt::format("Experiment {} \"{}\"\n\n", compared.experiment->id.value, compared.experiment->name);
    text += runTable(compared) + "\n";
    std::vector<std::string> lines = footing(compared);
    lines.push_back(noiseSentence(compared));
    for (const auto& more : {groupSentences(compared), recipeDifferences(compared), mechanisms(compared)})
        lines.insert(lines.end(), more.begin(), more.end());
    lines.push_back(closing(compared));
    for (const std::string& line : lines)
        if (!line.empty()) text += wrappedText(line, 100) + "\n";
    return text;
}

Json comparisonJson(const ExperimentComparison& compared) {
    Json runs = Json::array(), groups = Json::array();
    for (const ComparedFigures& one : compared.runs) {
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
