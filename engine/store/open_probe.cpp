// SPDX-License-Identifier: Apache-2.0
#include "engine/store/open_probe.h"

#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cstdint>

namespace octet::store {
namespace {

struct NetworkFileSystem {
    uint32_t type;  // f_type, statfs(2)
    const char* name;
};

constexpr std::array<NetworkFileSystem, 12> kNetworkFileSystems{{{0x6969, "NFS"},
                                                                 {0x517B, "SMB"},
                                                                 {0xFF534D42, "CIFS"},
                                                                 {0xFE534D42, "SMB2"},
                                                                 {0x65735546, "FUSE, e.g. sshfs"},
                                                                 {0x01021997, "9P"},
                                                                 {0x5346414F, "AFS"},
                                                                 {0x00C36400, "Ceph"},
                                                                 {0x0BD00BD0, "Lustre"},
                                                                 {0x47504653, "GPFS"},
                                                                 {0x19830326, "BeeGFS"},
                                                                 {0x01161970, "GFS2"}}};

int64_t fileSystemTypeOf(const std::filesystem::path& folder) {
    struct statfs info {};
    return statfs(folder.c_str(), &info) == 0 ? static_cast<int64_t>(info.f_type) : 0;
}

}  // namespace

const OpenProbe& machineProbe() {
    static const OpenProbe probe{[](const std::filesystem::path& path) { return access(path.c_str(), W_OK) == 0; },
                                 fileSystemTypeOf};
    return probe;
}

std::string networkFileSystemName(int64_t fileSystemType) {
    for (const auto& [type, name] : kNetworkFileSystems) {
        if (type == static_cast<uint32_t>(fileSystemType)) return name;
    }
    return "";
}

}  // namespace octet::store
