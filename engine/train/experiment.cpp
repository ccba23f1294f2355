// SPDX-License-Identifier: Apache-2.0
// The loop over runs: commands, one step each, commits.
#include "engine/train/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "engine/train/active_run.h"

namespace octet::train {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

class ExperimentLoop {
public:
    ExperimentLoop(const PreparedExperiment& experiment, store::Writer& writer, ExperimentListener& listener,
                   std::stop_token stop)
        : m_experiment(experiment), m_writer(writer), m_listener(listener), m_stop(std::move(stop)) {}

    [[nodiscard]] Result<void> begin() {
        auto id = m_writer.addExperiment(
            {m_experiment.name, recipe::runSpecToJson(m_experiment.spec), m_experiment.spec.barPercent});
        if (!id.ok()) return id.error();
        m_id = *id;
        for (const PreparedRun& prepared : m_experiment.runs) {
            auto run = ActiveRun::begin(m_experiment, prepared, m_id, m_writer);
            if (!run.ok()) return run.error();
            m_runs.push_back(std::move(*run));
        }
        m_listener.started(m_id, progress());
        return {};
    }

    void run() {
        while (!m_stop.stop_requested() && anyUnfinished()) {
            obeyCommands();
            if (!advanceOnce()) waitForCommands();
            commitIfDue();
        }
        for (const auto& active : m_runs) {
            if (!active->isFinished())
                active->finish(store::RunState::Stopped, "Stopped: the program was asked to end.");
        }
    }

    [[nodiscard]] ExperimentOutcome outcome() {
        const auto committed = m_writer.commit();
        return {m_id, progress(), committed.ok() ? std::nullopt : std::optional(committed.error())};
    }

private:
    [[nodiscard]] std::vector<RunProgress> progress() const {
        std::vector<RunProgress> all;
        for (const auto& active : m_runs)
            all.push_back(active->progress());
        return all;
    }

    [[nodiscard]] bool anyUnfinished() const {
        return std::any_of(m_runs.begin(), m_runs.end(), [](const auto& active) { return !active->isFinished(); });
    }

    /// One step of every run that may go on (interleaved), or of the first one (sequential).
    bool advanceOnce() {
        bool advanced = false;
        for (const auto& active : m_runs) {
            if (active->isFinished() || active->isPaused()) continue;
            if (m_stop.stop_requested()) return true;
            const auto start = Clock::now();
            active->advance();
            say(active->takeNews());
            m_listener.advanced(progress(), std::chrono::duration<double, std::milli>(Clock::now() - start).count());
            advanced = true;
            commitIfDue();
            if (m_experiment.spec.order == recipe::RunOrder::Sequential) return true;
        }
        return advanced;
    }

    void obeyCommands() {
        auto commands = m_writer.takeCommands();
        if (!commands.ok()) return say(commands.error().message);
        for (const store::Command& command : *commands) {
            const auto active = std::find_if(m_runs.begin(), m_runs.end(),
                                             [&](const auto& candidate) { return candidate->id() == command.run; });
            if (active != m_runs.end()) say((*active)->obey(command));
        }
    }

    void commitIfDue() {
        if (!m_writer.commitDue()) return;
        const auto committed = m_writer.commit();
        if (!committed.ok() && !m_storeTrouble) say(committed.error().message + " " + committed.error().hint);
        if (committed.ok() && m_storeTrouble) say("The store takes samples again; none was lost.");
        m_storeTrouble = !committed.ok();
    }

    /// All runs are paused: look for commands ten times a second, and end at once when asked to.
    void waitForCommands() {
        std::unique_lock lock(m_mutex);
        m_wake.wait_for(lock, m_stop, 100ms, [] { return false; });
    }

    void say(const std::string& sentence) {
        if (!sentence.empty()) m_listener.said(sentence);
    }

    const PreparedExperiment& m_experiment;
    store::Writer& m_writer;
    ExperimentListener& m_listener;
    std::stop_token m_stop;
    store::ExperimentId m_id;
    std::vector<std::unique_ptr<ActiveRun>> m_runs;
    bool m_storeTrouble = false;
    std::mutex m_mutex;
    std::condition_variable_any m_wake;
};

}  // namespace

Result<ExperimentOutcome> runExperiment(const PreparedExperiment& experiment, store::Writer& writer,
                                        ExperimentListener& listener, std::stop_token stop) {
    ExperimentLoop loop(experiment, writer, listener, std::move(stop));
    if (auto begun = loop.begin(); !begun.ok()) return begun.error();
    loop.run();
    return loop.outcome();
}

}  // namespace octet::train
