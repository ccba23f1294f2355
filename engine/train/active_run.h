// SPDX-License-Identifier: Apache-2.0
// One run of a running experiment: its trainer, its recorder, its place in the store, and its state.
#pragma once

#include <memory>
#include <string>

#include "engine/store/writer.h"
#include "engine/train/experiment.h"
#include "engine/train/run_recorder.h"
#include "engine/train/run_trainer.h"

namespace octet::train {

class ActiveRun {
public:
    /// Adds run, layers and recording groups to the store and begins an attempt.
    [[nodiscard]] static Result<std::unique_ptr<ActiveRun>> begin(const PreparedExperiment& experiment,
                                                                  const PreparedRun& prepared, store::ExperimentId id,
                                                                  store::Writer& writer);

    /// Trains one step and records it; a failure of the machine ends the run with the state Failed.
    void advance();
    /// Pause, resume, stop, checkpoint, recipe: taken between two steps. @return what to tell people
    [[nodiscard]] std::string obey(const store::Command& command);
    /// Ends the attempt in `state`.
    void finish(store::RunState state, const std::string& why);

    [[nodiscard]] store::RunId id() const { return m_run; }
    [[nodiscard]] const RunProgress& progress() const { return m_progress; }
    [[nodiscard]] bool isFinished() const;
    [[nodiscard]] bool isPaused() const { return m_progress.state == store::RunState::Paused; }
    /// A sentence about the last step (NaN, failure), or empty; cleared by the call.
    [[nodiscard]] std::string takeNews();

private:
    ActiveRun(const PreparedExperiment& experiment, const PreparedRun& prepared, store::Writer& writer);
    [[nodiscard]] Result<void> addToStore(store::ExperimentId id);
    [[nodiscard]] store::Axes axes() const;
    void trainStep();
    void followLoss(const StepResult& result);
    void reactToNotFinite(const StepResult& result);
    void setState(store::RunState state, store::EventKind kind, const std::string& message);
    [[nodiscard]] Result<void> changeRecipe(const Json& document);

    const PreparedExperiment& m_experiment;
    const PreparedRun& m_prepared;
    store::Writer& m_writer;
    store::RunId m_run;
    store::AttemptId m_attempt;
    std::unique_ptr<RunTrainer> m_trainer;
    std::unique_ptr<RunRecorder> m_recorder;
    RunProgress m_progress;
    double m_ownSeconds = 0;  // time spent in this run's steps
    double m_smoothed = 0;    // exponential average of the loss, biased; m_weight takes the bias out
    double m_weight = 0;
    std::string m_news;
};

}  // namespace octet::train
