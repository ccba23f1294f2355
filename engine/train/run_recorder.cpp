// SPDX-License-Identifier: Apache-2.0
#include "engine/train/run_recorder.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace octet::train {
namespace {

using store::SeriesKey;

constexpr std::array<const char*, 3> kOperands{"input", "weight", "grad_output"};
constexpr size_t kGradOutput = 2;

/// Statistics of one operand, in the order of a row.
struct Statistic {
    const char* name;
    const char* unit;
    double (*of)(const numerics::CastStatistics&);
};
constexpr std::array<Statistic, 6> kStatistics{{
    {"underflows%", "%", [](const numerics::CastStatistics& s) { return s.underflowPercent(); }},
    {"overflows%", "%", [](const numerics::CastStatistics& s) { return s.overflowPercent(); }},
    {"saturated%", "%", [](const numerics::CastStatistics& s) { return s.saturatedPercent(); }},
    {"mse", "", [](const numerics::CastStatistics& s) { return s.meanSquaredError(); }},
    {"sqnr", "dB", [](const numerics::CastStatistics& s) { return s.sqnrDb(); }},
    {"cosine", "", [](const numerics::CastStatistics& s) { return s.cosine(); }},
}};

SeriesKey ofRun(const char* statistic, const char* unit) {
    return {"", "", "", statistic, unit};
}

/// Layer and operand of everything that the plan casts, in the order of OperandSample lists.
std::vector<CastOperand> castOperands(const recipe::TrainingPlan& plan) {
    std::vector<CastOperand> operands;
    for (const recipe::LayerPlan& layer : plan.layers) {
        for (size_t role = 0; role < kOperands.size(); ++role) {
            const recipe::OperandCast* cast = recipe::firstCastOf(layer, role);
            if (cast != nullptr) operands.push_back({{layer.name, kOperands[role], "", "", ""}, cast->hasManyScales()});
        }
    }
    return operands;
}

SeriesKey withStatistic(SeriesKey key, const char* statistic, const char* unit) {
    key.statistic = statistic;
    key.unit = unit;
    return key;
}

std::vector<float> rowOf(std::initializer_list<double> values) {
    std::vector<float> row;
    for (const double value : values)
        row.push_back(static_cast<float>(value));
    return row;
}

}  // namespace

RunRecorder::RunRecorder(store::Writer& writer, store::RunId run, const recipe::TrainingPlan& plan)
    : m_writer(&writer), m_run(run), m_operands(castOperands(plan)), m_fp8(plan.fp8) {
    for (const recipe::LayerPlan& layer : plan.layers)
        m_layerNames.push_back(layer.name);
}

Result<RunRecorder> RunRecorder::create(store::Writer& writer, store::RunId run, const recipe::TrainingPlan& plan) {
    RunRecorder recorder(writer, run, plan);
    std::vector<SeriesKey> update, statistics, evaluation{ofRun("eval_loss", "nats"), ofRun("eval_loss_high", "nats")};
    for (const auto& [key, manyScales] : recorder.m_operands) {
        update.push_back(withStatistic(key, "amax", ""));
        if (manyScales) {  // TE's names
            update.push_back(withStatistic(key, "scale_inv_min", ""));
            update.push_back(withStatistic(key, "scale_inv_max", ""));
        } else {
            update.push_back(withStatistic(key, "scale", ""));
        }
        for (const Statistic& statistic : kStatistics) {
            statistics.push_back(withStatistic(key, statistic.name, statistic.unit));
        }
    }
    if (plan.fp8) evaluation.push_back(ofRun("eval_loss_fp8", "nats"));
    const std::vector<SeriesKey> step{ofRun("loss", "nats"), ofRun("grad_norm", ""), ofRun("lr", ""),
                                      ofRun("step_ms", "ms")};
    const struct {
        const char* cadence;
        const std::vector<SeriesKey>& series;
        store::GroupId& id;
    } groups[] = {{"step", step, recorder.m_step},
                  {"update", update, recorder.m_update},
                  {"statistics", statistics, recorder.m_statistics},
                  {"eval", evaluation, recorder.m_evaluation}};
    for (const auto& group : groups) {
        if (group.series.empty()) continue;
        auto id = writer.addGroup(run, group.cadence, group.series);
        if (!id.ok()) return id.error();
        group.id = *id;
    }
    return recorder;
}

