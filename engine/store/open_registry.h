// SPDX-License-Identifier: Apache-2.0
// Which store files this process has open in SQLite. Opening and closing such a file in any other way drops SQLite's
// POSIX locks (they belong to the process, not to the descriptor), and another process may then remove the WAL under
// us. So sniffing and copying happen only under this registry's lock, and only for files nobody here has open.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <utility>

#include "engine/core/result.h"

namespace octet::store {

/// Held by a connection from before SQLite opens its file until after SQLite has closed it.
class OpenLease {
public:
    OpenLease() = default;
    OpenLease(OpenLease&& other) noexcept : m_file(std::exchange(other.m_file, {})) {}
    OpenLease& operator=(OpenLease&& other) noexcept;
    ~OpenLease();

    /// Registers `path`, which must exist. Calls `whileUnopened` first, under the lock, unless this process has the
    /// file open already; its error is passed on and nothing is registered.
    [[nodiscard]] static Result<OpenLease> acquire(const std::filesystem::path& path,
                                                   const std::function<Result<void>()>& whileUnopened);

private:
    using File = std::pair<dev_t, ino_t>;
    explicit OpenLease(File file) : m_file(file) {}
    File m_file{};  // {0, 0}: holds nothing
};

}  // namespace octet::store
