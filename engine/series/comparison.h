// SPDX-License-Identifier: Apache-2.0
// How far runs are from their baseline, and what may honestly be said about it. Pure functions on plain structs.
//
// Definitions (DESIGN sections 5 and 9):
//  - Common steps: the steps at which every compared run that has any loss recorded one. The hidden twin doesn't count.
//  - final_loss: training loss smoothed with 0.9 over the run's own steps, at the last common step.
//  - gap_percent: 100 (final_loss - baseline's) / |baseline's|, against the baseline run of the same seed.
//  - noise_percent: the hidden A/A twin is the baseline again, its start weights perturbed by 1e-6. Noise is the
//  largest
//    |gap_percent| of the twin over the last tenth of the common steps, at least the last 10 of them (fewer: all).
//    With several twins it is the largest of theirs.
//  - Without a bar nothing is judged before 30 common steps (three times the reach of the smoothing), nor against a
//  noise
//    below 0.01 %: then the twin's perturbation has not grown yet, and any gap would look large beside it. (Measured on
//    two small models: 300 steps grow 1e-6 to 0.00 to 0.14 %.)
//  - Several seeds of one recipe form a group: mean gap, and from 2 seeds on its 95 % t interval. The verdict is the
//    group's.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace octet::series {

/// A statement that must agree before two losses may be compared: {"data hash", "9f2c"}.
using Fact = std::pair<std::string, std::string>;

struct ComparedRun {
    int64_t id = 0;
    std::string name;
    std::string group;  // seeds of one recipe share it
    int64_t seed = 0;
    bool baseline = false;  // one for each seed
    bool twin = false;      // the hidden A/A run of the baseline with the same seed
    int recipeChanges = 0;
    std::vector<Fact> facts;   // model, data hash, order hash, batch split, versions, ...; the seed is compared apart
    std::vector<double> step;  // ascending
    std::vector<float> loss;   // as long as step
};

enum class Verdict { Baseline, WithinNoise, BeyondNoise, Pass, Fail, NotEnoughData, NotFinite, Refused };

/// One group's gap over its seeds.
struct GroupGap {
    std::string group;
    int64_t seeds = 0;  // with a gap
    std::optional<double> meanPercent;
    std::optional<std::pair<double, double>> interval;  // 95 %, t distribution; from 2 seeds on
    Verdict verdict = Verdict::NotEnoughData;
    std::string words;  // "within noise", "PASS", "NOT ENOUGH DATA", ...
};

struct RunGap {
    int64_t id = 0;
    std::optional<double> finalLoss;   // NaN where the loss is; nullopt without common steps
    std::optional<double> gapPercent;  // nullopt when refused or not finite
    std::optional<double> noisePercent;
    Verdict verdict = Verdict::NotEnoughData;
    std::string words;
};

struct Comparison {
    std::vector<double> commonSteps;
    std::optional<double> noisePercent;
    std::string tooEarly;          // why gap and noise say nothing yet, one sentence; empty: they do
    std::vector<RunGap> runs;      // same order as the input without twins
    std::vector<GroupGap> groups;  // in order of appearance; the baseline's is not among them
};

/// @param barPercent  the largest gap the user accepts, fixed beforehand
[[nodiscard]] Comparison compareRuns(std::span<const ComparedRun> runs, std::optional<double> barPercent);

/// Why the two may not be compared, "not like for like: data hash 9f2c against 51aa; ..."; empty when they may.
[[nodiscard]] std::string unlikeness(const ComparedRun& baseline, const ComparedRun& run);

/// Steps that every one of `runs` has; the vectors are ascending.
[[nodiscard]] std::vector<double> commonSteps(std::span<const std::span<const double>> runs);

/// How many of the last of `steps` a statement about "the last tenth" uses: a tenth, at least 10, at most all.
[[nodiscard]] size_t lastTenth(size_t steps);

/// Mean and, from two values on, the 95 % interval of the mean by Student's t.
struct MeanInterval {
    double mean = 0;
    std::optional<std::pair<double, double>> interval;
};
[[nodiscard]] MeanInterval meanInterval(std::span<const double> values);

/// PASS or FAIL only from 5 seeds on (mean against the bar) or when the interval is clear of the bar.
[[nodiscard]] Verdict barVerdict(const MeanInterval& gap, size_t seeds, double barPercent);

/// The middle value (mean of two for an even count), ignoring what is not finite; nullopt when nothing is left.
[[nodiscard]] std::optional<double> median(std::vector<double> values);

/// Samples of one operand with its number of elements as weight.
struct WeightedSamples {
    std::span<const double> step;
    std::span<const float> value;
    double weight = 0;
};

/// Mean over all finite samples with step in [from, to], each weighted by its operand; nullopt when there are none.
[[nodiscard]] std::optional<double> weightedMean(std::span<const WeightedSamples> operands, double from, double to);

}  // namespace octet::series
