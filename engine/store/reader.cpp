// SPDX-License-Identifier: Apache-2.0
// Lists of a store: experiments, runs, layers, series, events, exponents, commands. Samples: reader_samples.cpp.
#include "engine/store/reader.h"

#include <algorithm>
#include <cstring>

#include "engine/store/attempts.h"
#include "engine/store/chunk.h"
#include "engine/store/json_text.h"
#include "engine/store/opening.h"
#include "engine/store/reader_impl.h"
#include "engine/store/sqlite_error.h"

namespace octet::store {
namespace {

/// Samples of a group, wherever they lie at this moment.
int64_t samplesIn(Connection& connection, int64_t group) {
    int64_t n = 0;
    connection.each(
        "SELECT max(coalesce((SELECT first + n FROM chunk WHERE grp = ?1 AND channel = ?2 ORDER BY first DESC LIMIT "
        "1), 0),"
        " coalesce((SELECT first + n FROM frame WHERE grp = ?1 ORDER BY first DESC LIMIT 1), 0))",
        [&](const Row& row) { n = row.integer(0); }, group, kStepChannel);
    return n;
}

int64_t recordedSteps(Connection& connection, RunId run) {
    std::vector<int64_t> groups;
    connection.each(
        "SELECT id FROM grp WHERE run = ? AND cadence = 'step'",
        [&](const Row& row) { groups.push_back(row.integer(0)); }, run.value);
    int64_t steps = 0;
    for (const int64_t group : groups)
        steps += samplesIn(connection, group);
    return steps;
}

int recipeChanges(Connection& connection, RunId run) {
    int64_t rows = 0;
    connection.each(
        "SELECT count(*) FROM run_recipe WHERE run = ?", [&](const Row& row) { rows = row.integer(0); }, run.value);
    return static_cast<int>(std::max<int64_t>(0, rows - 1));
}

RunInfo runFrom(const Row& row) {
    RunInfo run;
    run.id = {row.integer(0)};
    run.experiment = {row.integer(1)};
    run.name = row.text(2);
    run.recipeName = row.text(3);
    run.seed = row.integer(4);
    run.plannedSteps = row.integer(5);
    run.baseline = row.integer(6) != 0;
    run.hidden = row.integer(7) != 0;
    run.state = runStateFromName(row.text(8)).value_or(RunState::Failed);
    run.recipe = jsonFromText(row.text(9));
    run.effective = jsonFromText(row.text(10));
    run.environment = jsonFromText(row.text(11));
    return run;
}

Exponents exponentsFrom(const Row& row, const ExponentsOf& of) {
    Exponents read;
    read.layer = of.layer;
    read.operand = of.operand;
    read.step = row.real(0);
    read.counts.assign(256, 0);
    const auto lowest = static_cast<size_t>(std::clamp<int64_t>(row.integer(1), 0, 256));
    const auto stored = row.blob(2);
    const size_t bytes = std::min(stored.size(), (256 - lowest) * sizeof(uint32_t));
    if (bytes > 0) std::memcpy(read.counts.data() + lowest, stored.data(), bytes);
    read.zeros = static_cast<uint64_t>(row.integer(3));
    read.subnormals = static_cast<uint64_t>(row.integer(4));
    read.infinities = static_cast<uint64_t>(row.integer(5));
    read.nans = static_cast<uint64_t>(row.integer(6));
    return read;
}

}  // namespace

Reader::Reader(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
Reader::~Reader() = default;

Result<std::unique_ptr<Reader>> Reader::open(const std::filesystem::path& path, const OpenProbe* probe,
                                             int busyTimeoutMs) {
    ReadOpening how;
    how.probe = probe;
    how.busyTimeoutMs = busyTimeoutMs;
    auto connection = openForReading(path, how);
    if (!connection) return connection.error();
    auto impl = std::make_unique<Impl>();
    impl->connection = std::move(*connection);
    return std::unique_ptr<Reader>(new Reader(std::move(impl)));
}

const std::string& Reader::openingNote() const {
    return m_impl->connection->note();
}

Result<bool> Reader::changed() {
    return guarded("read", m_impl->connection->path(), [&]() -> Result<bool> {
        int64_t version = 0;
        m_impl->connection->each("PRAGMA data_version", [&](const Row& row) { version = row.integer(0); });
        const bool differs = m_impl->dataVersion != version;
        m_impl->dataVersion = version;
        return differs;
    });
}

Result<std::vector<ExperimentInfo>> Reader::experiments() {
    return m_impl->list<ExperimentInfo>([](Connection& connection, auto& out) {
        connection.each("SELECT id, name, spec, bar_percent, created_at FROM experiment ORDER BY id", [&](const Row&
                                                                                                              row) {
            out.push_back({{row.integer(0)}, row.text(1), jsonFromText(row.text(2)), row.optionalReal(3), row.real(4)});
        });
    });
}

Result<std::vector<RunInfo>> Reader::runs(bool withHidden) {
    return m_impl->list<RunInfo>([withHidden](Connection& connection, auto& out) {
        connection.each(
            "SELECT id, experiment, name, recipe_name, seed, planned_steps, baseline, hidden, state, recipe, "
            "effective, "
            "environment FROM run WHERE hidden = 0 OR ? ORDER BY id",
            [&](const Row& row) { out.push_back(runFrom(row)); }, withHidden);
        for (RunInfo& run : out) {
            const ShownState shown = shownState(connection, run.id, run.experiment, run.state);
            run.state = shown.state;
            run.stateNote = shown.note;
            run.steps = recordedSteps(connection, run.id);
            run.recipeChanges = recipeChanges(connection, run.id);
        }
    });
}

Result<std::vector<LayerInfo>> Reader::layers(RunId run) {
    return m_impl->list<LayerInfo>([run](Connection& connection, auto& out) {
        connection.each(
            "SELECT name, out_features, in_features, converted, reason, gemms FROM layer WHERE run = ? ORDER BY id",
            [&](const Row& row) {
                out.push_back({row.text(0), row.integer(1), row.integer(2), row.integer(3) != 0, row.text(4),
                               jsonFromText(row.text(5))});
            },
            run.value);
    });
}

Result<std::vector<SeriesInfo>> Reader::series(RunId run) {
    return m_impl->list<SeriesInfo>([run](Connection& connection, auto& out) {
        connection.each(
            "SELECT series.id, cadence, layer, operand, gemm, statistic, unit FROM series JOIN grp ON grp.id = grp "
            "WHERE run = ? ORDER BY grp, channel",
            [&](const Row& row) {
                const SeriesKey key{row.text(2), row.text(3), row.text(4), row.text(5), row.text(6)};
                out.push_back({{row.integer(0)}, run, row.text(1), key});
            },
            run.value);
    });
}

Result<std::vector<Event>> Reader::events(RunId run) {
    return m_impl->list<Event>([run](Connection& connection, auto& out) {
        connection.each(
            "SELECT kind, step, layer, message, detail FROM event WHERE run = ? ORDER BY id",
            [&](const Row& row) {
                const EventKind kind = eventKindFromName(row.text(0)).value_or(EventKind::Note);
                out.push_back({kind, row.real(1), row.text(2), row.text(3), jsonFromText(row.text(4))});
            },
            run.value);
    });
}

Result<std::vector<ExponentsOf>> Reader::exponentOperands(RunId run) {
    return m_impl->list<ExponentsOf>([run](Connection& connection, auto& out) {
        connection.each(
            "SELECT DISTINCT layer, operand FROM exponents WHERE run = ? ORDER BY layer, operand",
            [&](const Row& row) {
                out.push_back({row.text(0), row.text(1)});
            },
            run.value);
    });
}

Result<std::vector<Exponents>> Reader::exponents(RunId run, const ExponentsOf& of, double fromStep) {
    return m_impl->list<Exponents>([&](Connection& connection, auto& out) {
        connection.each(
            "SELECT step, lowest, counts, zeros, subnormals, infinities, nans FROM exponents "
            "WHERE run = ? AND layer = ? AND operand = ? AND step >= ? ORDER BY step, id",
            [&](const Row& row) { out.push_back(exponentsFrom(row, of)); }, run.value, of.layer, of.operand, fromStep);
    });
}

Result<std::vector<Command>> Reader::openCommands(RunId run) {
    return m_impl->list<Command>([run](Connection& connection, auto& out) {
        const auto last = lastAttemptOf(connection, run);
        if (!last || livenessOf(*last) == Liveness::Gone) return;
        connection.each(
            "SELECT id, verb, argument FROM command WHERE attempt = ? AND state IN ('sent', 'taken') ORDER BY id",
            [&](const Row& row) {
                const auto verb = commandVerbFromName(row.text(1));
                if (verb) out.push_back({{row.integer(0)}, run, *verb, jsonFromText(row.text(2))});
            },
            last->id.value);
    });
}

}  // namespace octet::store
