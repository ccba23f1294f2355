// SPDX-License-Identifier: Apache-2.0
#include "engine/store/wal_keeper.h"

#include <sqlite3.h>

#include "engine/store/sqlite_error.h"

namespace octet::store {
namespace {

// 32 MiB at 8 KiB a page. Far more than a training run writes in 5 s: only bulk writing comes to it.
constexpr int kMostUnsyncedPages = 4096;

Error checkpointError(Connection& connection, int code) {
    return sqliteError(SQLite::Exception(connection.database().getHandle(), code), "write", connection.path());
}

}  // namespace

WalKeeper::WalKeeper(Connection& connection, double checkpointEveryMs)
    : m_connection(connection), m_every(checkpointEveryMs) {
    sqlite3_wal_hook(connection.database().getHandle(), &WalKeeper::committed, this);  // in place of wal_autocheckpoint
}

WalKeeper::~WalKeeper() {
    sqlite3_wal_hook(m_connection.database().getHandle(), nullptr, nullptr);
}

int WalKeeper::committed(void* keeper, sqlite3*, const char*, int walPages) {
    auto& self = *static_cast<WalKeeper*>(keeper);
    if (walPages < self.m_pages) self.m_pagesSynced = 0;  // the WAL was started anew
    self.m_pages = walPages;
    self.m_hasUnsynced = true;
    self.m_isMerged = false;
    return SQLITE_OK;
}

bool WalKeeper::isDue() const {
    if (!m_hasUnsynced) return false;
    return Clock::now() - m_last >= m_every || m_pages - m_pagesSynced >= kMostUnsyncedPages;
}

Result<void> WalKeeper::checkpoint() {
    int pages = 0, moved = 0;
    const int code = sqlite3_wal_checkpoint_v2(m_connection.database().getHandle(), nullptr, SQLITE_CHECKPOINT_PASSIVE,
                                               &pages, &moved);
    const bool merged = code == SQLITE_OK && pages == moved;
    // A checkpoint that a reader lets move nothing does not sync either.
    const int synced = merged ? SQLITE_OK : syncWal();
    if (code != SQLITE_OK && code != SQLITE_BUSY) return checkpointError(m_connection, code);
    if (synced != SQLITE_OK) return checkpointError(m_connection, synced);
    m_last = Clock::now();
    m_pagesSynced = m_pages;
    m_hasUnsynced = false;
    m_isMerged = merged;
    return {};
}

/// Syncs through SQLite's own handle: the file must not be opened a second time (open_registry.h).
int WalKeeper::syncWal() {
    sqlite3_file* wal = nullptr;
    const int found = sqlite3_file_control(m_connection.database().getHandle(), "main", SQLITE_FCNTL_JOURNAL_POINTER,
                                           static_cast<void*>(&wal));
    if (found != SQLITE_OK || !wal || !wal->pMethods) return found;
    return wal->pMethods->xSync(wal, SQLITE_SYNC_NORMAL | SQLITE_SYNC_DATAONLY);
}

}  // namespace octet::store
