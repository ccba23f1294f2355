// SPDX-License-Identifier: Apache-2.0
#include "engine/train/run_trainer.h"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <fmt/format.h>
#include <torch/version.h>

#include <array>
#include <chrono>
#include <cmath>
#include <limits>

#include "engine/backend/backend_torch.h"
#include "engine/model/model_torch.h"
#include "engine/train/adamw_torch.h"
#include "engine/train/schedule.h"

namespace octet::train {
namespace {

using model::PassContext;
using model::PassMode;
using Clock = std::chrono::steady_clock;

constexpr uint64_t kPerturbationSeed = 0x41412f41;

double millisecondsSince(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// [rows, bytesPerSequence] int64 from windows of `bytes`.
template <typename OffsetOfRow>
at::Tensor windows(const std::vector<uint8_t>& bytes, int64_t rows, int64_t length, const OffsetOfRow& offsetOfRow) {
    at::Tensor tokens = at::empty({rows, length}, at::kLong);
    auto* out = tokens.mutable_data_ptr<int64_t>();
    for (int64_t row = 0; row < rows; ++row) {
        const auto from = bytes.begin() + offsetOfRow(row);
        std::copy(from, from + length, out + row * length);
    }
    return tokens;
}

/// For each operand whether its series are of one scale or of many; a run's groups of series are fixed.
std::array<int, 3> recordsAs(const recipe::LayerPlan& plan) {
    std::array<int, 3> kinds{};
    for (size_t role = 0; role < kinds.size(); ++role) {
        const recipe::OperandCast* cast = recipe::firstCastOf(plan, role);
        kinds[role] = cast == nullptr ? 0 : cast->hasManyScales() ? 2 : 1;
    }
    return kinds;
}

}  // namespace

struct RunTrainer::Impl {
    RunSetup setup;
    BatchOrder order;
    std::unique_ptr<backend::Backend> backend;
    std::unique_ptr<model::Model> model;
    std::unique_ptr<AdamW> optimiser;

    explicit Impl(RunSetup given) : setup(std::move(given)) {
        order = {static_cast<uint64_t>(setup.seed), static_cast<int64_t>(setup.corpus->training.size()),
                 setup.model.bytesPerSequence(), setup.spec.batch, setup.spec.microBatches};
        backend = backend::makeCpuBackend(0);
        model = model::buildModel(setup.model, setup.plan, static_cast<uint64_t>(setup.seed));
        if (setup.perturbation > 0) model::perturbParameters(*model, setup.perturbation, kPerturbationSeed);
        optimiser = std::make_unique<AdamW>(model->parameters(), setup.spec.optimizer);
    }

    [[nodiscard]] PassContext trainingPass(int64_t step, int64_t microBatch) const {
        const auto every = [&](int64_t n) { return n > 0 && step % n == 0; };
        PassContext pass;
        pass.level =
            every(setup.spec.statisticsEvery) ? numerics::StatisticsLevel::Errors : numerics::StatisticsLevel::Amax;
        pass.countExponents = every(setup.spec.exponentsEvery) && microBatch == 0;
        pass.bf16Activations = setup.spec.activationDtype == recipe::ActivationDtype::Bf16;
        pass.keepWeightCodes = setup.spec.reuseWeightCodes;
        pass.reuseWeightCodes = setup.spec.reuseWeightCodes && microBatch > 0;
        return pass;
    }

    [[nodiscard]] at::Tensor trainingBatch(int64_t step, int64_t microBatch) const {
        return windows(setup.corpus->training, order.batch, order.bytesPerSequence,
                       [&](int64_t row) { return order.trainingOffset(step, microBatch, row); });
    }

    [[nodiscard]] std::vector<OperandSample> samples() const {
        std::vector<OperandSample> all;
        for (size_t layer = 0; layer < model->linears().size(); ++layer) {
            for (size_t role = 0; role < model::kOperandNames.size(); ++role) {
                const auto* state = model->linears()[layer]->operand(static_cast<model::OperandRole>(role));
                if (state == nullptr || !state->last) continue;
                const float amax =
                    state->last->infinities > 0 ? std::numeric_limits<float>::infinity() : state->last->amax;
                all.push_back({layer, role, amax, state->castScale, state->scaleInvMin, state->scaleInvMax,
                               state->isCold(), *state->last, state->exponents ? &*state->exponents : nullptr});
            }
        }
        return all;
    }

    /// Walks the layers in the order of the pass and returns the first that met NaN or Inf.
    [[nodiscard]] std::optional<NotFinite> firstBadLayer() const {
        for (const auto& linear : model->linears()) {
            const char* operand = linear->firstNotFinite();
            if (operand != nullptr && std::string_view(operand) != "grad_output") {
                return NotFinite{linear->plan().name, operand};
            }
        }
        for (auto linear = model->linears().rbegin(); linear != model->linears().rend(); ++linear) {
            if ((*linear)->firstNotFinite() != nullptr) return NotFinite{(*linear)->plan().name, "grad_output"};
        }
        return std::nullopt;
    }

