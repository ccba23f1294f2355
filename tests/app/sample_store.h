// SPDX-License-Identifier: Apache-2.0
// A small store with hand-made curves, so that every figure of compare can be computed on paper. Nothing is trained.
#pragma once

#include <QtTest>
#include <array>
#include <filesystem>
#include <limits>
#include <memory>

#include "engine/recipe/recipe_json.h"
#include "engine/store/writer.h"

namespace octet::tests {

constexpr int kSampleSteps = 40;  // the last tenth is steps 30 to 39

template <typename T>
T take(Result<T> result) {
    if (!result) qFatal("%s", result.error().message.c_str());
    return std::move(result).value();
}

inline void take(const Result<void>& result) {
    if (!result) qFatal("%s", result.error().message.c_str());
}

struct SampleRun {
    std::string recipe;  // a preset
    float loss = 2;      // at every step: its smoothed loss is the same number
    int64_t seed = 1;
    bool twin = false;
    std::string dataHash = "51aa";
};

class SampleStore {
public:
    explicit SampleStore(const std::filesystem::path& path)
        : m_writer(take(store::Writer::open(path, {.create = true}))) {}

    store::Writer& writer() { return *m_writer; }

    store::ExperimentId addExperiment(const std::string& name, std::optional<double> bar = {}) {
        return take(m_writer->addExperiment({name, {{"steps", kSampleSteps}, {"optimizer", {{"lr", 0.001}}}}, bar}));
    }

    /// A run with its attempt begun and all of its samples written.
    std::pair<store::RunId, store::AttemptId> startRun(store::ExperimentId experiment, const SampleRun& sample) {
        const recipe::Recipe recipe = take(recipe::loadRecipe("preset:" + sample.recipe)).recipe;
        store::NewRun run;
        run.experiment = experiment;
        run.name = sample.twin ? sample.recipe + " A/A" : sample.recipe;
        run.recipeName = recipe.name;
        run.recipe = recipe::recipeToJson(recipe);
        run.seed = sample.seed;
        run.plannedSteps = kSampleSteps;
        run.baseline = recipe.backend == recipe::Backend::None && !sample.twin;
        run.hidden = sample.twin;
        run.environment = {{"model", "mlp"},
                           {"data_hash", sample.dataHash},
                           {"order_hash", "9f2c"},
                           {"batch", 2},
                           {"micro_batches", 2},
                           {"tokens_per_update", 10},
                           {"tokens_per_step", 20},
                           {"activation_dtype", "bf16"},
                           {"versions", {{"torch", "2.11.0"}}}};
        const store::RunId id = take(m_writer->addRun(run));
        const store::AttemptId attempt = take(m_writer->beginAttempt(id));
        addSteps(id, sample);
        if (recipe.backend != recipe::Backend::None) addStatistics(id);
        take(m_writer->commit());
        return {id, attempt};
    }

    store::RunId addRun(store::ExperimentId experiment, const SampleRun& sample) {
        const auto [run, attempt] = startRun(experiment, sample);
        take(m_writer->endAttempt(attempt, store::RunState::Done));
        return run;
    }

private:
    static store::Axes axes(int step) { return {static_cast<double>(step), 20.0 * (step + 1), 0.5 * (step + 1)}; }

    void addSteps(store::RunId run, const SampleRun& sample) {
        const std::array keys{store::SeriesKey{"", "", "", "loss", "nats"},
                              store::SeriesKey{"", "", "", "grad_norm", ""}, store::SeriesKey{"", "", "", "lr", ""},
                              store::SeriesKey{"", "", "", "step_ms", "ms"}};
        const store::GroupId group = take(m_writer->addGroup(run, "step", keys));
        for (int step = 0; step < kSampleSteps; ++step) {
            // The first step is slow, as a real one is: the median doesn't mind.
            const std::array values{sample.loss, 0.1f, 1e-3f, step == 0 ? 900.0f : 5.0f};
            m_writer->append(group, axes(step), values);
        }
    }

    /// Two layers (4 x 8 and 16 x 8), 10 tokens an update. Elements of dy: 40 and 160; of all operands: 520.
    /// dy underflow 10 % and 20 %: 18 %. Saturated: 1 % of the first layer's input (80 elements): 80 / 520 %.
    void addStatistics(store::RunId run) {
        const Json gemms{{"fprop", "E4M3 x E4M3"}, {"dgrad", "E5M2 x E4M3"}, {"wgrad", "E5M2 x E4M3"}};
        const std::array layers{store::NewLayer{"layers.0", 4, 8, true, "FP8: multiples of 16.", gemms},
                                store::NewLayer{"layers.1", 16, 8, true, "FP8: multiples of 16.", gemms}};
        take(m_writer->addLayers(run, layers));
        std::vector<store::SeriesKey> keys;
        for (const char* layer : {"layers.0", "layers.1"})
            for (const char* operand : {"input", "weight", "grad_output"})
                for (const char* statistic : {"amax", "underflows%", "saturated%"})
                    keys.push_back({layer, operand, "", statistic, ""});
        const store::GroupId group = take(m_writer->addGroup(run, "update", keys));
        constexpr float kInf = std::numeric_limits<float>::infinity();
        for (int step = 0; step < kSampleSteps; ++step) {
            const bool counts = step >= 30;
            std::vector<float> values(keys.size(), counts ? 0.0f : 99.0f);
            values[0] = 0.1f;
            if (step < 3)
                values[0] =
                    std::array{std::numeric_limits<float>::quiet_NaN(), kInf, -kInf}.at(static_cast<size_t>(step));
            if (counts) {
                values[2] = 1;    // layers.0 input saturated%
                values[7] = 10;   // layers.0 grad_output underflows%
                values[16] = 20;  // layers.1 grad_output underflows%
                values[1] = 50;   // underflow of an input is not dy's
            }
            m_writer->append(group, axes(step), values);
        }
        m_writer->addEvent(
            run, {store::EventKind::ColdStart, 0, "", "Cold start: 6 operands are cast with scale 1.", nullptr});
    }

    std::unique_ptr<store::Writer> m_writer;
};

}  // namespace octet::tests
