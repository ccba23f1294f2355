// SPDX-License-Identifier: Apache-2.0
// Checks that opening for reading and opening for writing share.
#pragma once

#include <SQLiteCpp/Database.h>

#include <filesystem>
#include <optional>
#include <span>

#include "engine/core/result.h"
#include "engine/store/open_probe.h"
#include "engine/store/schema.h"

namespace octet::store {

[[nodiscard]] std::filesystem::path folderOf(const std::filesystem::path& path);
[[nodiscard]] bool hasSidecar(const std::filesystem::path& path, const char* suffix);

/// Why `path` can't be a store: its folder is missing, it is a folder, or it is missing (the last only if `mustExist`).
[[nodiscard]] std::optional<Error> placeError(const std::filesystem::path& path, bool mustExist);

[[nodiscard]] Error emptyFileError(const std::filesystem::path& path);

/// What SQLite itself reads, after a WAL or a journal was taken into account.
/// @return nullopt when application id and version are fine; `emptyFileError` when nothing is in the database
[[nodiscard]] std::optional<Error> contentError(SQLite::Database& database, const std::filesystem::path& path,
                                                std::span<const Migration> known);

/// "" on a local file system, else the sentence on the rollback journal.
[[nodiscard]] std::string networkNote(const OpenProbe& probe, const std::filesystem::path& path);

}  // namespace octet::store