void RunRecorder::recordUpdate(const store::Axes& at, const std::vector<OperandSample>& samples, bool withStatistics) {
    if (samples.size() != m_operands.size() || samples.empty()) return;
    m_row.clear();
    for (size_t i = 0; i < samples.size(); ++i) {
        m_row.push_back(samples[i].amax);
        m_row.push_back(m_operands[i].manyScales ? samples[i].scaleInvMin : samples[i].scale);
        if (m_operands[i].manyScales) m_row.push_back(samples[i].scaleInvMax);
    }
    m_writer->append(m_update, at, m_row);
    noteColdStart(at, samples);
    if (withStatistics) {
        m_row.clear();
        for (const OperandSample& sample : samples) {
            for (const Statistic& statistic : kStatistics) {
                m_row.push_back(static_cast<float>(statistic.of(sample.statistics)));
            }
        }
        m_writer->append(m_statistics, at, m_row);
    }
    for (size_t i = 0; i < samples.size(); ++i) {
        if (samples[i].exponents == nullptr) continue;
        const numerics::ExponentCounts& counts = *samples[i].exponents;
        m_writer->addExponents(m_run, {m_operands[i].key.layer,
                                       m_operands[i].key.operand,
                                       at.step,
                                       {counts.normal.begin(), counts.normal.end()},
                                       counts.zeros,
                                       counts.subnormals,
                                       counts.infinities,
                                       counts.nans});
    }
}

void RunRecorder::recordStep(const store::Axes& at, const StepResult& result) {
    m_writer->append(m_step, at, rowOf({result.loss, result.gradNorm, result.learningRate, result.milliseconds}));
    noteNotFinite(at, result);
}

void RunRecorder::recordEvaluation(const store::Axes& at, const EvaluationResult& result) {
    std::vector<float> row = rowOf({result.asRecipe, result.highPrecision});
    if (m_fp8) row.push_back(static_cast<float>(result.fp8.value_or(NAN)));
    m_writer->append(m_evaluation, at, row);
}

void RunRecorder::noteColdStart(const store::Axes& at, const std::vector<OperandSample>& samples) {
    if (m_coldStart == ColdStart::Over) return;
    size_t cold = 0, gradients = 0, flushedWhole = 0;
    for (const OperandSample& sample : samples) {
        cold += sample.cold;
        if (!sample.cold || sample.operand != kGradOutput) continue;
        ++gradients;
        flushedWhole += sample.statistics.sumSquaresCast == 0;
    }
    if (cold > 0 && m_coldStart == ColdStart::NotSeen) {
        m_coldStart = ColdStart::Cold;
        note({store::EventKind::ColdStart, at.step, "",
              fmt::format("Cold start: {} operands are cast with scale 1, before an amax is known; dy is entirely zero "
                          "after the cast in {} of {} layers.",
                          cold, flushedWhole, gradients),
              Json{{"operands", cold}, {"layers", gradients}, {"layers_with_dy_all_zero", flushedWhole}}});
    }
    if (cold == 0) {
        if (m_coldStart == ColdStart::Cold) {
            note({store::EventKind::ColdStart, at.step, "",
                  fmt::format("Cold start is over: from step {:g} on every scale comes from an amax.", at.step),
                  nullptr});
        }
        m_coldStart = ColdStart::Over;
    }
}

void RunRecorder::noteNotFinite(const store::Axes& at, const StepResult& result) {
    if (!result.notFinite) {
        if (m_notFinite) note({store::EventKind::Note, at.step, "", "Loss and gradients are finite again.", nullptr});
        m_notFinite = false;
        return;
    }
    if (m_notFinite) return;
    m_notFinite = true;
    const bool lossBad = !std::isfinite(result.loss);
    const std::string where =
        result.notFinite->layer.empty()
            ? "no linear layer's operand shows it"
            : fmt::format("first in {} of {}", result.notFinite->operand, result.notFinite->layer);
    Json detail{{"operand", result.notFinite->operand},
                {"loss", jsonNumber(result.loss)},
                {"grad_norm", jsonNumber(result.gradNorm)}};
    note({store::EventKind::NotFinite, at.step, result.notFinite->layer,
          fmt::format("NaN or Inf in {}: {}.", lossBad ? "the loss" : "the tensors", where), detail});
}

}  // namespace octet::train
