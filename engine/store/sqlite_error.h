// SPDX-License-Identifier: Apache-2.0
// SQLite's result codes as sentences, and the one place where its exceptions become Results.
#pragma once

#include <SQLiteCpp/Exception.h>

#include <filesystem>

#include "engine/core/result.h"

namespace octet::store {

/// @param doing  "read" or "write": what was tried on `path`
[[nodiscard]] Error sqliteError(const SQLite::Exception& failure, const char* doing, const std::filesystem::path& path);

/// The result of `work`, or a sentence for the SQLite exception it threw.
template <typename Work>
auto guarded(const char* doing, const std::filesystem::path& path, Work&& work) -> decltype(work()) {
    try {
        return work();
    } catch (const SQLite::Exception& failure) {
        return sqliteError(failure, doing, path);
    }
}

}  // namespace octet::store
