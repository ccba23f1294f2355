// SPDX-License-Identifier: Apache-2.0
// Commands as the window and the command line see them: sent to the live attempt of a run, or refused.
#include <SQLiteCpp/Transaction.h>
#include <fmt/format.h>

#include "engine/store/attempts.h"
#include "engine/store/json_text.h"
#include "engine/store/opening.h"
#include "engine/store/reader.h"
#include "engine/store/sqlite_error.h"

namespace octet::store {
namespace {

struct Addressee {
    std::string name;
    RunState state = RunState::Queued;
};

std::optional<Addressee> runNamed(Connection& connection, RunId run) {
    std::optional<Addressee> found;
    connection.each(
        "SELECT name, state FROM run WHERE id = ?",
        [&](const Row& row) {
            found = Addressee{row.text(0), runStateFromName(row.text(1)).value_or(RunState::Queued)};
        },
        run.value);
    return found;
}

std::string whyNobodyListens(const Addressee& run, const std::optional<Attempt>& last) {
    if (!last) return fmt::format("Run \"{}\" has not been started.", run.name);
    if (last->ended)
        return fmt::format("Run \"{}\" is {}; nobody works on it any more.", run.name, runStateName(run.state));
    return fmt::format("Run \"{}\" was interrupted: its worker, process {} on {}, is gone.", run.name,
                       last->process.pid, last->process.host);
}

Result<CommandId> insertCommand(Connection& connection, RunId run, CommandVerb verb, const Json& argument) {
    SQLite::Transaction transaction(connection.database(), SQLite::TransactionBehavior::IMMEDIATE);
    const auto addressee = runNamed(connection, run);
    if (!addressee) {
        return Error{ErrorCode::NotFound,
                     fmt::format("There is no run {} in {}.", run.value, connection.path().string()),
                     "`octet-engine runs` lists them."};
    }
    const auto last = lastAttemptOf(connection, run);
    if (!last || livenessOf(*last) == Liveness::Gone) {
        return Error{ErrorCode::Refused, whyNobodyListens(*addressee, last),
                     fmt::format("\"{}\" needs a run that is being trained.", commandVerbName(verb))};
    }
    const double now = unixNow();
    const CommandId id{connection.run(
        "INSERT INTO command(run, attempt, verb, argument, state, sent_at, changed_at) VALUES(?,?,?,?,'sent',?,?)",
        run.value, last->id.value, commandVerbName(verb), jsonText(argument), now, now)};
    transaction.commit();
    return id;
}

std::string statusText(Connection& connection, const std::string& state, const std::string& why, RunId run,
                       AttemptId attempt) {
    if (state == "refused") return "refused: " + why;
    if (state == "done") return state;
    const auto last = lastAttemptOf(connection, run);
    const bool gone = !last || last->id != attempt || livenessOf(*last) == Liveness::Gone;
    return gone ? "refused: the worker it was meant for is gone" : state;
}

}  // namespace

Result<CommandId> sendCommand(const std::filesystem::path& path, RunId run, CommandVerb verb, const Json& argument,
                              int busyTimeoutMs) {
    WriteOpening how;
    how.busyTimeoutMs = busyTimeoutMs;
    auto opened = openForWriting(path, how);
    if (!opened) return opened.error();
    return guarded("write", path, [&] { return insertCommand(**opened, run, verb, argument); });
}

Result<std::string> commandStatus(const std::filesystem::path& path, CommandId command, int busyTimeoutMs) {
    ReadOpening how;
    how.busyTimeoutMs = busyTimeoutMs;
    auto opened = openForReading(path, how);
    if (!opened) return opened.error();
    Connection& connection = **opened;
    return guarded("read", path, [&]() -> Result<std::string> {
        const ReadTransaction reading(connection);
        struct Stored {
            std::string state, why;
            RunId run;
            AttemptId attempt;
        };
        std::optional<Stored> found;
        connection.each(
            "SELECT state, why, run, attempt FROM command WHERE id = ?",
            [&](const Row& row) {
                found = Stored{row.text(0), row.text(1), {row.integer(2)}, {row.integer(3)}};
            },
            command.value);
        if (found) return statusText(connection, found->state, found->why, found->run, found->attempt);
        return Error{ErrorCode::NotFound, fmt::format("There is no command {} in {}.", command.value, path.string()),
                     ""};
    });
}

}  // namespace octet::store
