// SPDX-License-Identifier: Apache-2.0
#include "engine/train/active_run.h"

#include <fmt/format.h>

#include <cmath>
#include <exception>

#include "engine/core/text.h"
#include "engine/recipe/effective.h"
#include "engine/train/environment.h"

namespace octet::train {
namespace {

using store::EventKind;
using store::RunState;

constexpr double kSmoothing = 0.9;

std::vector<store::NewLayer> layersOf(const recipe::TrainingPlan& plan, recipe::ActivationDtype dtype) {
    std::vector<store::NewLayer> layers;
    for (const recipe::LayerPlan& layer : plan.layers) {
        layers.push_back({layer.name, layer.outFeatures, layer.inFeatures, layer.converted, layer.reason,
                          gemmsThatRun(layer, dtype)});
    }
    return layers;
}

}  // namespace

ActiveRun::ActiveRun(const PreparedExperiment& experiment, const PreparedRun& prepared, store::Writer& writer)
    : m_experiment(experiment), m_prepared(prepared), m_writer(writer) {
    m_progress.name = prepared.name;
    m_progress.hidden = prepared.hidden;
    m_progress.steps = experiment.spec.steps;
}

Result<std::unique_ptr<ActiveRun>> ActiveRun::begin(const PreparedExperiment& experiment, const PreparedRun& prepared,
                                                    store::ExperimentId id, store::Writer& writer) {
    std::unique_ptr<ActiveRun> run(new ActiveRun(experiment, prepared, writer));
    if (auto added = run->addToStore(id); !added.ok()) return added.error();
    constexpr double kTwinPerturbation = 1e-6;
    run->m_trainer =
        std::make_unique<RunTrainer>(RunSetup{experiment.spec, experiment.model, prepared.plan, experiment.corpus,
                                              prepared.seed, prepared.hidden ? kTwinPerturbation : 0.0});
    auto recorder = RunRecorder::create(writer, run->m_run, prepared.plan);
    if (!recorder.ok()) return recorder.error();
    run->m_recorder = std::make_unique<RunRecorder>(std::move(*recorder));
    run->m_progress.state = RunState::Running;
    return run;
}

Result<void> ActiveRun::addToStore(store::ExperimentId id) {
    store::NewRun row;
    row.experiment = id;
    row.name = m_prepared.name;
    row.recipeName = m_prepared.recipe.name;
    row.recipe = recipe::recipeToJson(m_prepared.recipe);
    row.effective = planToJson(m_prepared.plan);
    row.effective["on_target"] = recipe::onTargetJson(m_prepared.recipe);
    row.seed = m_prepared.seed;
    row.plannedSteps = m_experiment.spec.steps;
    row.baseline = m_prepared.baseline;
    row.hidden = m_prepared.hidden;
    row.environment = environmentOf(m_experiment, m_prepared);
    auto run = m_writer.addRun(row);
    if (!run.ok()) return run.error();
    m_run = *run;
    const auto layers = layersOf(m_prepared.plan, m_experiment.spec.activationDtype);
    if (auto added = m_writer.addLayers(m_run, layers); !added.ok()) return added;
    auto attempt = m_writer.beginAttempt(m_run);
    if (!attempt.ok()) return attempt.error();
    m_attempt = *attempt;
    return m_writer.setState(m_run, RunState::Running);
}

store::Axes ActiveRun::axes() const {
    const recipe::RunSpec& spec = m_experiment.spec;
    const int64_t perStep = spec.batch * spec.microBatches * m_experiment.model.tokensPerSequence();
    return {static_cast<double>(m_progress.stepsDone), static_cast<double>((m_progress.stepsDone + 1) * perStep),
            m_ownSeconds};
}

void ActiveRun::advance() {
    try {
        trainStep();
    } catch (const std::exception& failure) {  // out of memory, a broken library: the other runs go on
        finish(RunState::Failed, fmt::format("Step {} failed: {}", m_progress.stepsDone, failure.what()));
    }
}

void ActiveRun::trainStep() {
    const recipe::RunSpec& spec = m_experiment.spec;
    const int64_t step = m_progress.stepsDone;
    const bool statistics = spec.statisticsEvery > 0 && step % spec.statisticsEvery == 0;
    const StepResult result = m_trainer->step(step, [&](int64_t, const std::vector<OperandSample>& samples) {
        m_recorder->recordUpdate(axes(), samples, statistics);
    });
    m_ownSeconds += result.milliseconds / 1000.0;
    m_recorder->recordStep(axes(), result);
    const bool last = step + 1 == spec.steps;
    if (spec.evalEvery > 0 && ((step + 1) % spec.evalEvery == 0 || last)) {
        m_recorder->recordEvaluation(axes(), m_trainer->evaluate());
    }
    followLoss(result);
    ++m_progress.stepsDone;
    if (result.notFinite) reactToNotFinite(result);
    if (last && !isFinished()) finish(RunState::Done, "");
}

void ActiveRun::followLoss(const StepResult& result) {
    m_smoothed = kSmoothing * m_smoothed + (1 - kSmoothing) * result.loss;
    m_weight = kSmoothing * m_weight + (1 - kSmoothing);
    m_progress.loss = m_smoothed / m_weight;
    const recipe::RunSpec& spec = m_experiment.spec;
    const auto tokens = static_cast<double>(spec.batch * spec.microBatches * m_experiment.model.tokensPerSequence());
    const double now = tokens * 1000.0 / result.milliseconds;
    m_progress.tokensPerSecond = m_progress.stepsDone == 0 ? now : 0.9 * m_progress.tokensPerSecond + 0.1 * now;
}

void ActiveRun::reactToNotFinite(const StepResult& result) {
    if (std::isfinite(result.loss) && std::isfinite(result.gradNorm)) return;
    const std::string where = result.notFinite->layer.empty() ? "the loss" : result.notFinite->layer;
    const std::string sentence =
        fmt::format("{}: NaN or Inf at step {} ({}).", m_progress.name, m_progress.stepsDone - 1, where);
    if (m_experiment.spec.onNan == recipe::OnNan::Stop)
        finish(RunState::Stopped, "Stopped: NaN or Inf, and on_nan is stop.");
    if (m_experiment.spec.onNan == recipe::OnNan::Pause) {
        setState(RunState::Paused, EventKind::Paused, "Paused: NaN or Inf, and on_nan is pause.");
    }
    if (m_experiment.spec.onNan != recipe::OnNan::Continue || m_weight > 0) m_news = sentence;
}

void ActiveRun::setState(RunState state, EventKind kind, const std::string& message) {
    m_progress.state = state;
    m_recorder->note({kind, static_cast<double>(m_progress.stepsDone), "", message, nullptr});
    if (auto set = m_writer.setState(m_run, state); !set.ok()) m_news = set.error().message;
}

void ActiveRun::finish(RunState state, const std::string& why) {
    const EventKind kind = state == RunState::Done      ? EventKind::Finished
                           : state == RunState::Stopped ? EventKind::Stopped
                                                        : EventKind::Failed;
    const std::string message = why.empty() ? fmt::format("Finished after {} steps.", m_progress.stepsDone) : why;
    m_recorder->note({kind, static_cast<double>(m_progress.stepsDone), "", message, nullptr});
    m_progress.state = state;
    if (state == RunState::Failed) m_news = fmt::format("{}: {}", m_progress.name, message);
    if (auto committed = m_writer.commit(); !committed.ok()) m_news = committed.error().message;
    if (auto ended = m_writer.endAttempt(m_attempt, state); !ended.ok()) m_news = ended.error().message;
    m_trainer.reset();  // frees the model; the other runs may need the memory
}

bool ActiveRun::isFinished() const {
    return m_progress.state == RunState::Done || m_progress.state == RunState::Stopped ||
           m_progress.state == RunState::Failed;
}

std::string ActiveRun::takeNews() {
    return std::exchange(m_news, {});
}

std::string ActiveRun::obey(const store::Command& command) {
    const auto done = [&](const std::string& sentence) {
        (void)m_writer.finishCommand(command.id);
        return fmt::format("{}: {}", m_progress.name, sentence);
    };
    const auto refused = [&](const std::string& why) {
        (void)m_writer.refuseCommand(command.id, why);
        return fmt::format("{}: {} refused. {}", m_progress.name, store::commandVerbName(command.verb), why);
    };
    if (isFinished()) return refused("The run has ended.");
    const std::string at = fmt::format("at step {}", m_progress.stepsDone);
    switch (command.verb) {
        case store::CommandVerb::Pause:
            setState(RunState::Paused, EventKind::Paused, "Paused " + at + ".");
            return done("paused " + at);
        case store::CommandVerb::Resume:
            setState(RunState::Running, EventKind::Resumed, "Resumed " + at + ".");
            return done("goes on " + at);
        case store::CommandVerb::Stop:
            finish(RunState::Stopped, "Stopped " + at + " by a command.");
            return done("stopped " + at);
        case store::CommandVerb::Checkpoint:
            return refused("This version writes no checkpoints yet.");
        case store::CommandVerb::SetRecipe: {
            const auto changed = changeRecipe(command.argument);
            return changed.ok() ? done("trains with the new recipe from step " + std::to_string(m_progress.stepsDone))
                                : refused(changed.error().message + " " + changed.error().hint);
        }
    }
    return refused("Unknown command.");
}

Result<void> ActiveRun::changeRecipe(const Json& document) {
    auto loaded = recipe::recipeFromJson(document, "the new recipe");
    if (!loaded.ok()) return loaded.error();
    auto plan = recipe::planTraining(loaded->recipe, m_experiment.modules);
    if (!plan.ok()) return plan.error();
    if (auto changed = m_trainer->changePlan(*plan); !changed.ok()) return changed;
    const auto from = static_cast<double>(m_progress.stepsDone);
    m_recorder->note({EventKind::RecipeChange, from, "",
                      fmt::format("The recipe \"{}\" trains from step {} on; scaling starts anew.", loaded->recipe.name,
                                  m_progress.stepsDone),
                      nullptr});
    Json effective = planToJson(*plan);
    effective["on_target"] = recipe::onTargetJson(loaded->recipe);
    return m_writer.addRunRecipe(m_run, from, document, effective);
}

}  // namespace octet::train
