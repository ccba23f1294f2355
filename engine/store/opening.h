// SPDX-License-Identifier: Apache-2.0
// The rules by which a store is opened (DESIGN section 4): sniff first, never change what is only read, refuse newer
// versions untouched, read-only places without a WAL as immutable, and rollback journals on network file systems.
#pragma once

#include <filesystem>
#include <memory>
#include <span>

#include "engine/core/result.h"
#include "engine/store/connection.h"
#include "engine/store/open_probe.h"
#include "engine/store/reader.h"
#include "engine/store/schema.h"

namespace octet::store {

struct WriteOpening {
    bool create = false;       // make a new store, or use an empty file
    int64_t maxPageCount = 0;  // 0: SQLite's own limit
    /// Every commit is on the disk when it returns. False: in WAL it needs a checkpoint for that (see wal_keeper.h).
    bool syncEachCommit = true;
    std::span<const Migration> migrations = storeMigrations();
    const OpenProbe* probe = nullptr;  // nullptr: the machine's
    int busyTimeoutMs = kBusyTimeoutMs;
};

/// A connection that writes; the schema is brought to the newest version of `migrations`.
[[nodiscard]] Result<std::unique_ptr<Connection>> openForWriting(const std::filesystem::path& path,
                                                                 const WriteOpening& how = {});

struct ReadOpening {
    std::span<const Migration> migrations = storeMigrations();
    const OpenProbe* probe = nullptr;
    int busyTimeoutMs = kBusyTimeoutMs;
};

/// A connection that only reads. The file is not changed, and nothing stays beside it that was not there.
[[nodiscard]] Result<std::unique_ptr<Connection>> openForReading(const std::filesystem::path& path,
                                                                 const ReadOpening& how = {});

}  // namespace octet::store
