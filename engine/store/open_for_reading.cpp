// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sqlite3.h>
#include <stdlib.h>

#include <system_error>

#include "engine/store/opening.h"
#include "engine/store/opening_shared.h"
#include "engine/store/sniff.h"
#include "engine/store/sqlite_error.h"

namespace octet::store {
namespace fs = std::filesystem;

namespace {

enum class Way {
    Normal,     // the place can be written: SQLite may keep its -wal and -shm beside the file
    Immutable,  // read-only and nothing beside it
    Shared,     // read-only, -wal and -shm are there
    Copied,     // read-only, and what is beside it (a -wal without -shm, a hot journal) can't be used there
};

Way wayFor(const fs::path& path, const OpenProbe& probe) {
    if (probe.writable(path) && probe.writable(folderOf(path))) return Way::Normal;
    if (hasSidecar(path, "-journal")) return Way::Copied;
    if (!hasSidecar(path, "-wal")) return Way::Immutable;
    return hasSidecar(path, "-shm") ? Way::Shared : Way::Copied;
}

/// A name for SQLite's URI form, which escapes with %.
std::string uriOf(const fs::path& path, const char* parameters) {
    std::string uri = "file:";
    for (const char c : fs::absolute(path).string()) {
        const bool special = c == '%' || c == '?' || c == '#';
        uri += special ? fmt::format("%{:02X}", static_cast<unsigned char>(c)) : std::string(1, c);
    }
    return uri + parameters;
}

struct Copy {
    fs::path folder, file;
};

Result<Copy> copyAside(const fs::path& path) {
    std::error_code failure;
    const fs::path root = fs::temp_directory_path(failure);
    std::string pattern = (root / "octet-copy-XXXXXX").string();
    if (failure || !mkdtemp(pattern.data())) {
        return Error{ErrorCode::Failed, fmt::format("Cannot make a temporary folder to read {} from.", path.string()),
                     "Set TMPDIR to a folder that can be written."};
    }
    Copy copy{pattern, fs::path(pattern) / path.filename()};
    fs::copy_file(path, copy.file, failure);
    for (const char* suffix : {"-wal", "-journal"}) {
        if (failure || !hasSidecar(path, suffix)) continue;
        fs::copy_file(path.string() + suffix, copy.file.string() + suffix, failure);
    }
    // The copy carries the rights of a read-only original; SQLite has to write beside and into it.
    for (const char* suffix : {"", "-wal", "-journal"}) {
        std::error_code none;
        fs::permissions(copy.file.string() + suffix, fs::perms::owner_write, fs::perm_options::add, none);
    }
    if (!failure) return copy;
    std::error_code none;
    fs::remove_all(copy.folder, none);
    return Error{ErrorCode::Failed,
                 fmt::format("Cannot copy {} to {}: {}.", path.string(), root.string(), failure.message()),
                 "Free some space there, or set TMPDIR to another folder."};
}

std::unique_ptr<SQLite::Database> connect(Way way, const fs::path& file, int busyTimeoutMs) {
    const auto open = [busyTimeoutMs](const std::string& name, int flags) {
        return std::make_unique<SQLite::Database>(name, flags, busyTimeoutMs);
    };
    if (way == Way::Immutable) return open(uriOf(file, "?immutable=1"), SQLite::OPEN_READONLY | SQLite::OPEN_URI);
    if (way == Way::Shared) return open(file.string(), SQLite::OPEN_READONLY);
    // Reading and writing on the level of files, so that the last one to close takes -wal and -shm away again;
    // query_only keeps the tables as they are. What a dead worker left in the WAL stays there for the next writer.
    const bool logLeftBehind = hasSidecar(file, "-wal");
    auto database = open(file.string(), SQLite::OPEN_READWRITE);
    if (logLeftBehind) sqlite3_db_config(database->getHandle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    database->exec("PRAGMA query_only = ON");
    return database;
}

std::string noteFor(Way way, const fs::path& path, const Copy& copy) {
    switch (way) {
        case Way::Immutable:
            return fmt::format("{} can't be written here: it is shown as it is and not followed.", path.string());
        case Way::Shared:
            return fmt::format("{} can't be written here: opened read-only.", path.string());
        case Way::Copied:
            return fmt::format(
                "{} can't be written here and has changes beside it that were not merged: a copy in {} is "
                "shown, which does not follow the original.",
                path.string(), copy.folder.string());
        case Way::Normal:
            break;
    }
    return "";
}

std::optional<Error> olderError(SQLite::Database& database, const fs::path& path, std::span<const Migration> known) {
    const int version = database.execAndGet("PRAGMA user_version").getInt();
    if (version == known.back().version) return std::nullopt;
    return Error{
        ErrorCode::Refused,
        fmt::format("{} has the older schema version {}; this build reads version {}, and reading alone does not "
                    "change a file.",
                    path.string(), version, known.back().version),
        "Open it once for writing (e.g. `octet-engine train --store` on it): that brings it up to date."};
}

Result<std::unique_ptr<Connection>> openWay(Way way, const fs::path& path, const ReadOpening& how,
                                            const OpenProbe& probe) {
    Copy copy;
    const auto sniffed = [&]() -> Result<void> {
        const auto empty = sniffStore(path, how.migrations.back().version);
        if (!empty) return empty.error();
        if (*empty) return emptyFileError(path);
        if (way != Way::Copied) return {};
        auto made = copyAside(path);
        if (!made) return made.error();
        copy = *made;
        return {};
    };
    Connection::Parts parts;
    auto lease = OpenLease::acquire(path, sniffed);
    if (!lease) return lease.error();
    parts.copy = TemporaryFolder(copy.folder);
    parts.path = path;
    // A copy leaves the original unopened; a copy that could not be made (open here already) is read in place.
    if (copy.folder.empty()) parts.lease = std::move(*lease);
    const Way taken = way == Way::Copied && copy.folder.empty() ? Way::Shared : way;
    parts.database = connect(taken, copy.folder.empty() ? path : copy.file, how.busyTimeoutMs);
    parts.note = noteFor(taken, path, copy);
    if (way == Way::Normal) parts.note = networkNote(probe, path);
    if (auto wrong = contentError(*parts.database, path, how.migrations)) return *wrong;
    if (auto wrong = olderError(*parts.database, path, how.migrations)) return *wrong;
    return std::make_unique<Connection>(std::move(parts));
}

}  // namespace

Result<std::unique_ptr<Connection>> openForReading(const fs::path& path, const ReadOpening& how) {
    const OpenProbe& probe = how.probe ? *how.probe : machineProbe();
    if (auto wrong = placeError(path, true)) return *wrong;
    const Way way = wayFor(path, probe);
    auto opened = guarded("read", path, [&] { return openWay(way, path, how, probe); });
    // A -shm left over from a crash may not be usable where nothing can be written.
    const bool unusable = !opened && way == Way::Shared && opened.error().code == ErrorCode::Unreadable;
    if (!unusable || opened.error().message.find("Cannot open") == std::string::npos) return opened;
    return guarded("read", path, [&] { return openWay(Way::Copied, path, how, probe); });
}

}  // namespace octet::store
