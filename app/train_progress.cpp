// SPDX-License-Identifier: Apache-2.0
#include "app/train_progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "app/context.h"
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

size_t terminalColumns() {
    winsize size{};
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 100;
}

Json asJson(const RunProgress& run) {
    return {{"name", run.name},
            {"state", store::runStateName(run.state)},
            {"step", run.stepsDone},
            {"steps", run.steps},
            {"loss", jsonNumber(run.loss)},
            {"tokens_per_s", run.tokensPerSecond}};
}

Json visibleRuns(const std::vector<RunProgress>& runs) {
    Json list = Json::array();
    for (const RunProgress& run : runs) {
        if (!run.hidden) list.push_back(asJson(run));
    }
    return list;
}

}  // namespace

void TrainProgress::started(store::ExperimentId experiment, const std::vector<RunProgress>& runs) {
    m_start = m_lastShown = Clock::now();
    if (m_style != ProgressStyle::Json) return;
    printJson(
        {{"event", "started"}, {"store", m_storePath}, {"experiment", experiment.value}, {"runs", visibleRuns(runs)}});
    std::fflush(stdout);
}

void TrainProgress::advanced(const std::vector<RunProgress>& runs, double) {
    const auto now = Clock::now();
    const double share = shareDone(runs);
    const bool tenth = static_cast<int>(share * 10) > static_cast<int>(m_lastShare * 10);
    const bool due = m_style == ProgressStyle::Lines ? tenth : now - m_lastShown >= kRedrawEvery;
    if (!due) return;
    m_lastShown = now;
    m_lastShare = share;
    if (m_style == ProgressStyle::Json) {
        printJson({{"event", "progress"}, {"seconds_left", secondsLeft(share)}, {"runs", visibleRuns(runs)}});
        std::fflush(stdout);
        return;
    }
    const std::string text = line(runs);
    if (m_style == ProgressStyle::Lines) {
        fmt::print(stderr, "{}\n", text);
        return;
    }
    fmt::print(stderr, "\r{}\x1b[K", text.substr(0, terminalColumns() - 1));
    std::fflush(stderr);
    m_lineOpen = true;
}

std::string TrainProgress::line(const std::vector<RunProgress>& runs) const {
    std::string losses;
    int64_t step = 0, steps = 0;
    double tokens = 0;
    for (const RunProgress& run : runs) {
        step = std::max(step, run.stepsDone);
        steps = std::max(steps, run.steps);
        if (run.hidden) continue;
        losses +=
            fmt::format("  {} {:.4f}{}", run.name, run.loss, run.state == store::RunState::Paused ? " (paused)" : "");
        tokens = std::max(tokens, run.tokensPerSecond);
    }
    const double share = shareDone(runs);
    return fmt::format("{:3.0f} %  step {}/{}  {} left  {} tokens/s {}", share * 100, step, steps,
                       clockText(secondsLeft(share)), groupedDigits(static_cast<long long>(tokens)), losses);
}

double TrainProgress::secondsLeft(double done) const {
    const double elapsed = std::chrono::duration<double>(Clock::now() - m_start).count();
    return done > 0 ? elapsed * (1 - done) / done : 0;
}

void TrainProgress::clearLine() {
    if (m_lineOpen) fmt::print(stderr, "\r\x1b[K");
    m_lineOpen = false;
}

void TrainProgress::said(const std::string& sentence) {
    clearLine();
    if (m_style == ProgressStyle::Json) {
        printJson({{"event", "note"}, {"message", sentence}});
        std::fflush(stdout);
    } else {
        printNote(sentence);
    }
}

void TrainProgress::finished(const train::ExperimentOutcome& outcome) {
    clearLine();
    if (m_style == ProgressStyle::Json) {
        printJson({{"event", "finished"},
                   {"store", m_storePath},
                   {"experiment", outcome.experiment.value},
                   {"runs", visibleRuns(outcome.runs)}});
        return;
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - m_start).count();
    for (const RunProgress& run : outcome.runs) {
        if (run.hidden) continue;
        fmt::print("{:<20} {:<8} {} of {} steps, smoothed loss {:.4f}\n", run.name, store::runStateName(run.state),
                   run.stepsDone, run.steps, run.loss);
    }
    fmt::print("Trained in {}. Compare with: octet-engine compare --store {}\n", clockText(seconds), m_storePath);
}

}  // namespace octet::app
