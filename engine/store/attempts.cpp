// SPDX-License-Identifier: Apache-2.0
#include "engine/store/attempts.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <ctime>

namespace octet::store {
namespace {

constexpr double kSilentAfterSeconds = 10;  // heartbeats come with commits, at most once a second

Attempt attemptFrom(const Row& row) {
    Attempt attempt;
    attempt.id = {row.integer(0)};
    attempt.process = {row.text(1), row.text(2), row.integer(3), row.integer(4)};
    attempt.heartbeatAt = row.real(5);
    attempt.ended = row.optionalReal(6).has_value();
    return attempt;
}

std::string elsewhereNote(const Attempt& attempt) {
    const bool silent = unixNow() - attempt.heartbeatAt > kSilentAfterSeconds;
    return silent ? fmt::format("no sign since {} (on {})", clockText(attempt.heartbeatAt), attempt.process.host)
                  : fmt::format("on {}", attempt.process.host);
}

/// True when a process that ever worked on the experiment still lives, or may live on another host.
bool workerMayLive(Connection& connection, ExperimentId experiment, bool& anyAttempt) {
    bool lives = false;
    connection.each(
        "SELECT DISTINCT host, boot_id, pid, process_start FROM attempt WHERE run IN "
        "(SELECT id FROM run WHERE experiment = ?)",
        [&](const Row& row) {
            anyAttempt = true;
            const ProcessIdentity process{row.text(0), row.text(1), row.integer(2), row.integer(3)};
            lives = lives || livenessOf(process) != Liveness::Gone;
        },
        experiment.value);
    return lives;
}

}  // namespace

std::optional<Attempt> lastAttemptOf(Connection& connection, RunId run) {
    std::optional<Attempt> last;
    connection.each(
        "SELECT id, host, boot_id, pid, process_start, heartbeat_at, ended_at FROM attempt WHERE run = ? "
        "ORDER BY id DESC LIMIT 1",
        [&](const Row& row) { last = attemptFrom(row); }, run.value);
    return last;
}

Liveness livenessOf(const Attempt& attempt) {
    return attempt.ended ? Liveness::Gone : livenessOf(attempt.process);
}

ShownState shownState(Connection& connection, RunId run, ExperimentId experiment, RunState stored) {
    const bool active = stored == RunState::Queued || stored == RunState::Running || stored == RunState::Paused;
    if (!active) return {stored, ""};
    if (const auto attempt = lastAttemptOf(connection, run)) {
        const Liveness liveness = livenessOf(*attempt);
        if (liveness == Liveness::Gone) return {RunState::Interrupted, ""};
        return {stored, liveness == Liveness::Elsewhere ? elsewhereNote(*attempt) : ""};
    }
    bool anyAttempt = false;
    const bool lives = workerMayLive(connection, experiment, anyAttempt);
    return {anyAttempt && !lives ? RunState::Interrupted : stored, ""};
}

double unixNow() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string clockText(double unixSeconds) {
    const auto whole = static_cast<std::time_t>(unixSeconds);
    const auto now = static_cast<std::time_t>(unixNow());
    std::tm then{}, today{};
    localtime_r(&whole, &then);
    localtime_r(&now, &today);
    const bool sameDay = then.tm_year == today.tm_year && then.tm_yday == today.tm_yday;
    return sameDay ? fmt::format("{:%H:%M:%S}", then) : fmt::format("{:%Y-%m-%d %H:%M:%S}", then);
}

}  // namespace octet::store