    /// Where the values went bad: what the casts saw, else a forward pass that looks at every operand and output.
    [[nodiscard]] NotFinite findNotFinite(int64_t step) {
        if (auto seen = firstBadLayer()) return *seen;
        const at::NoGradGuard noGrad;
        PassContext pass = trainingPass(step, 0);
        pass.mode = PassMode::EvalHighPrecision;
        pass.checkFinite = true;
        (void)model->loss(trainingBatch(step, 0), *backend, pass);
        if (auto seen = firstBadLayer()) return *seen;
        // Forward is clean: backward met it first where, seen from the loss, the first weight gradient is bad.
        for (auto linear = model->linears().rbegin(); linear != model->linears().rend(); ++linear) {
            const at::Tensor& gradient = (*linear)->weight().grad();
            if (gradient.defined() && !std::isfinite(gradient.abs().max().item<float>())) {
                return {(*linear)->plan().name, "grad_output"};
            }
        }
        return {};
    }

    [[nodiscard]] double evaluateIn(PassMode mode) {
        const at::NoGradGuard noGrad;
        PassContext pass = trainingPass(0, 0);
        pass.mode = mode;
        const auto bytes = static_cast<int64_t>(setup.corpus->heldOut.size());
        const int64_t count = setup.spec.evalBatches * order.batch;
        double sum = 0;
        for (int64_t batch = 0; batch < setup.spec.evalBatches; ++batch) {
            const at::Tensor tokens =
                windows(setup.corpus->heldOut, order.batch, order.bytesPerSequence, [&](int64_t row) {
                    return BatchOrder::evaluationOffset(batch * order.batch + row, count, bytes,
                                                        order.bytesPerSequence);
                });
            sum += model->loss(tokens, *backend, pass).item<double>();
        }
        return sum / static_cast<double>(setup.spec.evalBatches);
    }
};

RunTrainer::RunTrainer(RunSetup setup) : m_impl(std::make_unique<Impl>(std::move(setup))) {}
RunTrainer::~RunTrainer() = default;

StepResult RunTrainer::step(int64_t step, const UpdateCallback& onUpdate) {
    Impl& run = *m_impl;
    const auto start = Clock::now();
    double recording = 0;
    StepResult result;
    result.learningRate = learningRateAt(run.setup.spec.optimizer, step, run.setup.spec.steps);
    const int64_t microBatches = run.setup.spec.microBatches;
    for (int64_t micro = 0; micro < microBatches; ++micro) {
        const at::Tensor loss =
            run.model->loss(run.trainingBatch(step, micro), *run.backend, run.trainingPass(step, micro));
        loss.backward();
        result.loss += loss.item<double>() / static_cast<double>(microBatches);
        if (!result.notFinite) result.notFinite = run.firstBadLayer();
        const auto recordingStart = Clock::now();
        if (onUpdate) onUpdate(micro, run.samples());
        recording += millisecondsSince(recordingStart);
        run.model->updateScaling();
    }
    const double share = 1.0 / static_cast<double>(microBatches);
    result.gradNorm = run.optimiser->gradientNorm(share);
    const bool finite = std::isfinite(result.loss) && std::isfinite(result.gradNorm);
    if (!finite && !result.notFinite) result.notFinite = run.findNotFinite(step);  // while the weights are still good
    run.optimiser->step(result.learningRate, share, result.gradNorm);
    result.milliseconds = millisecondsSince(start) - recording;
    return result;
}

EvaluationResult RunTrainer::evaluate() {
    Impl& run = *m_impl;
    EvaluationResult result;
    result.highPrecision = run.evaluateIn(PassMode::EvalHighPrecision);
    result.asRecipe = result.highPrecision;
    if (!run.setup.plan.fp8) return result;
    const bool inside = run.setup.plan.fp8DuringEval;
    result.fp8 = run.evaluateIn(inside ? PassMode::EvalFp8Feeding : PassMode::EvalFp8);
    if (inside) result.asRecipe = *result.fp8;
    return result;
}

Result<void> RunTrainer::changePlan(const recipe::TrainingPlan& plan) {
    for (size_t i = 0; i < plan.layers.size(); ++i) {
        const recipe::LayerPlan &now = m_impl->setup.plan.layers[i], &then = plan.layers[i];
        const char* otherwise = now.fp8 != then.fp8 ? "casts other GEMMs than"
                                : recordsAs(now) != recordsAs(then)
                                    ? "has one scale an operand where many are, or many, "
                                      "unlike"
                                    : nullptr;
        if (otherwise == nullptr) continue;
        return Error{ErrorCode::Refused, fmt::format("The new recipe {} the running one ({}).", otherwise, then.name),
                     "Start a new run with it instead."};
    }
    for (size_t i = 0; i < plan.layers.size(); ++i)
        m_impl->model->linears()[i]->changePlan(plan.layers[i], plan.scaling);
    m_impl->setup.plan = plan;
    return {};
}

const RunSetup& RunTrainer::setup() const {
    return m_impl->setup;
}

std::vector<float> RunTrainer::parameterValues() const {
    std::vector<float> values;
    for (const auto& parameter : m_impl->model->parameters()) {
        const float* data = parameter.value.const_data_ptr<float>();
        values.insert(values.end(), data, data + parameter.value.numel());
    }
    return values;
}

std::string prepareDevice(int64_t threads) {
    return backend::makeCpuBackend(static_cast<int>(threads))->description();
}

int64_t deviceThreads() {
    return at::get_num_threads();
}

std::string torchVersion() {
    return TORCH_VERSION;
}

}  // namespace octet::train
