// SPDX-License-Identifier: Apache-2.0
// Brings what a writer committed to the disk for good, every few seconds. In WAL with synchronous NORMAL a commit waits
// for no disk; what makes it safe from a power loss is a sync of the WAL, which comes with a checkpoint. Checkpoints
// are PASSIVE: they wait for nobody, and leave in the WAL what a reader or another checkpoint keeps there. SQLite's own
// ones (wal_autocheckpoint) are off: they come in any commit and hide their errors. Used from the Writer's thread.
#pragma once

#include <chrono>

#include "engine/core/result.h"
#include "engine/store/connection.h"

namespace octet::store {

class WalKeeper {
public:
    /// @param connection  outlives this; without WAL nothing is ever due
    WalKeeper(Connection& connection, double checkpointEveryMs);
    ~WalKeeper();
    WalKeeper(const WalKeeper&) = delete;
    WalKeeper& operator=(const WalKeeper&) = delete;

    /// True when something was committed since the last checkpoint, and that was long ago or the WAL grew much since.
    [[nodiscard]] bool isDue() const;
    /// Syncs all that was committed, and moves it into the file as far as readers allow. When this fails nothing is
    /// lost, and it stays due.
    [[nodiscard]] Result<void> checkpoint();
    /// True when all of the WAL is in the file: the next transaction starts it anew, at the cost of one sync.
    [[nodiscard]] bool isMerged() const { return m_isMerged; }

private:
    using Clock = std::chrono::steady_clock;
    static int committed(void* keeper, sqlite3* database, const char* name, int walPages);
    [[nodiscard]] int syncWal();

    Connection& m_connection;
    std::chrono::duration<double, std::milli> m_every;
    Clock::time_point m_last = Clock::now();  // checkpoint that succeeded
    int m_pages = 0;                          // in the WAL after the last commit
    int m_pagesSynced = 0;                    // of those, at the last checkpoint
    bool m_hasUnsynced = false;
    bool m_isMerged = false;
};

}  // namespace octet::store
