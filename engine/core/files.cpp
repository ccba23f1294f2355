// SPDX-License-Identifier: Apache-2.0
#include "engine/core/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

namespace octet {
namespace fs = std::filesystem;

namespace {

Error fileError(const fs::path& path, const char* doing, int number) {
    const char* hint = number == EACCES || number == EPERM ? "Check the rights of the file and its folders."
                       : number == ENOSPC                  ? "Free some space and try again."
                       : number == ENOENT                  ? "Check the path."
                                                           : "";
    const ErrorCode code = number == ENOENT   ? ErrorCode::NotFound
                           : number == ENOSPC ? ErrorCode::Failed
                                              : ErrorCode::Unreadable;
    return {code, fmt::format("Cannot {} {}: {}.", doing, path.string(), std::generic_category().message(number)),
            hint};
}

}  // namespace

Result<std::string> readFile(const fs::path& path, uint64_t limit) {
    struct stat info {};
    if (stat(path.c_str(), &info) != 0) return fileError(path, "read", errno);
    if (S_ISDIR(info.st_mode)) {
        return Error{ErrorCode::Usage, fmt::format("Expected a file, but {} is a folder.", path.string()), ""};
    }
    if (static_cast<uint64_t>(info.st_size) > limit) {
        return Error{ErrorCode::Usage,
                     fmt::format("{} has {} bytes; at most {} are read here.", path.string(), info.st_size, limit), ""};
    }
    std::ifstream in(path, std::ios::binary);
    if (!in) return fileError(path, "read", errno ? errno : EACCES);
    std::string bytes((std::istreambuf_iterator<char>(in)), {});
    if (in.bad()) return fileError(path, "read", EIO);
    return bytes;
}

Result<void> writeFileAtomically(const fs::path& path, std::string_view bytes) {
    std::string pattern = path.string() + ".XXXXXX";
    const int file = mkstemp(pattern.data());
    if (file < 0) return fileError(path, "write", errno);
    int failed = fchmod(file, 0644) == 0 ? 0 : errno;
    size_t done = 0;
    while (!failed && done < bytes.size()) {
        const ssize_t n = ::write(file, bytes.data() + done, bytes.size() - done);
        if (n < 0 && errno != EINTR) failed = errno;
        if (n > 0) done += static_cast<size_t>(n);
    }
    if (!failed && fsync(file) != 0) failed = errno;
    if (close(file) != 0 && !failed) failed = errno;
    if (!failed && rename(pattern.c_str(), path.c_str()) != 0) failed = errno;
    if (failed) {
        unlink(pattern.c_str());
        return fileError(path, "write", failed);
    }
    return {};
}

}  // namespace octet
