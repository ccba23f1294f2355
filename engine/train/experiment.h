// SPDX-License-Identifier: Apache-2.0
// One experiment: its runs (recipes x seeds, and the hidden A/A twin of the baseline) trained by this process on the
// same start weights and data order, steered by commands from the store.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/arch/module_list.h"
#include "engine/core/result.h"
#include "engine/recipe/recipe_json.h"
#include "engine/recipe/run_spec.h"
#include "engine/recipe/training_plan.h"
#include "engine/store/writer.h"
#include "engine/train/corpus.h"
#include "engine/train/run_trainer.h"

namespace octet::train {

struct PreparedRun {
    std::string name;
    recipe::Recipe recipe;
    recipe::TrainingPlan plan;
    int64_t seed = 1;
    bool baseline = false;
    bool hidden = false;  // the A/A twin
};

/// Everything that can be refused has been checked; nothing has been written.
struct PreparedExperiment {
    recipe::RunSpec spec;
    std::string name;
    arch::ModelSpec model;
    std::vector<arch::Module> modules;
    std::shared_ptr<const Corpus> corpus;
    std::vector<PreparedRun> runs;
    std::vector<std::string> warnings;  // one sentence each, for people
};

[[nodiscard]] Result<PreparedExperiment> prepareExperiment(const recipe::RunSpec& spec);

/// Where one run stands after a step.
struct RunProgress {
    std::string name;
    bool hidden = false;
    store::RunState state = store::RunState::Queued;
    int64_t stepsDone = 0;
    int64_t steps = 0;
    double loss = 0;             // smoothed
    double tokensPerSecond = 0;  // of the run's own time, smoothed
};

/// Told on the training thread; must be quick.
class ExperimentListener {
public:
    virtual ~ExperimentListener() = default;
    virtual void started(store::ExperimentId experiment, const std::vector<RunProgress>& runs) = 0;
    virtual void advanced(const std::vector<RunProgress>& runs, double millisecondsOfStep) = 0;
    /// A sentence about a run (paused, NaN, failed) or about the store (disk full, writing again).
    virtual void said(const std::string& sentence) = 0;
};

struct ExperimentOutcome {
    store::ExperimentId experiment;
    std::vector<RunProgress> runs;
    std::optional<Error> storeTrouble;  // samples that could not be written at the end
};

/// Trains until every run is done, stopped or failed, or until `stop` is requested (runs are then left "stopped").
[[nodiscard]] Result<ExperimentOutcome> runExperiment(const PreparedExperiment& experiment, store::Writer& writer,
                                                      ExperimentListener& listener, std::stop_token stop);

}  // namespace octet::train
