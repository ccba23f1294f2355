// SPDX-License-Identifier: Apache-2.0
// Commands as a worker sees them. A change of state that can't be written (disk full) waits for the next commit, so
// that "stop" works even then.
#include <algorithm>

#include "engine/store/attempts.h"
#include "engine/store/json_text.h"
#include "engine/store/writer_impl.h"

namespace octet::store {

bool Writer::Impl::isTaken(CommandId command) const {
    return std::any_of(commandChanges.begin(), commandChanges.end(),
                       [&](const CommandChange& change) { return change.id == command; });
}

void Writer::Impl::writeCommandChanges() {
    for (const CommandChange& change : commandChanges) {
        connection->run("UPDATE command SET state = ?, why = ?, changed_at = ? WHERE id = ?", change.state, change.why,
                        unixNow(), change.id.value);
    }
}

Result<void> Writer::Impl::flushCommandChanges() {
    if (commandChanges.empty()) return {};
    auto done = inTransaction([&] { writeCommandChanges(); });
    if (done) commandChanges.clear();
    return done;
}

Result<void> Writer::Impl::changeCommand(CommandChange change) {
    commandChanges.push_back(std::move(change));
    return flushCommandChanges();
}

Result<std::vector<Command>> Writer::takeCommands() {
    std::vector<Command> taken;
    const auto read = [&]() -> Result<void> {
        for (const Impl::OpenAttempt& attempt : m_impl->attempts) {
            m_impl->connection->each(
                "SELECT id, verb, argument FROM command WHERE attempt = ? AND state = 'sent' ORDER BY id",
                [&](const Row& row) {
                    const CommandId id{row.integer(0)};
                    const auto verb = commandVerbFromName(row.text(1));
                    if (m_impl->isTaken(id) || !verb) return;
                    taken.push_back({id, attempt.run, *verb, jsonFromText(row.text(2))});
                },
                attempt.id.value);
        }
        return {};
    };
    if (auto done = guarded("read", m_impl->connection->path(), read); !done) return done.error();
    std::sort(taken.begin(), taken.end(), [](const Command& a, const Command& b) { return a.id < b.id; });
    for (const Command& command : taken)
        m_impl->commandChanges.push_back({command.id, "taken", ""});
    (void)m_impl->flushCommandChanges();  // otherwise with the next commit
    return taken;
}

Result<void> Writer::finishCommand(CommandId command) {
    return m_impl->changeCommand({command, "done", ""});
}

Result<void> Writer::refuseCommand(CommandId command, const std::string& why) {
    return m_impl->changeCommand({command, "refused", why});
}

}  // namespace octet::store
