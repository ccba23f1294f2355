// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <system_error>

#include "engine/store/opening.h"
#include "engine/store/opening_shared.h"
#include "engine/store/sniff.h"
#include "engine/store/sqlite_error.h"

namespace octet::store {
namespace fs = std::filesystem;

namespace {

constexpr const char* kSettings =
    "PRAGMA foreign_keys = ON;"
    "PRAGMA secure_delete = OFF;"  // Debian's default zeroes every deleted page
    "PRAGMA synchronous = FULL;"
    "PRAGMA journal_size_limit = 33554432;"
    "PRAGMA cache_size = -16384;";

Error noRightError(const fs::path& place, const char* kind) {
    return {ErrorCode::Unreadable, fmt::format("Cannot write to the {} {}: no permission.", kind, place.string()),
            "A store needs a file and a folder that can be written; check their rights or name another place."};
}

/// SQLite needs the folder too, for the files beside the store.
std::optional<Error> rightsError(const fs::path& path, const OpenProbe& probe) {
    std::error_code none;
    if (fs::exists(path, none) && !probe.writable(path)) return noRightError(path, "store");
    if (!probe.writable(folderOf(path))) return noRightError(folderOf(path), "folder");
    return std::nullopt;
}

/// Takes an empty file away again when the store in it could not be made.
class NewFile {
public:
    explicit NewFile(const fs::path& path) : m_path(path) {
        const int file = ::open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
        m_failure = file < 0 ? errno : 0;
        m_made = file >= 0;
        if (m_made) ::close(file);
    }
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;
    ~NewFile() {
        std::error_code none;
        if (m_made && !m_kept && fs::file_size(m_path, none) == 0) fs::remove(m_path, none);
    }
    [[nodiscard]] bool failed() const { return m_failure != 0 && m_failure != EEXIST; }
    [[nodiscard]] int failure() const { return m_failure; }
    void keep() { m_kept = true; }

private:
    fs::path m_path;
    int m_failure = 0;
    bool m_made = false;
    bool m_kept = false;
};

/// WAL on local file systems, a rollback journal elsewhere. The mode is part of the file: set only when it differs.
void setJournal(SQLite::Database& database, bool onNetwork) {
    const std::string wanted = onNetwork ? "delete" : "wal";
    if (database.execAndGet("PRAGMA journal_mode").getString() == wanted) return;
    database.execAndGet("PRAGMA journal_mode = " + wanted);
}

std::optional<Error> prepare(SQLite::Database& database, const fs::path& path, const WriteOpening& how,
                             bool onNetwork) {
    database.exec("PRAGMA page_size = 8192");  // counts only while the file is empty
    database.exec(kSettings);
    const bool empty = database.execAndGet("PRAGMA page_count").getInt64() == 0;
    if (!(empty && how.create)) {
        if (auto wrong = contentError(database, path, how.migrations)) return wrong;
    }
    if (how.maxPageCount > 0) database.execAndGet(fmt::format("PRAGMA max_page_count = {}", how.maxPageCount));
    // The schema comes before WAL, so that the file's own header always names the application and the version.
    const int version = database.execAndGet("PRAGMA user_version").getInt();
    const bool older = version < how.migrations.back().version;
    const Migration* failing = nullptr;
    try {
        if (older) migrate(database, how.migrations, failing);
    } catch (const SQLite::Exception& failure) {
        if (empty || !failing) throw;
        const Error cause = sqliteError(failure, "write", path);
        return Error{ErrorCode::Failed,
                     fmt::format("{} could not be brought from schema version {} to {} (\"{}\"): {}", path.string(),
                                 version, failing->version, failing->what, cause.message),
                     "Nothing was changed and the runs are all there; keep using the older Octet and report this."};
    }
    setJournal(database, onNetwork);
    // NORMAL keeps a store intact in WAL alone; with a rollback journal a power loss could damage it.
    const bool inWal = database.execAndGet("PRAGMA journal_mode").getString() == "wal";
    if (inWal && !how.syncEachCommit) database.exec("PRAGMA synchronous = NORMAL");
    if (older && !empty && !onNetwork) database.execAndGet("PRAGMA wal_checkpoint(TRUNCATE)");
    return std::nullopt;
}

Result<std::unique_ptr<Connection>> openPrepared(const fs::path& path, const WriteOpening& how,
                                                 const OpenProbe& probe) {
    const auto sniffed = [&]() -> Result<void> {
        const auto empty = sniffStore(path, how.migrations.back().version);
        if (!empty) return empty.error();
        if (*empty && !how.create) return emptyFileError(path);
        return {};
    };
    auto lease = OpenLease::acquire(path, sniffed);
    if (!lease) return lease.error();
    Connection::Parts parts;
    parts.lease = std::move(*lease);
    parts.path = path;
    parts.note = networkNote(probe, path);
    parts.database = std::make_unique<SQLite::Database>(path.string(), SQLite::OPEN_READWRITE, how.busyTimeoutMs);
    if (auto wrong = prepare(*parts.database, path, how, !parts.note.empty())) return *wrong;
    return std::make_unique<Connection>(std::move(parts));
}

}  // namespace

Result<std::unique_ptr<Connection>> openForWriting(const fs::path& path, const WriteOpening& how) {
    const OpenProbe& probe = how.probe ? *how.probe : machineProbe();
    if (auto wrong = placeError(path, !how.create)) return *wrong;
    if (auto wrong = rightsError(path, probe)) return *wrong;
    const auto open = [&] { return guarded("write", path, [&] { return openPrepared(path, how, probe); }); };
    if (!how.create) return open();
    NewFile file(path);
    if (file.failed()) {
        return Error{ErrorCode::Failed,
                     fmt::format("Cannot make {}: {}.", path.string(), std::generic_category().message(file.failure())),
                     "Check the space and the rights of its folder."};
    }
    auto opened = open();
    if (opened) file.keep();
    return opened;
}

}  // namespace octet::store
