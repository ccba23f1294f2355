// SPDX-License-Identifier: Apache-2.0
// What a commit writes, in one transaction; when it fails everything keeps waiting.
#include <algorithm>

#include "engine/store/attempts.h"
#include "engine/store/json_text.h"
#include "engine/store/writer_impl.h"

namespace octet::store {
namespace {

constexpr std::chrono::seconds kHeartbeatEvery{1};

void insertEvent(Connection& connection, RunId run, double at, const Event& event) {
    connection.run("INSERT INTO event(run, kind, step, layer, message, detail, created_at) VALUES(?,?,?,?,?,?,?)",
                   run.value, eventKindName(event.kind), event.step, event.layer, event.message, jsonText(event.detail),
                   at);
}

/// Counts are stored from the first to the last bin that is not empty.
void insertExponents(Connection& connection, RunId run, const Exponents& exponents) {
    const auto filled = [](uint32_t count) { return count > 0; };
    const auto& counts = exponents.counts;
    const auto first = std::find_if(counts.begin(), counts.end(), filled);
    const auto last = std::find_if(counts.rbegin(), std::make_reverse_iterator(first), filled).base();
    connection.run(
        "INSERT INTO exponents(run, layer, operand, step, lowest, counts, zeros, subnormals, infinities, nans) "
        "VALUES(?,?,?,?,?,?,?,?,?,?)",
        run.value, exponents.layer, exponents.operand, exponents.step, static_cast<int64_t>(first - counts.begin()),
        std::as_bytes(std::span<const uint32_t>(first, last)), exponents.zeros, exponents.subnormals,
        exponents.infinities, exponents.nans);
}

}  // namespace

bool Writer::Impl::heartbeatDue() const {
    return !attempts.empty() && Clock::now() - lastHeartbeat >= kHeartbeatEvery;
}

bool Writer::Impl::somethingWaits() const {
    if (!events.empty() || !exponents.empty() || !commandChanges.empty() || heartbeatDue()) return true;
    return std::any_of(groups.begin(), groups.end(), [](const auto& entry) {
        return entry.second.log.hasSamples() || entry.second.log.hasSealing();
    });
}

void Writer::Impl::writeWaiting(Sealing sealing) {
    for (auto& [id, group] : groups)
        group.log.write(*connection, sealing);
    for (const auto& [run, at, event] : events)
        insertEvent(*connection, run, at, event);
    for (const auto& [run, counts] : exponents)
        insertExponents(*connection, run, counts);
    writeCommandChanges();
    if (heartbeatDue()) writeHeartbeats();
}

void Writer::Impl::writeHeartbeats() {
    for (const OpenAttempt& attempt : attempts) {
        connection->run("UPDATE attempt SET heartbeat_at = ? WHERE id = ?", unixNow(), attempt.id.value);
    }
}

Result<void> Writer::Impl::commitWaiting(Sealing sealing) {
    lastCommit = Clock::now();
    if (!somethingWaits()) return {};
    const bool beats = heartbeatDue();
    auto done = inTransaction([&] { writeWaiting(sealing); });
    // Sealing needs space before it frees some: on a full disk the samples alone may still fit.
    const bool retry = !done && sealing != Sealing::None && done.error().code == ErrorCode::Failed;
    if (retry) done = inTransaction([&] { writeWaiting(Sealing::None); });
    for (auto& [id, group] : groups)
        done ? group.log.committed() : group.log.rolledBack();
    if (!done) return done;
    events.clear();
    exponents.clear();
    commandChanges.clear();
    if (beats) lastHeartbeat = lastCommit;
    return {};
}

Result<void> Writer::Impl::checkpointIfDue() {
    if (!wal->isDue()) return {};
    if (auto done = wal->checkpoint(); !done) return done;
    if (attempts.empty() || !wal->isMerged()) return {};
    // The transaction that starts the WAL anew syncs its header. A small one does it here, so that one commit in 25 is
    // slow and not two. That it fails is no loss: the heartbeat comes again with a later commit.
    if (inTransaction([&] { writeHeartbeats(); })) lastHeartbeat = Clock::now();
    return {};
}

/// The end of a run: its series become whole chunks, then the frames go. Left as frames when the disk is full.
void Writer::Impl::sealWhole(RunId run) {
    for (auto& [id, group] : groups) {
        if (group.run != run) continue;
        group.log.closeSegment();
        for (int pass = 0; pass < 2 && group.log.hasSealing(); ++pass) {
            const auto sealed = inTransaction([&] { group.log.write(*connection, Sealing::Everything); });
            sealed ? group.log.committed() : group.log.rolledBack();
        }
    }
}

}  // namespace octet::store
