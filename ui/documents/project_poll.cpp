// SPDX-License-Identifier: GPL-3.0-or-later
// One look at a store: is the file still there, what was committed, how far did the followed series grow.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "ui/documents/project_impl.h"

namespace octet::ui {
namespace {

bool isLive(const store::RunInfo& run) {
    return run.state == store::RunState::Queued || run.state == store::RunState::Running ||
           run.state == store::RunState::Paused;
}

bool looksTheSame(const store::RunInfo& a, const store::RunInfo& b) {
    return a.id == b.id && a.state == b.state && a.steps == b.steps && a.stateNote == b.stateNote &&
           a.recipeChanges == b.recipeChanges && a.name == b.name;
}

bool canWrite(const std::filesystem::path& path, const store::OpenProbe* given) {
    const store::OpenProbe& probe = given ? *given : store::machineProbe();
    const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
    return probe.writable(path) && probe.writable(folder);
}

}  // namespace

Result<void> Project::Impl::openReader() {
    auto opened = store::Reader::open(path, probe, kReadPatienceMs);
    if (!opened) return opened.error();
    struct stat found {};
    if (stat(path.c_str(), &found) == 0) file = {found.st_dev, found.st_ino};
    reader = std::move(*opened);
    couldWrite = canWrite(path, probe);
    return {};
}

Result<void> Project::Impl::look() {
    if (auto there = checkFile(); !there) return there;
    auto done = read();
    if (done || done.error().code != ErrorCode::Busy) {
        busySince.reset();
        return done ? checkRights() : done;
    }
    // A short lock is everyday life on a network folder; only a long one is trouble.
    const auto now = Clock::now();
    if (!busySince) busySince = now;
    const bool longEnough = now - *busySince > kBusyPatience || runs.empty();
    return longEnough || !trouble.isEmpty() ? done : Result<void>();
}

Result<void> Project::Impl::checkFile() {
    struct stat found {};
    if (stat(path.c_str(), &found) != 0) {
        const int why = errno;
        const bool gone = why == ENOENT || why == ENOTDIR;
        const std::string name = path.string();
        return Error{gone ? ErrorCode::NotFound : ErrorCode::Unreadable,
                     gone ? fmt::format("{} is gone: it was deleted or moved while it was open.", name)
                          : fmt::format("{} can't be reached: {}.", name, std::generic_category().message(why)),
                     "What was read stays on the screen; put the file back, or open another one."};
    }
    const FileIdentity now{found.st_dev, found.st_ino};
    if (reader && now == file) return {};
    reader.reset();  // another file with this name: start again
    forgetEverything();
    return openReader();
}

Result<void> Project::Impl::checkRights() const {
    if (!couldWrite || canWrite(path, probe)) return {};
    return Error{ErrorCode::Failed, fmt::format("{} has become read-only.", path.string()),
                 "What is recorded can be read; commands and new experiments need the right to write again."};
}

Result<void> Project::Impl::read() {
    const auto changed = reader->changed();
    if (!changed) return changed.error();
    if (*changed) follower.markStale();
    listsStale = listsStale || *changed;
    seriesLeft = seriesLeft || *changed;
    const auto now = Clock::now();
    if (listsStale || (somebodyTrains() && now - lastLivenessCheck > kLivenessEvery)) {
        lastLivenessCheck = now;
        if (auto done = readLists(); !done) return done;
        listsStale = false;
    }
    return seriesLeft ? readSeries() : Result<void>();
}

Result<void> Project::Impl::readLists() {
    auto read = reader->experiments();
    if (!read) return read.error();
    experiments = std::move(*read);
    const std::vector<store::RunInfo> before = runs;
    if (auto done = readRuns(); !done) return done;
    if (auto done = readCommands(); !done) return done;
    return readEvents(before);
}

Result<void> Project::Impl::readRuns() {
    auto read = reader->runs(true);
    if (!read) return read.error();
    news.runs = news.runs || !std::ranges::equal(runs, *read, looksTheSame);
    runs = std::move(*read);
    return {};
}

Result<void> Project::Impl::readEvents(const std::vector<store::RunInfo>& before) {
    for (const store::RunInfo& run : runs) {
        const auto was = std::ranges::find(before, run.id, &store::RunInfo::id);
        const bool mayHaveNew = isLive(run) || was == before.end() || isLive(*was);
        if (!mayHaveNew) continue;
        auto read = reader->events(run.id);
        if (!read) return read.error();
        auto& known = events[run.id.value];
        news.events = news.events || known.size() != read->size();
        known = std::move(*read);
    }
    return {};
}

Result<void> Project::Impl::readCommands() {
    std::map<int64_t, store::CommandVerb> open;
    for (const store::RunInfo& run : runs) {
        if (!isLive(run)) continue;
        const auto commands = reader->openCommands(run.id);
        if (!commands) return commands.error();
        if (!commands->empty()) open[run.id.value] = commands->back().verb;
    }
    news.runs = news.runs || open != pending;
    pending = std::move(open);
    checkSentCommands();
    return {};
}

void Project::Impl::checkSentCommands() {
    std::erase_if(sent, [this](const SentCommand& command) {
        if (pending.contains(command.run.value)) return false;
        const auto status = store::commandStatus(path, command.id, kReadPatienceMs);
        if (!status) return false;
        if (status->starts_with("refused: ")) news.refusals << QString::fromStdString(status->substr(9));
        if (*status == "done") news.done.push_back(command);
        return true;
    });
}

Result<void> Project::Impl::readSeries() {
    const auto update = follower.update(*reader, kSeriesBudget);
    if (!update) return update.error();
    news.samples = news.samples || update->grew;
    seriesLeft = !update->complete;
    if (update->damaged) return *update->damaged;
    return {};
}

bool Project::Impl::somebodyTrains() const {
    return std::ranges::any_of(runs, isLive);
}

void Project::Impl::forgetEverything() {
    experiments.clear();
    runs.clear();
    layers.clear();
    events.clear();
    pending.clear();
    sent.clear();
    follower.clear();
    news.runs = news.samples = news.events = true;
}

}  // namespace octet::ui
