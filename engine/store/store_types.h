// SPDX-License-Identifier: Apache-2.0
// Values that go into and come out of a store (`*.octet`). DESIGN: samples in frames, sealed into chunks; commands
// address an attempt; everything else are plain rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/json.h"

namespace octet::store {

/// Row ids, typed so that a run can't be taken for a series.
template <typename Tag>
struct Id {
    int64_t value = 0;
    [[nodiscard]] bool valid() const { return value > 0; }
    auto operator<=>(const Id&) const = default;
};
using ExperimentId = Id<struct ExperimentTag>;
using RunId = Id<struct RunTag>;
using AttemptId = Id<struct AttemptTag>;
using GroupId = Id<struct GroupTag>;
using SeriesId = Id<struct SeriesTag>;
using CommandId = Id<struct CommandTag>;

enum class RunState { Queued, Running, Paused, Done, Stopped, Failed, Interrupted };
[[nodiscard]] const char* runStateName(RunState state);  // "queued", "running", ...
[[nodiscard]] std::optional<RunState> runStateFromName(std::string_view name);

struct NewExperiment {
    std::string name;
    Json spec;  // the run spec, every field written out
    std::optional<double> barPercent;
};

struct NewRun {
    ExperimentId experiment;
    std::string name;  // e.g. "hybrid-16"; with several seeds "hybrid-16 seed 2"
    std::string recipeName;
    Json recipe;     // octet_recipe document
    Json effective;  // what trains: plan, notes
    int64_t seed = 0;
    int64_t plannedSteps = 0;
    bool baseline = false;  // the run that gaps are measured against
    bool hidden = false;    // the A/A twin of the baseline
    Json environment;       // versions, device, threads, data hash, order hash, tokens per step, entropies, ...
};

/// One Linear of a run, as decided before the first step.
struct NewLayer {
    std::string name;
    int64_t outFeatures = 0;
    int64_t inFeatures = 0;
    bool converted = false;
    std::string reason;
    Json gemms;  // {"fprop": "E4M3 x E4M3", "dgrad": "BF16", ...}: what ran
};

/// A series is found by these columns, never by a composed name. Empty columns mean "of the run".
struct SeriesKey {
    std::string layer;
    std::string operand;  // input, weight, grad_output, or ""
    std::string gemm;
    std::string statistic;  // amax, scale, underflows%, ..., loss
    std::string unit;
    bool operator==(const SeriesKey&) const = default;
};

/// One point on the three axes of a recording group.
struct Axes {
    double step = 0;      // optimiser step, from 0
    double tokens = 0;    // tokens seen when the sample was taken
    double wallTime = 0;  // seconds since the run began, pauses left out
};

enum class EventKind { ColdStart, NotFinite, RecipeChange, Paused, Resumed, Stopped, Finished, Failed, Note };
[[nodiscard]] const char* eventKindName(EventKind kind);  // "cold_start", "not_finite", ...
[[nodiscard]] std::optional<EventKind> eventKindFromName(std::string_view name);

struct Event {
    EventKind kind = EventKind::Note;
    double step = 0;
    std::string layer;    // may be empty
    std::string message;  // one sentence for people
    Json detail;          // may be null
};

/// Counts of fp32 exponents of one operand: 256 bins (biased exponent) of finite normal values, and four others apart.
struct Exponents {
    std::string layer, operand;
    double step = 0;
    std::vector<uint32_t> counts;  // 256, index = biased exponent; [0] and [255] are 0
    uint64_t zeros = 0, subnormals = 0, infinities = 0, nans = 0;
    bool operator==(const Exponents&) const = default;
};

enum class CommandVerb { Pause, Resume, Stop, Checkpoint, SetRecipe };
[[nodiscard]] const char* commandVerbName(CommandVerb verb);  // "pause", "resume", "stop", "checkpoint", "recipe"
[[nodiscard]] std::optional<CommandVerb> commandVerbFromName(std::string_view name);

struct Command {
    CommandId id;
    RunId run;
    CommandVerb verb = CommandVerb::Pause;
    Json argument;  // SetRecipe: the recipe document
};

}  // namespace octet::store
