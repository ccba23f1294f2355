// SPDX-License-Identifier: Apache-2.0
// Shows an experiment while it trains: one line that is redrawn on a terminal, a line every tenth otherwise, or JSON
// objects.
#pragma once

#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/train/experiment.h"

namespace octet::app {

enum class ProgressStyle { Terminal, Lines, Json };

class TrainProgress final : public train::ExperimentListener {
public:
    /// @param readerGone  called once when the reader of a pipe has ended
    TrainProgress(ProgressStyle style, std::string storePath, std::function<void()> readerGone)
        : m_style(style), m_storePath(std::move(storePath)), m_readerGone(std::move(readerGone)) {}

    void started(store::ExperimentId experiment, const std::vector<train::RunProgress>& runs) override;
    void advanced(const std::vector<train::RunProgress>& runs, double millisecondsOfStep) override;
    void said(const std::string& sentence) override;
    /// The last state of every run.
    void finished(const train::ExperimentOutcome& outcome);

private:
    using Clock = std::chrono::steady_clock;
    [[nodiscard]] bool isDue(const std::vector<train::RunProgress>& runs, double share) const;
    [[nodiscard]] std::string line(const std::vector<train::RunProgress>& runs, int columns) const;
    [[nodiscard]] double secondsLeft(double done) const;
    void put(std::FILE* stream, std::string_view text);
    void putJson(const Json& json);
    void clearLine();

    ProgressStyle m_style;
    std::string m_storePath;
    std::function<void()> m_readerGone;
    Clock::time_point m_start, m_lastShown;
    double m_lastShare = 0;
    bool m_lineOpen = false;
    bool m_anyShown = false;
    bool m_outputLost = false;  // nothing is written any more; the runs count, not the words about them
};

}  // namespace octet::app
