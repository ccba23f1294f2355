// SPDX-License-Identifier: Apache-2.0
// What a file is, from its first 100 bytes and its size, before SQLite touches it.
#pragma once

#include <filesystem>

#include "engine/core/result.h"

namespace octet::store {

/// Reads the SQLite header of `path`; to be called only where OpenLease::acquire allows it.
/// @param knownVersion  the newest schema version this build (or test) knows
/// @return 0 bytes: no error, `true` for "empty"; a store: `false`; anything else an Error that says what it is
[[nodiscard]] Result<bool> sniffStore(const std::filesystem::path& path, int knownVersion);

/// The refusal of a version; also used when SQLite itself reads a newer one from the WAL.
[[nodiscard]] Error newerVersionError(const std::filesystem::path& path, int version, int knownVersion);
[[nodiscard]] Error notAStoreError(const std::filesystem::path& path, int32_t applicationId, int version,
                                   int knownVersion);

}  // namespace octet::store
