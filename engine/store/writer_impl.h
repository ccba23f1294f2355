// SPDX-License-Identifier: Apache-2.0
// The inside of a Writer: its connection and what waits in memory for the next commit.
#pragma once

#include <SQLiteCpp/Transaction.h>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/store/connection.h"
#include "engine/store/group_log.h"
#include "engine/store/sqlite_error.h"
#include "engine/store/wal_keeper.h"
#include "engine/store/writer.h"

namespace octet::store {

struct Writer::Impl {
    using Clock = std::chrono::steady_clock;
    struct WaitingEvent {
        RunId run;
        double at = 0;
        Event event;
    };
    struct WaitingExponents {
        RunId run;
        Exponents counts;
    };
    struct CommandChange {
        CommandId id;
        std::string state, why;
    };
    struct Group {
        RunId run;
        GroupLog log;
    };
    struct OpenAttempt {
        AttemptId id;
        RunId run;
    };

    std::unique_ptr<Connection> connection;
    std::unique_ptr<WalKeeper> wal;  // after the connection: it goes first
    WriterOptions options;
    std::map<int64_t, Group> groups;
    std::vector<OpenAttempt> attempts;
    std::vector<WaitingEvent> events;
    std::vector<WaitingExponents> exponents;
    std::vector<CommandChange> commandChanges;
    Clock::time_point lastCommit = Clock::now();
    Clock::time_point lastHeartbeat{};

    /// Runs `work` in one transaction, all or nothing.
    template <typename Work>
    Result<void> inTransaction(Work&& work) {
        return guarded("write", connection->path(), [&]() -> Result<void> {
            SQLite::Transaction transaction(connection->database(), SQLite::TransactionBehavior::IMMEDIATE);
            work();
            transaction.commit();
            return {};
        });
    }
    /// The same for one new row. @return its id
    template <typename IdType, typename Work>
    Result<IdType> newRow(Work&& work) {
        IdType id;
        const auto done = inTransaction([&] { id.value = work(); });
        if (!done) return done.error();
        return id;
    }

    [[nodiscard]] bool heartbeatDue() const;
    [[nodiscard]] bool somethingWaits() const;
    Result<void> commitWaiting(Sealing sealing);
    void writeWaiting(Sealing sealing);
    void writeHeartbeats();
    Result<void> checkpointIfDue();
    void sealWhole(RunId run);
    Result<void> changeCommand(CommandChange change);
    Result<void> flushCommandChanges();
    void writeCommandChanges();
    [[nodiscard]] bool isTaken(CommandId command) const;
};

}  // namespace octet::store
