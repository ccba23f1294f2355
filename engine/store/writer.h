// SPDX-License-Identifier: Apache-2.0
// The worker's side of a store: experiments, runs, samples, events, and the commands sent to it. One writer per
// process and store, used from one thread. No transaction stays open between calls; samples wait in memory until
// commit(), which the trainer calls when commitDue() says so (every 200 ms) and before it ends.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "engine/core/result.h"
#include "engine/store/store_types.h"

namespace octet::store {

struct WriterOptions {
    bool create = false;            // make a new store, or use an empty file
    int64_t maxPageCount = 0;       // tests: 0 is SQLite's own limit
    int64_t segmentSamples = 2048;  // samples of a group before its frames are sealed into chunks
    double commitEveryMs = 200;
};

class Writer {
public:
    [[nodiscard]] static Result<std::unique_ptr<Writer>> open(const std::filesystem::path& path,
                                                              const WriterOptions& options = {});
    ~Writer();
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    [[nodiscard]] Result<ExperimentId> addExperiment(const NewExperiment& experiment);
    [[nodiscard]] Result<RunId> addRun(const NewRun& run);
    [[nodiscard]] Result<void> addLayers(RunId run, std::span<const NewLayer> layers);

    /// This process begins to work on `run`: host, boot id, pid and start time are stamped.
    [[nodiscard]] Result<AttemptId> beginAttempt(RunId run);
    [[nodiscard]] Result<void> setState(RunId run, RunState state);
    /// The end of an attempt, with the state the run is left in.
    [[nodiscard]] Result<void> endAttempt(AttemptId attempt, RunState state);

    /// A recording group: series that get one sample each at the same moments. `cadence` is "step", "update", "eval".
    [[nodiscard]] Result<GroupId> addGroup(RunId run, const std::string& cadence, std::span<const SeriesKey> series);
    /// One sample of every series of the group (order of addGroup). NaN is recorded as NaN. Kept in memory.
    void append(GroupId group, const Axes& at, std::span<const float> values);
    void addEvent(RunId run, const Event& event);
    /// Counts of fp32 exponents of one operand: 256 bins (biased exponent) of finite normal values, and four others apart.
    struct Exponents {
        std::string layer, operand;
        double step = 0;
        std::vector<uint32_t> counts;  // 256, index = biased exponent; [0] and [255] are 0
        uint64_t zeros = 0, subnormals = 0, infinities = 0, nans = 0;
    };
    void addExponents(RunId run, Exponents exponents);
    [[nodiscard]] Result<void> addRunRecipe(RunId run, double fromStep, const Json& recipe, const Json& effective);

    [[nodiscard]] bool commitDue() const;
    /// Writes what waits (frames, events, heartbeat), and seals a part of full segments. On failure (disk full, locked)
    /// nothing is lost: the samples keep waiting and the next commit tries again.
    [[nodiscard]] Result<void> commit();

    /// Commands sent to this process's open attempts since the last call, oldest first; they become "taken".
    [[nodiscard]] Result<std::vector<Command>> takeCommands();
    [[nodiscard]] Result<void> finishCommand(CommandId command);
    [[nodiscard]] Result<void> refuseCommand(CommandId command, const std::string& why);

private:
    struct Impl;
    explicit Writer(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

}  // namespace octet::store
