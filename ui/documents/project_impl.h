// SPDX-License-Identifier: GPL-3.0-or-later
// The inside of a Project: its reader, what it has read, and what a look at the store brings.
#pragma once

#include <sys/types.h>

#include <QStringList>
#include <QTimer>
#include <chrono>
#include <map>
#include <optional>

#include "engine/store/open_probe.h"
#include "ui/documents/project.h"
#include "ui/documents/series_follower.h"

namespace octet::ui {

constexpr int kPollMs = 150;
constexpr int kReadPatienceMs = 20;   // for a lock, on the GUI thread
constexpr int kSendPatienceMs = 250;  // a worker's commit takes 1 to 5 ms
constexpr std::chrono::milliseconds kSeriesBudget{8};
constexpr std::chrono::milliseconds kBusyPatience{1500};  // locked for so long is worth a sentence
constexpr std::chrono::milliseconds kLivenessEvery{1000};

struct Project::Impl {
    using Clock = std::chrono::steady_clock;
    struct FileIdentity {
        dev_t device = 0;
        ino_t inode = 0;
        bool operator==(const FileIdentity&) const = default;
    };
    struct SentCommand {
        store::CommandId id;
        store::RunId run;
        store::CommandVerb verb = store::CommandVerb::Pause;
    };
    struct News {
        bool runs = false, samples = false, events = false;
        QStringList refusals;
        std::vector<SentCommand> done;
    };

    std::filesystem::path path;
    const store::OpenProbe* probe = nullptr;
    std::unique_ptr<store::Reader> reader;
    FileIdentity file;
    bool couldWrite = false;  // when it was opened
    std::vector<store::ExperimentInfo> experiments;
    std::vector<store::RunInfo> runs;
    std::map<int64_t, std::vector<store::LayerInfo>> layers;
    std::map<int64_t, std::vector<store::Event>> events;
    std::map<int64_t, store::CommandVerb> pending;
    std::vector<SentCommand> sent;
    SeriesFollower follower;
    bool listsStale = true;   // committed, but not read yet
    bool seriesLeft = false;  // the same of series: the last look ran out of its budget, or failed
    std::optional<Clock::time_point> busySince;
    Clock::time_point lastLivenessCheck{};
    News news;
    QString trouble;  // the sentence that was reported last
    QTimer timer;

    [[nodiscard]] Result<void> openReader();
    /// Reads what is new into the lists and `news`. An Error says what is wrong with the store now.
    [[nodiscard]] Result<void> look();

private:
    [[nodiscard]] Result<void> checkFile();
    [[nodiscard]] Result<void> checkRights() const;
    [[nodiscard]] Result<void> read();
    [[nodiscard]] Result<void> readLists();
    [[nodiscard]] Result<void> readRuns();
    [[nodiscard]] Result<void> readEvents(const std::vector<store::RunInfo>& before);
    [[nodiscard]] Result<void> readCommands();
    void checkSentCommands();
    [[nodiscard]] Result<void> readSeries();
    [[nodiscard]] bool somebodyTrains() const;
    void forgetEverything();
};

}  // namespace octet::ui
