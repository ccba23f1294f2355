// SPDX-License-Identifier: Apache-2.0
#include "engine/store/open_registry.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <map>
#include <mutex>

namespace octet::store {
namespace {

// POSIX locks are a property of the whole process, and so is this table.
struct Registry {
    std::mutex mutex;
    std::map<std::pair<dev_t, ino_t>, int> open;
};

Registry& registry() {
    static Registry table;
    return table;
}

}  // namespace

OpenLease& OpenLease::operator=(OpenLease&& other) noexcept {
    std::swap(m_file, other.m_file);
    return *this;
}

OpenLease::~OpenLease() {
    if (m_file == File{}) return;
    Registry& table = registry();
    const std::lock_guard lock(table.mutex);
    const auto entry = table.open.find(m_file);
    if (entry != table.open.end() && --entry->second == 0) table.open.erase(entry);
}

Result<OpenLease> OpenLease::acquire(const std::filesystem::path& path,
                                     const std::function<Result<void>()>& whileUnopened) {
    Registry& table = registry();
    const std::lock_guard lock(table.mutex);
    struct stat info {};
    if (stat(path.c_str(), &info) != 0) {
        return Error{ErrorCode::NotFound, fmt::format("There is no file {}.", path.string()), "Check the path."};
    }
    const File file{info.st_dev, info.st_ino};
    if (!table.open.contains(file)) {
        if (auto done = whileUnopened(); !done) return done.error();
    }
    ++table.open[file];
    return OpenLease(file);
}

}  // namespace octet::store
