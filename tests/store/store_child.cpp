// SPDX-License-Identifier: Apache-2.0
// The other process in the store's tests. Reports on standard output, one line each, unbuffered.
//   append STORE SEED SERIES STEPS EVERY   trains a sample run, "step k" after each append, "committed k"; STEPS 0: for
//   ever check STORE                            all samples of all runs against what they must be; prints their number
//   follow STORE STEPS                     follows the first run until it has STEPS samples, checking each piece
//   take STORE RUN                         begins an attempt on RUN and prints the commands it takes
//   read STORE | write STORE               opens as user nobody; prints "ok NOTE" or "error CODE MESSAGE"
//   locks STORE                            "locked" when another process holds a lock on the file, else "free"
//   hold-checkpoints STORE                 as if in a checkpoint of a store that is open elsewhere, until its input
//   ends
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>

#include "tests/store/sample_run.h"

namespace {

using namespace octet;

void say(const std::string& line) {
    const std::string text = line + "\n";
    if (write(STDOUT_FILENO, text.data(), text.size()) < 0) _exit(3);
}

int failed(const Error& error) {
    say(fmt::format("error {} {} | {}", errorCodeName(error.code), error.message, error.hint));
    return 1;
}

int append(const std::string& path, uint64_t seed, size_t seriesCount, int64_t steps, int64_t every) {
    store::WriterOptions options;
    options.create = true;
    options.segmentSamples = 64;
    auto writer = store::Writer::open(path, options);
    if (!writer) return failed(writer.error());
    const auto started = sample_run::start(**writer, seed, seriesCount);
    if (!started) return failed(started.error());
    say(fmt::format("run {}", started->run.value));
    for (int64_t step = 0; steps == 0 || step < steps; ++step) {
        (*writer)->append(started->group, sample_run::axes(step), sample_run::values(seed, seriesCount, step));
        say(fmt::format("step {}", step));
        if ((step + 1) % every != 0) continue;
        if (auto done = (*writer)->commit(); !done) return failed(done.error());
        say(fmt::format("committed {}", step));
    }
    const auto ended = (*writer)->endAttempt(started->attempt, store::RunState::Done);
    return ended ? 0 : failed(ended.error());
}

int check(const std::string& path) {
    auto reader = store::Reader::open(path);
    if (!reader) return failed(reader.error());
    const auto runs = (*reader)->runs();
    if (!runs) return failed(runs.error());
    size_t samples = 0;
    for (const auto& run : *runs) {
        const auto series = (*reader)->series(run.id);
        if (!series) return failed(series.error());
        for (size_t i = 0; i < series->size(); ++i) {
            const auto data = (*reader)->samples((*series)[i].id);
            if (!data) return failed(data.error());
            const auto wrong = sample_run::difference(*data, static_cast<uint64_t>(run.seed), i, 0);
            if (!wrong.empty()) return failed({ErrorCode::Failed, wrong, ""});
            samples += data->value.size();
        }
    }
    say(fmt::format("samples {}", samples));
    return 0;
}

int follow(const std::string& path, int64_t steps) {
    auto reader = store::Reader::open(path);
    if (!reader) return failed(reader.error());
    const auto runs = (*reader)->runs();
    const auto series = (*reader)->series(runs->front().id);
    const auto seed = static_cast<uint64_t>(runs->front().seed);
    std::vector<int64_t> had(series->size(), 0);
    int64_t pieces = 0;
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    say("following");
    while (had.back() < steps && std::chrono::steady_clock::now() < limit) {
        const auto changed = (*reader)->changed();
        if (!changed) return failed(changed.error());
        if (!*changed) continue;
        for (size_t i = 0; i < had.size(); ++i) {
            const auto data = (*reader)->samples((*series)[i].id, had[i]);
            if (!data) return failed(data.error());
            const auto wrong = sample_run::difference(*data, seed, i, had[i]);
            if (!wrong.empty()) return failed({ErrorCode::Failed, wrong, ""});
            had[i] += static_cast<int64_t>(data->value.size());
        }
        ++pieces;
    }
    say(fmt::format("followed {} in {} pieces", had.back(), pieces));
    return had.back() == steps ? 0 : 1;
}

int take(const std::string& path, store::RunId run) {
    auto writer = store::Writer::open(path);
    if (!writer) return failed(writer.error());
    const auto attempt = (*writer)->beginAttempt(run);
    if (!attempt) return failed(attempt.error());
    const auto commands = (*writer)->takeCommands();
    if (!commands) return failed(commands.error());
    say(fmt::format("took {}", commands->size()));
    return 0;
}

int openAsNobody(const std::string& path, bool writing) {
    constexpr uid_t kNobody = 65534;
    if (geteuid() == 0 && (setresgid(kNobody, kNobody, kNobody) != 0 || setresuid(kNobody, kNobody, kNobody) != 0)) {
        return failed({ErrorCode::Failed, "cannot become nobody", ""});
    }
    if (writing) {
        auto writer = store::Writer::open(path);
        if (!writer) return failed(writer.error());
        say("ok " + (*writer)->openingNote());
        return 0;
    }
    auto reader = store::Reader::open(path);
    if (!reader) return failed(reader.error());
    const auto runs = (*reader)->runs();
    if (!runs) return failed(runs.error());
    say(fmt::format("ok {} runs, {} steps. {}", runs->size(), runs->front().steps, (*reader)->openingNote()));
    return 0;
}

int locks(const std::string& path) {
    const int file = open(path.c_str(), O_RDWR);
    struct flock wanted {};
    wanted.l_type = F_WRLCK;  // over everything, so any other process's lock is in the way
    wanted.l_whence = SEEK_SET;
    if (file < 0 || fcntl(file, F_GETLK, &wanted) != 0) return 1;
    say(wanted.l_type == F_UNLCK ? "free" : "locked");
    return 0;
}

int holdCheckpoints(const std::string& path) {
    const int file = open((path + "-shm").c_str(), O_RDWR);
    struct flock wanted {};
    wanted.l_type = F_WRLCK;
    wanted.l_whence = SEEK_SET;
    wanted.l_start = 121;  // WAL_CKPT_LOCK, https://www.sqlite.org/walformat.html#locks
    wanted.l_len = 1;
    if (file < 0 || fcntl(file, F_SETLK, &wanted) != 0) return failed({ErrorCode::Busy, "cannot take the lock", ""});
    say("holding");
    char ignored = 0;
    while (read(STDIN_FILENO, &ignored, 1) > 0) {
    }
    return 0;
}

}  // namespace

int main(int count, char** words) {
    const std::vector<std::string> word(words + 1, words + count);
    const auto number = [&](size_t at) { return std::strtoll(word.at(at).c_str(), nullptr, 10); };
    if (word.size() == 6 && word[0] == "append") {
        return append(word[1], static_cast<uint64_t>(number(2)), static_cast<size_t>(number(3)), number(4), number(5));
    }
    if (word.size() == 2 && word[0] == "check") return check(word[1]);
    if (word.size() == 3 && word[0] == "follow") return follow(word[1], number(2));
    if (word.size() == 3 && word[0] == "take") return take(word[1], {number(2)});
    if (word.size() == 2 && word[0] == "read") return openAsNobody(word[1], false);
    if (word.size() == 2 && word[0] == "write") return openAsNobody(word[1], true);
    if (word.size() == 2 && word[0] == "locks") return locks(word[1]);
    if (word.size() == 2 && word[0] == "hold-checkpoints") return holdCheckpoints(word[1]);
    return 2;
}
