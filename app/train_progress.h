// SPDX-License-Identifier: Apache-2.0
// Shows an experiment while it trains: one line that is redrawn on a terminal, a line every tenth otherwise, or JSON
// objects.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "engine/train/experiment.h"

namespace octet::app {

enum class ProgressStyle { Terminal, Lines, Json };

class TrainProgress final : public train::ExperimentListener {
public:
    TrainProgress(ProgressStyle style, std::string storePath) : m_style(style), m_storePath(std::move(storePath)) {}

    void started(store::ExperimentId experiment, const std::vector<train::RunProgress>& runs) override;
    void advanced(const std::vector<train::RunProgress>& runs, double millisecondsOfStep) override;
    void said(const std::string& sentence) override;
    /// The last state of every run.
    void finished(const train::ExperimentOutcome& outcome);

private:
    using Clock = std::chrono::steady_clock;
    [[nodiscard]] std::string line(const std::vector<train::RunProgress>& runs) const;
    [[nodiscard]] double secondsLeft(double done) const;
    void clearLine();

    ProgressStyle m_style;
    std::string m_storePath;
    Clock::time_point m_start, m_lastShown;
    double m_lastShare = -1;
    bool m_lineOpen = false;
};

}  // namespace octet::app
