// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/comparison_sentences.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/recipe/recipe_json.h"
#include "engine/recipe/schema.h"

namespace octet::analysis {
namespace {

/// The run's first event of a kind; without a message when there is none or it isn't wanted.
store::Event firstEvent(const ComparedFigures& one, store::EventKind kind, bool isWanted) {
    const auto event = std::find_if(one.events.begin(), one.events.end(),
                                    [kind](const store::Event& candidate) { return candidate.kind == kind; });
    return isWanted && event != one.events.end() ? *event : store::Event{};
}

}  // namespace

std::vector<std::string> footingSentences(const ExperimentComparison& compared) {
    std::vector<std::string> lines;
    const std::vector<double>& steps = compared.comparison.commonSteps;
    if (steps.empty()) return {"There is no step that all of these runs have yet."};
    const auto longest = std::max_element(compared.runs.begin(), compared.runs.end(),
                                          [](const auto& a, const auto& b) { return a.run.steps < b.run.steps; });
    std::string line = fmt::format("Compared at step {:.0f}, the last that all of these runs have", steps.back());
    if (longest->run.steps > static_cast<int64_t>(steps.size()))
        line += fmt::format(" (\"{}\" has {} steps)", longest->run.name, longest->run.steps);
    lines.push_back(line + "; losses are smoothed with 0.9.");
    const bool isLike = std::none_of(compared.runs.begin(), compared.runs.end(), [](const ComparedFigures& one) {
        return one.gap.verdict == series::Verdict::Refused;
    });
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
    if (compared.comparison.noisePercent && !compared.barPercent && !compared.comparison.tooEarly.empty())
        return compared.comparison.tooEarly;
    if (compared.comparison.noisePercent)
        return fmt::format(
            "Noise: the baseline against itself, start weights perturbed by 1e-6, is up to {:.3f} % apart "
            "over the last {} steps.",
            *compared.comparison.noisePercent, steps);
    if (!compared.baseline) return "There is no baseline among these runs, so there is no gap.";
    if (compared.hasTwin) return "Noise: not known yet, the baseline's A/A run is not as far.";
    return "Noise: not known, there is no A/A run of this baseline.";
}

std::vector<std::string> differenceSentences(const ExperimentComparison& compared) {
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

std::vector<std::string> mechanismSentences(const ExperimentComparison& compared) {
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

}  // namespace octet::analysis
