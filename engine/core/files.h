// SPDX-License-Identifier: Apache-2.0
// Whole-file reading and writing with sentences instead of exceptions. Never used on a store: a process that has a
// store open in SQLite must not open that file any other way.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "engine/core/result.h"

namespace octet {

/// The bytes of a regular file; refuses folders, missing files, missing rights and files over `limit` bytes.
[[nodiscard]] Result<std::string> readFile(const std::filesystem::path& path, uint64_t limit = uint64_t{1} << 30);

/// Writes to a temporary file beside `path`, then renames: a reader sees the old file or the new one, never half.
[[nodiscard]] Result<void> writeFileAtomically(const std::filesystem::path& path, std::string_view bytes);

}  // namespace octet
