// SPDX-License-Identifier: Apache-2.0
// The worker's side of a store: experiments, runs, samples, events, and the commands sent to it. One writer per
// process and store, used from one thread. No transaction stays open between calls; samples wait in memory until
// commit(), which the trainer calls when commitDue() says so (every 200 ms) and before it ends.
//
// What lasts: when this process dies (kill -9), all that was committed. When the machine does (power loss), all up to
// the last checkpoint; what came later is lost whole commits at a time, newest first, and the store stays intact. The
// first commit() 5 s after a checkpoint makes one, so at most about 5 s are lost; a commit in between waits for no
// disk. endAttempt() of the last open attempt and the end of the Writer make one as well. Readers delay neither commits
// nor what lasts. On a network file system (rollback journal) every commit is on the disk when it returns.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "engine/core/result.h"
#include "engine/store/store_types.h"

namespace octet::store {

struct OpenProbe;

struct WriterOptions {
    bool create = false;            // make a new store, or use an empty file
    int64_t maxPageCount = 0;       // tests: 0 is SQLite's own limit
    int64_t segmentSamples = 2048;  // samples of a group before its frames are sealed into chunks
    double commitEveryMs = 200;
    double checkpointEveryMs = 5000;   // a power loss loses at most about this much
    const OpenProbe* probe = nullptr;  // tests: what the machine says about rights and file systems
};

class Writer {
public:
    [[nodiscard]] static Result<std::unique_ptr<Writer>> open(const std::filesystem::path& path,
                                                              const WriterOptions& options = {});
    ~Writer();
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    /// How the store is kept, when not in the usual way ("on a network file system (NFS): ..."); empty otherwise.
    [[nodiscard]] const std::string& openingNote() const;

    [[nodiscard]] Result<ExperimentId> addExperiment(const NewExperiment& experiment);
    [[nodiscard]] Result<RunId> addRun(const NewRun& run);
    [[nodiscard]] Result<void> addLayers(RunId run, std::span<const NewLayer> layers);

    /// This process begins to work on `run`: host, boot id, pid and start time are stamped, and the run is running.
    /// Refused while another live process works on it. Commands that a dead attempt never took are refused here.
    [[nodiscard]] Result<AttemptId> beginAttempt(RunId run);
    [[nodiscard]] Result<void> setState(RunId run, RunState state);
    /// The end of an attempt, with the state the run is left in. Writes what waits and seals the run's series whole.
    /// After the last open attempt all is on the disk; if that alone fails the attempt has ended all the same.
    [[nodiscard]] Result<void> endAttempt(AttemptId attempt, RunState state);

    /// A recording group: series that get one sample each at the same moments. `cadence` is "step", "update", "eval".
    [[nodiscard]] Result<GroupId> addGroup(RunId run, const std::string& cadence, std::span<const SeriesKey> series);
    /// One sample of every series of the group (order of addGroup). NaN is recorded as NaN. Kept in memory.
    void append(GroupId group, const Axes& at, std::span<const float> values);
    void addEvent(RunId run, const Event& event);
    using Exponents = store::Exponents;
    void addExponents(RunId run, Exponents exponents);
    /// The recipe from `fromStep` on; a second call for the same step replaces the first (addRun made the one of step
    /// 0).
    [[nodiscard]] Result<void> addRunRecipe(RunId run, double fromStep, const Json& recipe, const Json& effective);

    [[nodiscard]] bool commitDue() const;
    /// Writes what waits (frames, events, heartbeat), seals a part of full segments, and makes a checkpoint when that
    /// is due. On failure (disk full, locked) nothing is lost: samples that are not in the store yet keep waiting, and
    /// the next commit tries again what failed.
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
