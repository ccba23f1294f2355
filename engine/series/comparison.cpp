// SPDX-License-Identifier: Apache-2.0
#include "engine/series/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/series/smoothing.h"

namespace octet::series {
namespace {

constexpr double kSmoothing = 0.9, kLeastNoisePercent = 0.01;
constexpr size_t kLeastSteps = 30;

/// A run's smoothed loss at the common steps, and where it stopped being a number.
struct Trace {
    std::vector<double> smoothed;         // one per common step
    std::optional<double> notFiniteFrom;  // first step of the non-finite samples that reach the last common step
    bool isNan = false;                   // ... or infinite
};

Trace traceOf(const ComparedRun& run, std::span<const double> steps) {
    const std::vector<double> all = smoothed(run.loss, kSmoothing);
    Trace trace;
    size_t wanted = 0;
    for (size_t i = 0; i < run.step.size() && wanted < steps.size(); ++i) {
        if (std::isfinite(run.loss[i]))
            trace.notFiniteFrom.reset();
        else if (!trace.notFiniteFrom)
            trace.notFiniteFrom = run.step[i];
        trace.isNan = std::isnan(run.loss[i]);
        if (run.step[i] != steps[wanted]) continue;
        trace.smoothed.push_back(all[i]);
        ++wanted;
    }
    return trace;
}

double percentOf(double value, double reference) {
    return 100 * (value - reference) / std::fabs(reference);
}

const ComparedRun* partnerOf(const ComparedRun& run, std::span<const ComparedRun> runs) {
    for (const ComparedRun& other : runs)
        if (other.baseline && !other.twin && other.seed == run.seed) return &other;
    return nullptr;
}

std::vector<double> sharedSteps(std::span<const ComparedRun> runs) {
    std::vector<std::span<const double>> recorded;
    for (const ComparedRun& run : runs)
        if (!run.twin && !run.step.empty()) recorded.emplace_back(run.step);
    return commonSteps(recorded);
}

std::optional<double> twinNoise(const ComparedRun& twin, const ComparedRun& baseline, std::span<const double> steps) {
    const std::span<const double> sources[]{twin.step, steps};
    const std::vector<double> shared = commonSteps(sources);
    if (shared.empty() || shared.back() != steps.back()) return {};
    const Trace a = traceOf(twin, shared), b = traceOf(baseline, shared);
    double noise = 0;
    for (size_t i = shared.size() - lastTenth(shared.size()); i < shared.size(); ++i) {
        const double gap = std::fabs(percentOf(a.smoothed[i], b.smoothed[i]));
        if (!std::isfinite(gap)) return {};
        noise = std::max(noise, gap);
    }
    return noise;
}

std::optional<double> noiseOf(std::span<const ComparedRun> runs, std::span<const double> steps) {
    std::optional<double> noise;
    for (const ComparedRun& run : runs) {
        const ComparedRun* baseline = run.twin ? partnerOf(run, runs) : nullptr;
        if (!baseline || steps.empty()) continue;
        const auto one = twinNoise(run, *baseline, steps);
        if (one) noise = std::max(noise.value_or(0), *one);
    }
    return noise;
}

RunGap refused(RunGap gap, std::string words) {
    gap.verdict = Verdict::Refused;
    gap.words = std::move(words);
    return gap;
}

RunGap notFinite(RunGap gap, const std::string& whose, const Trace& trace) {
    gap.verdict = Verdict::NotFinite;
    gap.words =
        fmt::format("{}loss is {} from step {:.0f} on", whose, trace.isNan ? "NaN" : "infinite", *trace.notFiniteFrom);
    return gap;
}

RunGap gapOf(const ComparedRun& run, std::span<const ComparedRun> runs, std::span<const double> steps) {
    RunGap gap;
    gap.id = run.id;
    if (run.step.empty()) return refused(gap, "no loss recorded yet");
    if (steps.empty()) return refused(gap, "not like for like: no step in common");
    const Trace own = traceOf(run, steps);
    gap.finalLoss = own.smoothed.back();
    if (own.notFiniteFrom) return notFinite(gap, "", own);
    if (run.baseline) {
        gap.gapPercent = 0;
        gap.verdict = Verdict::Baseline;
        gap.words = "baseline";
        return gap;
    }
    const ComparedRun* baseline = partnerOf(run, runs);
    if (!baseline) return refused(gap, fmt::format("not like for like: no baseline with seed {}", run.seed));
    if (baseline->step.empty()) return refused(gap, "the baseline has no loss recorded yet");
    std::string unlike = unlikeness(*baseline, run);
    if (!unlike.empty()) return refused(gap, std::move(unlike));
    const Trace other = traceOf(*baseline, steps);
    if (other.notFiniteFrom) return notFinite(gap, "the baseline's ", other);
    gap.gapPercent = percentOf(own.smoothed.back(), other.smoothed.back());
    return gap;
}

bool isSettled(const RunGap& run) {
    return run.verdict != Verdict::NotEnoughData;
}

const char* verdictWords(Verdict verdict) {
    switch (verdict) {
        case Verdict::WithinNoise:
            return "within noise";
        case Verdict::BeyondNoise:
            return "beyond noise";
        case Verdict::Pass:
            return "PASS";
        case Verdict::Fail:
            return "FAIL";
        default:
            return "NOT ENOUGH DATA";
    }
}

std::string whyTooEarly(size_t steps, std::optional<double> noise) {
    if (steps < kLeastSteps)
        return fmt::format("Too early for a word on the gap: {} common steps of at least {}.", steps, kLeastSteps);
    if (noise && *noise < kLeastNoisePercent)
        return fmt::format(
            "The noise is not known yet: the baseline and its A/A run are still within {} % of each other, so any gap "
            "would look large beside it.",
            kLeastNoisePercent);
    return {};
}

/// What groups are measured by.
struct Measure {
    std::optional<double> noise, bar;
    bool isTooEarly = false;  // for noise
};

Verdict judge(const MeanInterval& gap, size_t seeds, const Measure& by) {
    if (by.bar) return barVerdict(gap, seeds, *by.bar);
    if (!by.noise || by.isTooEarly) return Verdict::NotEnoughData;
    return std::fabs(gap.mean) <= *by.noise ? Verdict::WithinNoise : Verdict::BeyondNoise;
}

/// Members that could not be judged (refused, NaN) keep their own words; the others share the group's.
GroupGap judgeGroup(const std::string& name, std::span<RunGap* const> members, const Measure& by) {
    GroupGap group;
    group.group = name;
    std::vector<double> gaps;
    const RunGap* settled = nullptr;
    for (const RunGap* run : members) {
        if (isSettled(*run))
            settled = settled ? settled : run;
        else
            gaps.push_back(*run->gapPercent);
    }
    group.seeds = static_cast<int64_t>(gaps.size());
    if (!gaps.empty()) {
        const MeanInterval gap = meanInterval(gaps);
        group.meanPercent = gap.mean;
        group.interval = gap.interval;
        group.verdict = judge(gap, gaps.size(), by);
        group.words = verdictWords(group.verdict);
    }
    for (RunGap* run : members) {
        if (isSettled(*run)) continue;
        run->verdict = group.verdict;
        run->words = group.words;
    }
    // One seed that diverged or can't be compared speaks for the recipe: the mean of the rest would flatter it.
    if (settled) {
        group.verdict = settled->verdict;
        group.words = settled->words;
    }
    return group;
}

void judgeGroups(Comparison& comparison, std::span<const ComparedRun* const> shown, std::optional<double> bar) {
    const Measure by{comparison.noisePercent, bar, !comparison.tooEarly.empty()};
    std::vector<std::string> names;
    for (const ComparedRun* run : shown) {
        const bool isKnown = std::find(names.begin(), names.end(), run->group) != names.end();
        if (!run->baseline && !isKnown) names.push_back(run->group);
    }
    for (const std::string& name : names) {
        std::vector<RunGap*> members;
        for (size_t i = 0; i < shown.size(); ++i)
            if (!shown[i]->baseline && shown[i]->group == name) members.push_back(&comparison.runs[i]);
        comparison.groups.push_back(judgeGroup(name, members, by));
    }
}

}  // namespace

Comparison compareRuns(std::span<const ComparedRun> runs, std::optional<double> barPercent) {
    Comparison comparison;
    comparison.commonSteps = sharedSteps(runs);
    comparison.noisePercent = noiseOf(runs, comparison.commonSteps);
    comparison.tooEarly = whyTooEarly(comparison.commonSteps.size(), comparison.noisePercent);
    std::vector<const ComparedRun*> shown;
    for (const ComparedRun& run : runs) {
        if (run.twin) continue;
        shown.push_back(&run);
        comparison.runs.push_back(gapOf(run, runs, comparison.commonSteps));
        comparison.runs.back().noisePercent = comparison.noisePercent;
    }
    judgeGroups(comparison, shown, barPercent);
    return comparison;
}

std::string unlikeness(const ComparedRun& baseline, const ComparedRun& run) {
    std::string differences;
    const auto add = [&](const std::string& difference) {
        differences += (differences.empty() ? "not like for like: " : "; ") + difference;
    };
    if (baseline.seed != run.seed) add(fmt::format("seed {} against {}", baseline.seed, run.seed));
    const auto valueIn = [](const ComparedRun& where, const std::string& key) {
        const auto fact =
            std::find_if(where.facts.begin(), where.facts.end(), [&](const Fact& f) { return f.first == key; });
        return fact == where.facts.end() || fact->second.empty() ? std::string("unknown") : fact->second;
    };
    for (const auto& [key, value] : baseline.facts) {
        const std::string here = valueIn(baseline, key), there = valueIn(run, key);
        if (here != there) add(fmt::format("{} {} against {}", key, here, there));
    }
    for (const auto& [key, value] : run.facts) {
        const bool isNew = valueIn(baseline, key) == "unknown" && !value.empty();
        const bool isListed = std::any_of(baseline.facts.begin(), baseline.facts.end(),
                                          [&, name = key](const Fact& fact) { return fact.first == name; });
        if (isNew && !isListed) add(fmt::format("{} unknown against {}", key, value));
    }
    if (run.recipeChanges > 0) add("the run changed its recipe on the way");
    if (baseline.recipeChanges > 0) add("the baseline changed its recipe on the way");
    return differences;
}

}  // namespace octet::series
