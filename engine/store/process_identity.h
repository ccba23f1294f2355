// SPDX-License-Identifier: Apache-2.0
// Who works on a run: host, boot, process and its start time, so that a reused pid or a reboot is not taken for life.
#pragma once

#include <cstdint>
#include <string>

namespace octet::store {

struct ProcessIdentity {
    std::string host;
    std::string bootId;  // /proc/sys/kernel/random/boot_id
    int64_t pid = 0;
    int64_t startTicks = 0;  // since boot, /proc/PID/stat field 22
    bool operator==(const ProcessIdentity&) const = default;
};

[[nodiscard]] ProcessIdentity currentProcess();

enum class Liveness { Alive, Gone, Elsewhere };

/// Gone: this host, and the process has ended (or is a zombie), its pid means another process, or the host rebooted.
/// Elsewhere: another host, of which nothing is known here but the heartbeat.
[[nodiscard]] Liveness livenessOf(const ProcessIdentity& process);

}  // namespace octet::store
