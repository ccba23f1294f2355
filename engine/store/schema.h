// SPDX-License-Identifier: Apache-2.0
// The tables of a store and the numbered migrations that make them. A store's version is its user_version.
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <span>

namespace octet::store {

constexpr int32_t kApplicationId = 0x4F435454;  // "OCTT"
constexpr int kSchemaVersion = 1;

/// One numbered change of the schema; `sql` leads from version - 1 to version.
struct Migration {
    int version;
    const char* what;  // for the message when it fails, e.g. "add the size of a run"
    const char* sql;
};

/// Versions 1 to kSchemaVersion, without gaps.
[[nodiscard]] std::span<const Migration> storeMigrations();

/// Runs what `table` has beyond the database's version in one transaction; all or nothing. A database without tables
/// gets the whole schema and the application id. Throws SQLite::Exception.
/// @param failing  the migration that was running, also when it throws
void migrate(SQLite::Database& database, std::span<const Migration> table, const Migration*& failing);

}  // namespace octet::store
