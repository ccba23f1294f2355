// SPDX-License-Identifier: Apache-2.0
// The public side of Writer; commits are in writer_commit.cpp, commands in writer_commands.cpp.
#include "engine/store/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "engine/store/attempts.h"
#include "engine/store/json_text.h"
#include "engine/store/opening.h"
#include "engine/store/writer_impl.h"

namespace octet::store {
namespace {

constexpr double kFreshHeartbeatSeconds = 30;

std::optional<Error> busyError(Connection& connection, RunId run) {
    const auto last = lastAttemptOf(connection, run);
    if (!last) return std::nullopt;
    const Liveness liveness = livenessOf(*last);
    const bool fresh = unixNow() - last->heartbeatAt < kFreshHeartbeatSeconds;
    if (liveness == Liveness::Gone || (liveness == Liveness::Elsewhere && !fresh)) return std::nullopt;
    return Error{
        ErrorCode::Refused,
        fmt::format("Run {} is being worked on by process {} on {}.", run.value, last->process.pid, last->process.host),
        "Wait for it or stop it first."};
}

int64_t insertAttempt(Connection& connection, RunId run) {
    const ProcessIdentity self = currentProcess();
    const double now = unixNow();
    connection.run(
        "UPDATE command SET state = 'refused', why = 'the worker it was meant for is gone', changed_at = ? "
        "WHERE run = ? AND state IN ('sent', 'taken')",
        now, run.value);
    connection.run("UPDATE run SET state = ? WHERE id = ?", runStateName(RunState::Running), run.value);
    return connection.run(
        "INSERT INTO attempt(run, host, boot_id, pid, process_start, started_at, heartbeat_at) VALUES(?,?,?,?,?,?,?)",
        run.value, self.host, self.bootId, self.pid, self.startTicks, now, now);
}

void insertRunRecipe(Connection& connection, RunId run, double fromStep, const Json& recipe, const Json& effective) {
    connection.run(
        "INSERT INTO run_recipe(run, from_step, recipe, effective) VALUES(?,?,?,?) "
        "ON CONFLICT(run, from_step) DO UPDATE SET recipe = excluded.recipe, effective = excluded.effective",
        run.value, fromStep, jsonText(recipe), jsonText(effective));
}

}  // namespace

Writer::Writer(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}

Writer::~Writer() {
    // What waits is written if it can be; nobody is left to hear why it can't. The checkpoint makes the file complete
    // on its own, also while a reader keeps the WAL alive.
    (void)m_impl->commitWaiting(Sealing::Part);
    (void)m_impl->wal->checkpoint();
}

Result<std::unique_ptr<Writer>> Writer::open(const std::filesystem::path& path, const WriterOptions& options) {
    WriteOpening how;
    how.create = options.create;
    how.maxPageCount = options.maxPageCount;
    how.probe = options.probe;
    how.syncEachCommit = false;
    auto connection = openForWriting(path, how);
    if (!connection) return connection.error();
    auto impl = std::make_unique<Impl>();
    impl->connection = std::move(*connection);
    impl->wal = std::make_unique<WalKeeper>(*impl->connection, options.checkpointEveryMs);
    impl->options = options;
    return std::unique_ptr<Writer>(new Writer(std::move(impl)));
}

const std::string& Writer::openingNote() const {
    return m_impl->connection->note();
}

Result<ExperimentId> Writer::addExperiment(const NewExperiment& experiment) {
    return m_impl->newRow<ExperimentId>([&] {
        return m_impl->connection->run("INSERT INTO experiment(name, spec, bar_percent, created_at) VALUES(?,?,?,?)",
                                       experiment.name, jsonText(experiment.spec), experiment.barPercent, unixNow());
    });
}

Result<RunId> Writer::addRun(const NewRun& run) {
    return m_impl->newRow<RunId>([&] {
        Connection& connection = *m_impl->connection;
        const RunId id{connection.run(
            "INSERT INTO run(experiment, name, recipe_name, recipe, effective, seed, planned_steps, baseline, hidden, "
            "state, environment, created_at) VALUES(?,?,?,?,?,?,?,?,?,?,?,?)",
            run.experiment.value, run.name, run.recipeName, jsonText(run.recipe), jsonText(run.effective), run.seed,
            run.plannedSteps, run.baseline, run.hidden, runStateName(RunState::Queued), jsonText(run.environment),
            unixNow())};
        insertRunRecipe(connection, id, 0, run.recipe, run.effective);
        return id.value;
    });
}

Result<void> Writer::addLayers(RunId run, std::span<const NewLayer> layers) {
    return m_impl->inTransaction([&] {
        for (const NewLayer& layer : layers) {
            m_impl->connection->run(
                "INSERT INTO layer(run, name, out_features, in_features, converted, reason, gemms) "
                "VALUES(?,?,?,?,?,?,?)",
                run.value, layer.name, layer.outFeatures, layer.inFeatures, layer.converted, layer.reason,
                jsonText(layer.gemms));
        }
    });
}

Result<void> Writer::addRunRecipe(RunId run, double fromStep, const Json& recipe, const Json& effective) {
    return m_impl->inTransaction([&] { insertRunRecipe(*m_impl->connection, run, fromStep, recipe, effective); });
}

Result<AttemptId> Writer::beginAttempt(RunId run) {
    std::optional<Error> refused;
    auto id = m_impl->newRow<AttemptId>([&]() -> int64_t {
        refused = busyError(*m_impl->connection, run);
        return refused ? 0 : insertAttempt(*m_impl->connection, run);
    });
    if (refused) return *refused;
    if (id) m_impl->attempts.push_back({*id, run});
    return id;
}

Result<void> Writer::setState(RunId run, RunState state) {
    return m_impl->inTransaction(
        [&] { m_impl->connection->run("UPDATE run SET state = ? WHERE id = ?", runStateName(state), run.value); });
}

Result<void> Writer::endAttempt(AttemptId attempt, RunState state) {
    auto& attempts = m_impl->attempts;
    const auto open =
        std::find_if(attempts.begin(), attempts.end(), [&](const auto& one) { return one.id == attempt; });
    if (open == attempts.end()) {
        return Error{ErrorCode::Refused, fmt::format("Attempt {} is not one of this worker's.", attempt.value), ""};
    }
    const RunId run = open->run;
    if (auto written = m_impl->commitWaiting(Sealing::Part); !written) return written;
    m_impl->sealWhole(run);
    auto ended = m_impl->inTransaction([&] {
        const double now = unixNow();
        m_impl->connection->run("UPDATE attempt SET ended_at = ?, heartbeat_at = ? WHERE id = ?", now, now,
                                attempt.value);
        m_impl->connection->run(
            "UPDATE command SET state = 'refused', why = 'the run ended first', changed_at = ? "
            "WHERE attempt = ? AND state = 'sent'",
            now, attempt.value);
        m_impl->connection->run("UPDATE run SET state = ? WHERE id = ?", runStateName(state), run.value);
    });
    if (!ended) return ended;
    attempts.erase(open);
    return attempts.empty() ? m_impl->wal->checkpoint() : ended;
}

Result<GroupId> Writer::addGroup(RunId run, const std::string& cadence, std::span<const SeriesKey> series) {
    auto id = m_impl->newRow<GroupId>([&] {
        Connection& connection = *m_impl->connection;
        const int64_t group = connection.run("INSERT INTO grp(run, cadence) VALUES(?,?)", run.value, cadence);
        int64_t channel = 0;
        for (const SeriesKey& key : series) {
            connection.run(
                "INSERT INTO series(grp, channel, layer, operand, gemm, statistic, unit) VALUES(?,?,?,?,?,?,?)", group,
                channel++, key.layer, key.operand, key.gemm, key.statistic, key.unit);
        }
        return group;
    });
    if (id) {
        GroupLog log(*id, series.size(), m_impl->options.segmentSamples);
        m_impl->groups.emplace(id->value, Impl::Group{run, std::move(log)});
    }
    return id;
}

void Writer::append(GroupId group, const Axes& at, std::span<const float> values) {
    const auto found = m_impl->groups.find(group.value);
    if (found == m_impl->groups.end()) throw std::invalid_argument("append to a group that this writer did not add");
    found->second.log.append(at, values);
}

void Writer::addEvent(RunId run, const Event& event) {
    m_impl->events.push_back({run, unixNow(), event});
}

void Writer::addExponents(RunId run, Exponents exponents) {
    if (exponents.counts.size() != 256) throw std::invalid_argument("exponent counts have 256 bins");
    m_impl->exponents.push_back({run, std::move(exponents)});
}

bool Writer::commitDue() const {
    const std::chrono::duration<double, std::milli> since = Impl::Clock::now() - m_impl->lastCommit;
    return since.count() >= m_impl->options.commitEveryMs;
}

Result<void> Writer::commit() {
    const auto written = m_impl->commitWaiting(Sealing::Part);
    const auto kept = m_impl->checkpointIfDue();  // also on failure: earlier commits must not wait for it
    return written ? kept : written;
}

}  // namespace octet::store
