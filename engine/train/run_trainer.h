// SPDX-License-Identifier: Apache-2.0
// One run: model, optimiser and scaling state, advanced step by step. Knows nothing of the store.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/arch/model_spec.h"
#include "engine/core/result.h"
#include "engine/numerics/cast_statistics.h"
#include "engine/numerics/exponents.h"
#include "engine/recipe/run_spec.h"
#include "engine/recipe/training_plan.h"
#include "engine/train/batch_order.h"
#include "engine/train/corpus.h"

namespace octet::train {

struct RunSetup {
    recipe::RunSpec spec;
    arch::ModelSpec model;
    recipe::TrainingPlan plan;
    std::shared_ptr<const Corpus> corpus;
    int64_t seed = 1;
    double perturbation = 0;  // of the start weights: 1e-6 for the A/A twin of a baseline
};

/// One cast operand of one layer after an update: what a recorder stores.
struct OperandSample {
    size_t layer = 0;    // index into plan.layers
    size_t operand = 0;  // 0 input, 1 weight, 2 grad_output
    float amax = 0;      // of the tensor that was cast: finite maximum, infinity when it held one
    float scale = 1;     // the cast used it; 0 where it used many
    float scaleInvMin = 1, scaleInvMax = 1;
    bool cold = false;  // no amax had made the scale yet
    numerics::CastStatistics statistics;
    const numerics::ExponentCounts* exponents = nullptr;  // valid during the callback
};

struct NotFinite {
    std::string layer;    // first bad layer in the order of the pass; empty: only the loss or a norm
    std::string operand;  // "input", "weight", "output", "grad_output"
};

struct StepResult {
    double loss = 0;  // mean over micro-batches
    double gradNorm = 0;
    double learningRate = 0;
    double milliseconds = 0;
    std::optional<NotFinite> notFinite;
};

/// Losses on the held-out text. `asRecipe` is what the recipe's own evaluation gives.
struct EvaluationResult {
    double asRecipe = 0;
    double highPrecision = 0;
    std::optional<double> fp8;  // empty for a baseline
};

class RunTrainer {
public:
    explicit RunTrainer(RunSetup setup);
    ~RunTrainer();
    RunTrainer(const RunTrainer&) = delete;
    RunTrainer& operator=(const RunTrainer&) = delete;

    /// Called after each micro-batch with the operands that were cast, before the histories advance.
    using UpdateCallback = std::function<void(int64_t microBatch, const std::vector<OperandSample>&)>;

    /// Forward, backward and update of step `step` (counted from 0).
    [[nodiscard]] StepResult step(int64_t step, const UpdateCallback& onUpdate);
    [[nodiscard]] EvaluationResult evaluate();

    /// Goes on with another plan: weights and optimiser stay, scaling starts anew. Refused when other operands would be
    /// cast than before.
    [[nodiscard]] Result<void> changePlan(const recipe::TrainingPlan& plan);

    [[nodiscard]] const RunSetup& setup() const;
    /// All parameters as one list of numbers, for tests of equal bits.
    [[nodiscard]] std::vector<float> parameterValues() const;

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

/// Text of what computes, for the environment stamp; sets the thread count of the process (0: all cores).
[[nodiscard]] std::string prepareDevice(int64_t threads);
/// Threads in use after prepareDevice.
[[nodiscard]] int64_t deviceThreads();
/// "2.11.0"
[[nodiscard]] std::string torchVersion();

}  // namespace octet::train
