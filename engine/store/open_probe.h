// SPDX-License-Identifier: Apache-2.0
// What the machine says about a place: rights and the kind of file system. Tests replace it, since root may write
// everywhere and a network file system is not at hand.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace octet::store {

struct OpenProbe {
    /// True when this process may write the file or folder.
    std::function<bool(const std::filesystem::path&)> writable;
    /// The f_type of statfs for the folder that holds the store.
    std::function<int64_t(const std::filesystem::path& folder)> fileSystemType;
};

[[nodiscard]] const OpenProbe& machineProbe();

/// "NFS", "SMB", ... for file systems on which WAL's shared memory can't be relied on; "" for local ones.
[[nodiscard]] std::string networkFileSystemName(int64_t fileSystemType);

}  // namespace octet::store
