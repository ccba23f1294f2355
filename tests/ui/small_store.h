// SPDX-License-Identifier: GPL-3.0-or-later
// A small project for window tests, written by store::Writer as the trainer would: one experiment with HYBRID, E4M3 and
// a baseline, two layers, a few series.
#pragma once

#include <QTemporaryDir>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/store/writer.h"

namespace small_store {

using namespace octet;

struct Run {
    store::RunId id;
    store::AttemptId attempt;
    store::GroupId steps, statistics;
};

/// Throws what a Result holds, so that a test stops at the line that went wrong.
template <typename T>
T must(Result<T> result) {
    if (!result) throw std::runtime_error(result.error().message);
    return std::move(*result);
}
inline void must(const Result<void>& result) {
    if (!result) throw std::runtime_error(result.error().message);
}

inline Json teRecipe(const char* format) {
    return Json{{"octet_recipe", 1},
                {"name", "x"},
                {"backend", "TE"},
                {"te", Json{{"fp8_format", format}, {"amax_history_len", 16}, {"amax_compute_algo", "max"}}}};
}

class Project {
public:
    explicit Project(const std::filesystem::path& path) : m_path(path) {
        store::WriterOptions options;
        options.create = !std::filesystem::exists(path);
        m_writer = must(store::Writer::open(path, options));
    }

    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }
    [[nodiscard]] store::Writer& writer() { return *m_writer; }
    [[nodiscard]] std::vector<Run>& runs() { return m_runs; }

    store::ExperimentId addExperiment(const std::string& name) {
        m_experiment = must(m_writer->addExperiment({name, Json{{"steps", 100}}, std::nullopt}));
        return m_experiment;
    }

    Run addRun(const std::string& name, const Json& recipe, bool baseline = false) {
        store::NewRun fresh;
        fresh.experiment = m_experiment;
        fresh.name = fresh.recipeName = name;
        fresh.recipe = recipe;
        fresh.seed = 1;
        fresh.plannedSteps = 100;
        fresh.baseline = baseline;
        fresh.environment = Json{{"device", "cpu"}, {"threads", 2}, {"tokens_per_update", 1024}};
        Run run;
        run.id = must(m_writer->addRun(fresh));
        const store::NewLayer layers[] = {
            {"model.layers.0.mlp.down_proj", 64, 176, !baseline, "multiples of 16", Json::object()},
            {"model.layers.1.mlp.down_proj", 64, 176, !baseline, "multiples of 16", Json::object()},
            {"lm_head", 256, 64, false, "rule 1: last layer", Json::object()}};
        must(m_writer->addLayers(run.id, layers));
        run.attempt = must(m_writer->beginAttempt(run.id));
        const store::SeriesKey perStep[] = {{"", "", "", "loss", "nats"}, {"", "", "", "step_ms", "ms"}};
        run.steps = must(m_writer->addGroup(run.id, "step", perStep));
        if (!baseline) run.statistics = must(m_writer->addGroup(run.id, "statistics", statisticsKeys()));
        m_runs.push_back(run);
        return run;
    }

    void addThreeRuns() {
        addExperiment("HYBRID against E4M3");
        addRun("hybrid-16", teRecipe("HYBRID"));
        addRun("e4m3-16", teRecipe("E4M3"));
        addRun("baseline", Json{{"octet_recipe", 1}, {"name", "baseline"}, {"backend", "none"}}, true);
    }

    /// Steps [from, to) of every run: loss = 5 - step / 100, step time 10 ms; layer 1 underflows ten times more.
    void record(int from, int to) {
        for (int step = from; step < to; ++step) {
            const double s = step;
            for (const Run& run : m_runs) {
                const float perStep[] = {static_cast<float>(5 - s / 100), 10.0f};
                m_writer->append(run.steps, {s, s * 1024, s * 0.01}, perStep);
                if (!run.statistics.valid()) continue;
                const float shares[] = {1.0f, 0.0f, 10.0f, 0.5f};
                m_writer->append(run.statistics, {s, s * 1024, s * 0.01}, shares);
            }
        }
        must(m_writer->commit());
    }

    void finish(store::RunState state = store::RunState::Done) {
        for (const Run& run : m_runs)
            must(m_writer->endAttempt(run.attempt, state));
    }

private:
    static std::vector<store::SeriesKey> statisticsKeys() {
        std::vector<store::SeriesKey> keys;
        for (const char* layer : {"model.layers.0.mlp.down_proj", "model.layers.1.mlp.down_proj"}) {
            keys.push_back({layer, "grad_output", "", "underflows%", "%"});
            keys.push_back({layer, "grad_output", "", "saturated%", "%"});
        }
        return keys;
    }

    std::filesystem::path m_path;
    std::unique_ptr<store::Writer> m_writer;
    store::ExperimentId m_experiment;
    std::vector<Run> m_runs;
};

inline std::filesystem::path pathIn(const QTemporaryDir& folder, const char* name = "small.octet") {
    return std::filesystem::path(folder.path().toStdString()) / name;
}

/// The three runs in a folder of their own. @param steps  recorded; @param isFinished  the runs have ended
struct ThreeRuns {
    QTemporaryDir folder;
    Project recording{pathIn(folder)};

    explicit ThreeRuns(int steps = 0, bool isFinished = false) {
        recording.addThreeRuns();
        if (steps > 0) recording.record(0, steps);
        if (isFinished) recording.finish();
    }
    [[nodiscard]] const std::filesystem::path& path() const { return recording.path(); }
    [[nodiscard]] QString file() const { return QString::fromStdString(path().string()); }
    [[nodiscard]] store::RunId run(size_t index) { return recording.runs()[index].id; }
};

}  // namespace small_store
