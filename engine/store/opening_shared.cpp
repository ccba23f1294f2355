// SPDX-License-Identifier: Apache-2.0
#include "engine/store/opening_shared.h"

#include <SQLiteCpp/Column.h>
#include <fmt/format.h>

#include <system_error>

#include "engine/store/sniff.h"

namespace octet::store {
namespace fs = std::filesystem;

fs::path folderOf(const fs::path& path) {
    const fs::path folder = path.parent_path();
    return folder.empty() ? fs::path(".") : folder;
}

bool hasSidecar(const fs::path& path, const char* suffix) {
    std::error_code none;
    return fs::exists(fs::path(path.string() + suffix), none);
}

std::optional<Error> placeError(const fs::path& path, bool mustExist) {
    std::error_code failure;
    const fs::file_status status = fs::status(path, failure);
    if (fs::is_directory(status)) {
        return Error{ErrorCode::Unreadable, fmt::format("Expected a store file, but {} is a folder.", path.string()),
                     "Name a file, e.g. runs.octet."};
    }
    if (status.type() == fs::file_type::none) {
        return Error{ErrorCode::Unreadable, fmt::format("Cannot look at {}: {}.", path.string(), failure.message()),
                     "Check the rights of its folders."};
    }
    if (fs::exists(status)) return std::nullopt;
    if (!fs::is_directory(folderOf(path), failure)) {
        return Error{ErrorCode::NotFound,
                     fmt::format("There is no folder {} for the store {}.", folderOf(path).string(), path.string()),
                     "Make the folder first, or name another one."};
    }
    if (!mustExist) return std::nullopt;
    return Error{ErrorCode::NotFound, fmt::format("There is no store {}.", path.string()),
                 "Check the path; `--create` makes a new store there."};
}

Error emptyFileError(const fs::path& path) {
    return {ErrorCode::Unreadable, fmt::format("{} is an empty file, not an Octet store.", path.string()),
            "Add `--create` to make a new store in it."};
}

std::optional<Error> contentError(SQLite::Database& database, const fs::path& path, std::span<const Migration> known) {
    if (database.execAndGet("PRAGMA page_count").getInt64() == 0) return emptyFileError(path);
    const int applicationId = database.execAndGet("PRAGMA application_id").getInt();
    const int version = database.execAndGet("PRAGMA user_version").getInt();
    const int knownVersion = known.back().version;
    if (applicationId != kApplicationId) return notAStoreError(path, applicationId, version, knownVersion);
    if (version > knownVersion) return newerVersionError(path, version, knownVersion);
    return std::nullopt;
}

std::string networkNote(const OpenProbe& probe, const fs::path& path) {
    const std::string name = networkFileSystemName(probe.fileSystemType(folderOf(path)));
    if (name.empty()) return "";
    return fmt::format(
        "{} is on a network file system ({}): it is kept with a rollback journal, and readers may wait "
        "for the writer.",
        path.string(), name);
}

}  // namespace octet::store
