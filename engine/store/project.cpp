// SPDX-License-Identifier: Apache-2.0
#include "engine/store/project.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <system_error>

namespace octet::store {
namespace fs = std::filesystem;

namespace {

/// New samples lie in the -wal until a checkpoint moves them, so both files count.
fs::file_time_type modifiedAt(const fs::path& store) {
    std::error_code none;
    const auto own = fs::last_write_time(store, none);
    const auto log = fs::last_write_time(store.string() + "-wal", none);
    return none ? own : std::max(own, log);
}

}  // namespace

fs::path defaultProjectFolder() {
    const char* home = std::getenv("HOME");
    return fs::path(home && *home ? home : ".") / "Octet";
}

Result<fs::path> newestProject(const fs::path& folder) {
    std::error_code failure;
    std::optional<fs::path> newest;
    for (fs::directory_iterator at(folder, failure), end; !failure && at != end; at.increment(failure)) {
        std::error_code none;
        if (at->path().extension() != ".octet" || !at->is_regular_file(none)) continue;
        if (!newest || modifiedAt(at->path()) > modifiedAt(*newest)) newest = at->path();
    }
    if (newest) return *newest;
    return Error{ErrorCode::NotFound, fmt::format("There is no project (*.octet) in {}.", folder.string()),
                 "Name one with `--store FILE.octet`."};
}

}  // namespace octet::store
