// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/growing_store.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "engine/store/writer.h"

namespace octet::ui {
namespace {

constexpr int kBlocks = 7, kSteps = 1'000'000;
constexpr std::array kLinears{"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.o_proj",
                              "mlp.gate_proj",    "mlp.up_proj",      "mlp.down_proj"};
constexpr std::array kOperands{"input", "weight", "grad_output"};
constexpr std::array kStatistics{"amax", "scale", "underflows%", "overflows%", "saturated%", "mse", "sqnr"};

struct Run {
    store::RunId id;
    store::AttemptId attempt;
    store::GroupId steps, updates;
    double level = 0;  // of the loss
};

std::vector<store::SeriesKey> updateKeys() {
    std::vector<store::SeriesKey> keys;
    for (int block = 0; block < kBlocks; ++block)
        for (const char* linear : kLinears)
            for (const char* operand : kOperands)
                for (const char* statistic : kStatistics)
                    keys.push_back({fmt::format("model.layers.{}.{}", block, linear), operand, "", statistic, ""});
    return keys;
}

std::vector<store::NewLayer> layers() {
    std::vector<store::NewLayer> list;
    const Json gemms{{"fprop", "E4M3 x E4M3"}, {"dgrad", "E5M2 x E4M3"}, {"wgrad", "E5M2 x E4M3"}};
    for (int block = 0; block < kBlocks; ++block)
        for (const char* linear : kLinears)
            list.push_back(
                {fmt::format("model.layers.{}.{}", block, linear), 256, 256, true, "multiples of 16", gemms});
    return list;
}

class TrainerLike {
public:
    explicit TrainerLike(std::unique_ptr<store::Writer> writer) : m_writer(std::move(writer)) {}

    /// @return the number of series, 0 when the store did not take them
    int64_t prepare() {
        const auto experiment = m_writer->addExperiment({"Growing", Json{{"steps", kSteps}}, std::nullopt});
        if (!experiment) return 0;
        int64_t series = 0;
        for (const char* format : {"HYBRID", "E4M3", ""}) {
            const int64_t added = addRun(*experiment, format);
            if (added == 0) return 0;
            series += added;
        }
        return m_writer->commit().ok() ? series : 0;
    }

    void step(int step) {
        const store::Axes at{static_cast<double>(step), 1024.0 * (step + 1), 0.1 * (step + 1)};
        for (const Run& run : m_runs) {
            const float noise = 0.05F * (static_cast<float>(m_random() >> 8) * 0x1p-24F - 0.5F);
            const std::array perStep{static_cast<float>(run.level + 4 * std::exp(-step / 300.0)) + noise, 0.5F, 1e-3F,
                                     90.0F};
            m_writer->append(run.steps, at, perStep);
            if (!run.updates.valid()) continue;
            for (size_t i = 0; i < m_values.size(); ++i)
                m_values[i] =
                    static_cast<float>(i % kStatistics.size()) + static_cast<float>(m_random() >> 8) * 0x1p-24F;
            m_writer->append(run.updates, at, m_values);
        }
        if (m_writer->commitDue()) (void)m_writer->commit();
    }

    void finish() {
        for (const Run& run : m_runs)
            (void)m_writer->endAttempt(run.attempt, store::RunState::Stopped);
    }

private:
    int64_t addRun(store::ExperimentId experiment, const std::string& format) {
        store::NewRun fresh;
        fresh.experiment = experiment;
        fresh.baseline = format.empty();
        fresh.name = fresh.recipeName = fresh.baseline ? "baseline" : format;
        fresh.recipe = Json{{"octet_recipe", 1}, {"name", fresh.name}, {"backend", fresh.baseline ? "none" : "TE"}};
        fresh.effective = Json{{"fp8", !fresh.baseline}};
        fresh.seed = 1;
        fresh.plannedSteps = kSteps;
        fresh.environment = Json{{"device", "cpu"}, {"tokens_per_update", 1024}, {"tokens_per_step", 1024}};
        const auto id = m_writer->addRun(fresh);
        if (!id) return 0;
        const std::array perStep{store::SeriesKey{"", "", "", "loss", "nats"},
                                 store::SeriesKey{"", "", "", "grad_norm", ""}, store::SeriesKey{"", "", "", "lr", ""},
                                 store::SeriesKey{"", "", "", "step_ms", "ms"}};
        const auto attempt = m_writer->beginAttempt(*id);
        const auto steps = m_writer->addGroup(*id, "step", perStep);
        if (!attempt || !steps) return 0;
        Run run{*id, *attempt, *steps, {}, 1.5 + 0.01 * static_cast<double>(m_runs.size())};
        int64_t series = perStep.size();
        if (!fresh.baseline) {
            const auto keys = updateKeys();
            const auto updates = m_writer->addGroup(*id, "update", keys);
            if (!updates || !m_writer->addLayers(*id, layers())) return 0;
            run.updates = *updates;
            m_values.resize(keys.size());
            series += static_cast<int64_t>(keys.size());
        }
        m_runs.push_back(run);
        return series;
    }

    std::unique_ptr<store::Writer> m_writer;
    std::vector<Run> m_runs;
    std::vector<float> m_values;
    std::mt19937 m_random{7};
};

/// Writes until `stop` is closed at its other end.
void write(const std::filesystem::path& path, int ready, int stop) {
    store::WriterOptions options;
    options.create = true;
    auto writer = store::Writer::open(path, options);
    if (!writer) return;
    TrainerLike trainer(std::move(*writer));
    const int64_t series = trainer.prepare();
    if (::write(ready, &series, sizeof series) != ssize_t{sizeof series}) return;
    pollfd end{stop, POLLIN, 0};
    for (int step = 0; poll(&end, 1, 1000 / kGrowingStepsPerSecond) == 0; ++step)
        trainer.step(step);
    trainer.finish();
}

}  // namespace

GrowingStore::GrowingStore(std::filesystem::path path) : m_path(std::move(path)) {
    int ready[2], stop[2];
    if (pipe(ready) != 0) return;
    if (pipe(stop) != 0) {
        for (const int end : ready)
            close(end);
        return;
    }
    m_process = fork();
    if (m_process == 0) {
        close(ready[0]);
        close(stop[1]);
        write(m_path, ready[1], stop[0]);
        _exit(0);
    }
    close(ready[1]);
    close(stop[0]);
    m_stop = stop[1];
    if (m_process > 0 && read(ready[0], &m_series, sizeof m_series) != ssize_t{sizeof m_series}) m_series = 0;
    close(ready[0]);
}

GrowingStore::~GrowingStore() {
    if (m_stop >= 0) close(m_stop);
    if (m_process > 0) waitpid(m_process, nullptr, 0);
}

}  // namespace octet::ui
