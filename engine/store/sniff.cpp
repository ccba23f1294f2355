// SPDX-License-Identifier: Apache-2.0
#include "engine/store/sniff.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>

#include "engine/store/schema.h"

namespace octet::store {
namespace fs = std::filesystem;

namespace {

constexpr std::string_view kMagic{"SQLite format 3\0", 16};

struct Head {
    std::array<unsigned char, 100> bytes{};
    size_t size = 0;  // bytes read
    int64_t fileSize = 0;
    bool besideLog = false;  // a -wal or -journal that holds something: the file itself may then lag behind

    [[nodiscard]] uint32_t bigEndian(size_t at) const {
        return uint32_t{bytes[at]} << 24 | uint32_t{bytes[at + 1]} << 16 | uint32_t{bytes[at + 2]} << 8 | bytes[at + 3];
    }
    [[nodiscard]] bool hasMagic() const {
        const std::string_view start(reinterpret_cast<const char*>(bytes.data()), size);
        return start.starts_with(kMagic);
    }
    [[nodiscard]] int64_t pageSize() const {
        const int64_t stored = int64_t{bytes[16]} << 8 | bytes[17];
        return stored == 1 ? 65536 : stored;
    }
    /// Size by the header, 0 when the header's page count is not valid (written by SQLite before 3.7).
    [[nodiscard]] int64_t promisedSize() const {
        return bigEndian(24) == bigEndian(92) ? pageSize() * int64_t{bigEndian(28)} : 0;
    }
};

Result<Head> readHead(const fs::path& path) {
    Head head;
    for (const char* suffix : {"-wal", "-journal"}) {
        std::error_code none;
        const auto size = fs::file_size(fs::path(path.string() + suffix), none);
        head.besideLog = head.besideLog || (!none && size > 0);
    }
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return Error{ErrorCode::Unreadable,
                     fmt::format("Cannot read {}: {}.", path.string(), std::generic_category().message(errno)),
                     "Check the rights of the file and its folders."};
    }
    const ssize_t got = ::read(file, head.bytes.data(), head.bytes.size());
    struct stat info {};
    const bool known = fstat(file, &info) == 0;
    ::close(file);
    if (got < 0 || !known) {
        return Error{ErrorCode::Unreadable, fmt::format("Cannot read {}: disk error.", path.string()), ""};
    }
    head.size = static_cast<size_t>(got);
    head.fileSize = info.st_size;
    return head;
}

Error damagedError(const fs::path& path, int64_t size) {
    return {ErrorCode::Unreadable,
            fmt::format("{} is a damaged or incomplete SQLite database ({} bytes).", path.string(), size),
            "It was left as it is. Copy it again from where it came from."};
}

}  // namespace

Error newerVersionError(const fs::path& path, int version, int knownVersion) {
    return {ErrorCode::NewerVersion,
            fmt::format(
                "{} was written by a newer Octet: it has schema version {}, and this build knows versions up to {}.",
                path.string(), version, knownVersion),
            "Use the newer Octet; the file was left as it is."};
}

Error notAStoreError(const fs::path& path, int32_t applicationId, int version, int knownVersion) {
    return {ErrorCode::Unreadable,
            fmt::format("{} is a SQLite database, but not an Octet store: application id {} (expected {}), schema "
                        "version {} (this build knows versions up to {}).",
                        path.string(), applicationId, kApplicationId, version, knownVersion),
            "Name a file that Octet made (*.octet); this one was left as it is."};
}

Result<bool> sniffStore(const fs::path& path, int knownVersion) {
    const auto read = readHead(path);
    if (!read) return read.error();
    const Head& head = *read;
    if (head.fileSize == 0) return true;
    if (!head.hasMagic()) {
        return Error{ErrorCode::Unreadable,
                     fmt::format("{} is not a SQLite database, so not an Octet store.", path.string()),
                     "Name a file that Octet made (*.octet)."};
    }
    const bool cut = head.size < head.bytes.size() || (!head.besideLog && head.fileSize < head.promisedSize());
    if (cut) return damagedError(path, head.fileSize);
    const auto applicationId = static_cast<int32_t>(head.bigEndian(68));
    const auto version = static_cast<int32_t>(head.bigEndian(60));
    if (applicationId != kApplicationId) return notAStoreError(path, applicationId, version, knownVersion);
    if (version > knownVersion) return newerVersionError(path, version, knownVersion);
    return false;
}

}  // namespace octet::store
