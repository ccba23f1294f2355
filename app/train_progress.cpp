// SPDX-License-Identifier: Apache-2.0
#include "app/train_progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>

#include "app/table.h"
#include "app/terminal.h"
#include "engine/core/text.h"

namespace octet::app {
namespace {

using train::RunProgress;

constexpr auto kRedrawEvery = std::chrono::milliseconds(200);

/// Share of all steps of all runs that are over; a stopped run counts as over.
double shareDone(const std::vector<RunProgress>& runs) {
    double done = 0, all = 0;
    for (const RunProgress& run : runs) {
        const bool over = run.state == store::RunState::Stopped || run.state == store::RunState::Failed;
        done += static_cast<double>(over ? run.steps : run.stepsDone);
        all += static_cast<double>(run.steps);
    }
    return all > 0 ? done / all : 0;
}

std::string clockText(double seconds) {
    const auto s = static_cast<long long>(seconds + 0.5);
    return s < 3600 ? fmt::format("{}:{:02}", s / 60, s % 60)
                    : fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

/// The smoothed loss; "-" before the first step.
std::string lossText(const RunProgress& run) {
    return run.stepsDone > 0 ? fmt::format("{:.4f}", run.loss) : "-";
}

Json asJson(const RunProgress& run) {
    return {{"name", run.name},
            {"state", store::runStateName(run.state)},
            {"step", run.stepsDone},
            {"steps", run.steps},
            {"loss", run.stepsDone > 0 ? jsonNumber(run.loss) : Json()},
            {"tokens_per_s", run.tokensPerSecond}};
}

Json visibleRuns(const std::vector<RunProgress>& runs) {
    Json list = Json::array();
    for (const RunProgress& run : runs) {
        if (!run.hidden) list.push_back(asJson(run));
    }
    return list;
}

/// As many losses as fit into `room` columns, then how many more there are.
std::string lossesOf(const std::vector<std::string>& losses, int room) {
    const auto more = [&](size_t shown) {
        return shown < losses.size() ? fmt::format("  +{}", losses.size() - shown) : std::string();
    };
    std::string text;
    for (size_t i = 0; i < losses.size(); ++i) {
        if (displayWidth(text + losses[i] + more(i + 1)) > room) return text + more(i);
        text += losses[i];
    }
    return text;
}

/// Good enough to paste: paths with blanks and the like stand in quotes.
std::string pastable(const std::string& path) {
    return path.find_first_of(" \t\"$&;()*?<>|") == std::string::npos ? path : "'" + path + "'";
}

}  // namespace

void TrainProgress::put(std::FILE* stream, std::string_view text) {
    if (m_outputLost || putText(stream, text)) return;
    m_outputLost = true;
    if (errno == EPIPE) m_readerGone();
}

void TrainProgress::putJson(const Json& json) {
    put(stdout, json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

void TrainProgress::started(store::ExperimentId experiment, const std::vector<RunProgress>& runs) {
    m_start = m_lastShown = Clock::now();
    if (m_style != ProgressStyle::Json) return;
    putJson(
        {{"event", "started"}, {"store", m_storePath}, {"experiment", experiment.value}, {"runs", visibleRuns(runs)}});
}

/// Lines go to a file: the first when every run has stepped, then one a tenth.
bool TrainProgress::isDue(const std::vector<RunProgress>& runs, double share) const {
    if (m_style != ProgressStyle::Lines) return Clock::now() - m_lastShown >= kRedrawEvery;
    const bool tenth = static_cast<int>(share * 10) > static_cast<int>(m_lastShare * 10);
    const bool allStepped = std::all_of(runs.begin(), runs.end(), [](const auto& run) { return run.stepsDone > 0; });
    return tenth || (!m_anyShown && allStepped);
}

void TrainProgress::advanced(const std::vector<RunProgress>& runs, double) {
    const double share = shareDone(runs);
    if (!isDue(runs, share)) return;
    m_lastShown = Clock::now();
    m_lastShare = share;
    m_anyShown = true;
    if (m_style == ProgressStyle::Json) {
        putJson({{"event", "progress"}, {"seconds_left", secondsLeft(share)}, {"runs", visibleRuns(runs)}});
    } else if (m_style == ProgressStyle::Lines) {
        put(stderr, line(runs, std::numeric_limits<int>::max()) + "\n");
    } else {
        put(stderr, fmt::format("\r{}\x1b[K", line(runs, terminalColumns(STDERR_FILENO, 100) - 1)));
        m_lineOpen = true;
    }
}

/// What a narrow terminal has no room for goes in this order: words, then runs ("+2" is two more).
std::string TrainProgress::line(const std::vector<RunProgress>& runs, int columns) const {
    std::vector<std::string> losses;
    int64_t step = 0, steps = 0;
    double tokens = 0;
    int width = 0;
    for (const RunProgress& run : runs) {
        step = std::max(step, run.stepsDone);
        steps = std::max(steps, run.steps);
        if (run.hidden) continue;
        losses.push_back(
            fmt::format("  {} {}{}", run.name, lossText(run), run.state == store::RunState::Paused ? " (paused)" : ""));
        width += displayWidth(losses.back());
        tokens = std::max(tokens, run.tokensPerSecond);
    }
    const double share = shareDone(runs);
    const std::string left = clockText(secondsLeft(share));
    std::string head = fmt::format("{:3.0f} %  step {}/{}  {} left  {} tokens/s ", share * 100, step, steps, left,
                                   groupedDigits(static_cast<long long>(tokens)));
    if (displayWidth(head) + width > columns)
        head = fmt::format("{:3.0f} % {}/{} {} left", share * 100, step, steps, left);
    return head + lossesOf(losses, columns - displayWidth(head));
}

double TrainProgress::secondsLeft(double done) const {
    const double elapsed = std::chrono::duration<double>(Clock::now() - m_start).count();
    return done > 0 ? elapsed * (1 - done) / done : 0;
}

void TrainProgress::clearLine() {
    if (m_lineOpen) put(stderr, "\r\x1b[K");
    m_lineOpen = false;
}

void TrainProgress::said(const std::string& sentence) {
    clearLine();
    if (m_style == ProgressStyle::Json)
        putJson({{"event", "note"}, {"message", sentence}});
    else
        put(stderr, fmt::format("note: {}\n", sentence));
}

void TrainProgress::finished(const train::ExperimentOutcome& outcome) {
    clearLine();
    if (m_style == ProgressStyle::Json) {
        putJson({{"event", "finished"},
                 {"store", m_storePath},
                 {"experiment", outcome.experiment.value},
                 {"runs", visibleRuns(outcome.runs)}});
        return;
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - m_start).count();
    using enum Table::Align;
    Table table({{"run"}, {"state"}, {"steps", Right}, {"smoothed loss", Right}});
    for (const RunProgress& run : outcome.runs) {
        if (run.hidden) continue;
        table.addRow(
            {run.name, store::runStateName(run.state), fmt::format("{}/{}", run.stepsDone, run.steps), lossText(run)});
    }
    put(stdout, table.text());
    const bool allDone = std::all_of(outcome.runs.begin(), outcome.runs.end(),
                                     [](const RunProgress& run) { return run.state == store::RunState::Done; });
    put(stdout, fmt::format("{} {}. Compare with: octet-engine compare --store {}\n",
                            allDone ? "Trained in" : "Ended after", clockText(seconds), pastable(m_storePath)));
}

}  // namespace octet::app
