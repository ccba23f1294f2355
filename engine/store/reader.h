// SPDX-License-Identifier: Apache-2.0
// The reading side of a store: the command line and the window. Opens a file without changing it, reads in short
// transactions, and follows growth: `changed()` costs one PRAGMA data_version.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/core/result.h"
#include "engine/store/store_types.h"

namespace octet::store {

struct ExperimentInfo {
    ExperimentId id;
    std::string name;
    Json spec;
    std::optional<double> barPercent;
    double createdAt = 0;  // Unix seconds
};

struct RunInfo {
    RunId id;
    ExperimentId experiment;
    std::string name;
    std::string recipeName;
    int64_t seed = 0;
    int64_t plannedSteps = 0;
    int64_t steps = 0;  // recorded optimiser steps
    bool baseline = false;
    bool hidden = false;
    RunState state = RunState::Queued;  // Interrupted when the process of its attempt is gone
    std::string stateNote;              // e.g. "no sign since 12:03:11" for an attempt on another host
    int recipeChanges = 0;              // run_recipe rows beyond the first
    Json recipe, effective, environment;
};

struct LayerInfo {
    std::string name;
    int64_t outFeatures = 0, inFeatures = 0;
    bool converted = false;
    std::string reason;
    Json gemms;
};

struct SeriesInfo {
    SeriesId id;
    RunId run;
    std::string cadence;
    SeriesKey key;
};

/// Samples of one series, oldest first; the vectors have one length.
struct SeriesData {
    std::vector<double> step, tokens, wallTime;
    std::vector<float> value;
};

/// Operands of a run whose exponents were counted.
struct ExponentsOf {
    std::string layer, operand;
    bool operator==(const ExponentsOf&) const = default;
};

/// How long a connection waits for a lock before it says Busy; a window waits shorter.
constexpr int kBusyTimeoutMs = 5000;

struct OpenProbe;  // opening.h: tests replace what the machine says about rights and file systems

class Reader {
public:
    [[nodiscard]] static Result<std::unique_ptr<Reader>> open(const std::filesystem::path& path,
                                                              const OpenProbe* probe = nullptr,
                                                              int busyTimeoutMs = kBusyTimeoutMs);
    ~Reader();
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    /// True when another connection has committed since the last call (and on the first call).
    [[nodiscard]] Result<bool> changed();
    /// How the file could be opened, when not in the usual way ("read-only copy: ..."); empty otherwise.
    [[nodiscard]] const std::string& openingNote() const;

    [[nodiscard]] Result<std::vector<ExperimentInfo>> experiments();
    [[nodiscard]] Result<std::vector<RunInfo>> runs(bool withHidden = false);
    [[nodiscard]] Result<std::vector<LayerInfo>> layers(RunId run);
    [[nodiscard]] Result<std::vector<SeriesInfo>> series(RunId run);
    /// Samples with index >= `from` within the series (for following growth pass the size read so far).
    [[nodiscard]] Result<SeriesData> samples(SeriesId series, int64_t from = 0);
    [[nodiscard]] Result<std::vector<Event>> events(RunId run);
    [[nodiscard]] Result<std::vector<ExponentsOf>> exponentOperands(RunId run);
    /// Counts of one operand, oldest first, of steps >= `fromStep`.
    [[nodiscard]] Result<std::vector<Exponents>> exponents(RunId run, const ExponentsOf& of, double fromStep = 0);
    /// Commands that a live attempt of `run` has not finished yet, oldest first.
    [[nodiscard]] Result<std::vector<Command>> openCommands(RunId run);

private:
    struct Impl;
    explicit Reader(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

/// Sends a command to the running attempt of `run`; refused with a sentence when no attempt of it is alive.
[[nodiscard]] Result<CommandId> sendCommand(const std::filesystem::path& path, RunId run, CommandVerb verb,
                                            const Json& argument = nullptr, int busyTimeoutMs = kBusyTimeoutMs);

/// "sent", "taken", "done", "refused: why" of a command.
[[nodiscard]] Result<std::string> commandStatus(const std::filesystem::path& path, CommandId command,
                                                int busyTimeoutMs = kBusyTimeoutMs);

}  // namespace octet::store
