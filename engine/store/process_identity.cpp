// SPDX-License-Identifier: Apache-2.0
#include "engine/store/process_identity.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <optional>
#include <sstream>

#include "engine/core/text.h"

namespace octet::store {
namespace {

std::string firstLineOf(const std::string& path) {
    std::ifstream in(path);
    std::string line;
    std::getline(in, line);
    return line;
}

std::string hostName() {
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::string bootId() {
    return trimmed(firstLineOf("/proc/sys/kernel/random/boot_id"));
}

struct ProcessStat {
    char state = '?';
    int64_t startTicks = 0;
};

/// Fields 3 and 22 of /proc/PID/stat; the name (field 2) may hold blanks and brackets, so counting starts after it.
std::optional<ProcessStat> statOf(int64_t pid) {
    const std::string line = firstLineOf(fmt::format("/proc/{}/stat", pid));
    const size_t nameEnd = line.rfind(')');
    if (nameEnd == std::string::npos) return std::nullopt;
    std::istringstream fields(line.substr(nameEnd + 1));
    ProcessStat found;
    fields >> found.state;
    std::string skipped;
    for (int field = 4; field < 22; ++field)
        fields >> skipped;
    fields >> found.startTicks;
    if (!fields) return std::nullopt;
    return found;
}

}  // namespace

ProcessIdentity currentProcess() {
    const int64_t pid = getpid();
    const auto stat = statOf(pid);
    return {hostName(), bootId(), pid, stat ? stat->startTicks : 0};
}

Liveness livenessOf(const ProcessIdentity& process) {
    if (process.host != hostName()) return Liveness::Elsewhere;
    if (process.bootId != bootId()) return Liveness::Gone;
    const auto stat = statOf(process.pid);
    const bool alive = stat && stat->state != 'Z' && stat->state != 'X' && stat->startTicks == process.startTicks;
    return alive ? Liveness::Alive : Liveness::Gone;
}

}  // namespace octet::store
