// SPDX-License-Identifier: Apache-2.0
#include "engine/store/sqlite_error.h"

#include <fmt/format.h>
#include <sqlite3.h>

namespace octet::store {

Error sqliteError(const SQLite::Exception& failure, const char* doing, const std::filesystem::path& path) {
    const std::string file = path.string();
    switch (failure.getErrorCode() & 0xFF) {
        case SQLITE_FULL:
            return {ErrorCode::Failed, fmt::format("There is no space left to write {}.", file),
                    "Free some space on that disk; what was not written is kept and tried again."};
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            return {ErrorCode::Busy, fmt::format("{} is locked by another program.", file),
                    "Wait until it is free, or close the program that uses it."};
        case SQLITE_READONLY:
            return {ErrorCode::Failed, fmt::format("Cannot write {}: it is read-only.", file),
                    "Check the rights of the file and its folder."};
        case SQLITE_IOERR:
            return {ErrorCode::Failed, fmt::format("Cannot {} {}: {}.", doing, file, failure.getErrorStr()),
                    "Check the disk and whether the file is still there."};
        case SQLITE_CANTOPEN:
            return {ErrorCode::Unreadable, fmt::format("Cannot open {} or the -wal file beside it.", file),
                    "Check the rights of the file and its folder."};
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB:
            return {ErrorCode::Unreadable,
                    fmt::format("{} is a damaged or incomplete SQLite database: {}.", file, failure.what()),
                    "Keep a copy; `sqlite3 FILE .recover` may save what is left."};
        default:
            return {ErrorCode::Failed, fmt::format("Cannot {} {}: {}.", doing, file, failure.what()), ""};
    }
}

}  // namespace octet::store
