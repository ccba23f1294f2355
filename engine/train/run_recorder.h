// SPDX-License-Identifier: Apache-2.0
// Turns what a run trainer reports into samples and events of a store: groups "step", "update" (amax and scale of every
// cast operand, one row an update), "statistics" (counters and error measures) and "eval".
#pragma once

#include <string>
#include <vector>

#include "engine/core/result.h"
#include "engine/store/writer.h"
#include "engine/train/run_trainer.h"

namespace octet::train {

/// One operand that is cast: layer and operand of its series, and whether its scale is one number.
struct CastOperand {
    store::SeriesKey key;
    bool manyScales = false;
};

class RunRecorder {
public:
    [[nodiscard]] static Result<RunRecorder> create(store::Writer& writer, store::RunId run,
                                                    const recipe::TrainingPlan& plan);

    void recordUpdate(const store::Axes& at, const std::vector<OperandSample>& samples, bool withStatistics);
    void recordStep(const store::Axes& at, const StepResult& result);
    void recordEvaluation(const store::Axes& at, const EvaluationResult& result);
    /// After a step: NaN and Inf, once when they appear and once when they are gone.
    void noteNotFinite(const store::Axes& at, const StepResult& result);
    void note(const store::Event& event) { m_writer->addEvent(m_run, event); }

private:
    RunRecorder(store::Writer& writer, store::RunId run, const recipe::TrainingPlan& plan);
    /// The steps cast with the initial scale 1, before an amax is known: a named event when they begin and end.
    void noteColdStart(const store::Axes& at, const std::vector<OperandSample>& samples);

    store::Writer* m_writer;
    store::RunId m_run;
    std::vector<std::string> m_layerNames;
    std::vector<CastOperand> m_operands;  // in sample order
    bool m_fp8 = false;
    store::GroupId m_step, m_update, m_statistics, m_evaluation;
    std::vector<float> m_row;  // reused
    enum class ColdStart { NotSeen, Cold, Over } m_coldStart = ColdStart::NotSeen;
    bool m_notFinite = false;
};

}  // namespace octet::train
