// SPDX-License-Identifier: Apache-2.0
#include "app/operand_figures.h"

#include <algorithm>
#include <map>

#include "app/store_access.h"
#include "engine/series/comparison.h"

namespace octet::app {
namespace {

double numberAt(const Json& object, const char* key) {
    return object.is_object() && object.contains(key) ? numberFromJson(object[key]).value_or(0) : 0;
}

/// Elements of one operand of one update: tokens x in, out x in, tokens x out.
double elementsOf(const store::LayerInfo& layer, const std::string& operand, double tokens) {
    const auto out = static_cast<double>(layer.outFeatures), in = static_cast<double>(layer.inFeatures);
    return operand == "weight" ? out * in : operand == "input" ? tokens * in : tokens * out;
}

/// Reads series of one recording group from the first sample that is wanted: all of them share their steps.
class TailReader {
public:
    TailReader(store::Reader& reader, double fromStep) : m_reader(reader), m_fromStep(fromStep) {}

    Result<store::SeriesData> read(const store::SeriesInfo& series) {
        const auto known = m_first.find(series.cadence);
        if (known != m_first.end()) return m_reader.samples(series.id, known->second);
        auto data = m_reader.samples(series.id);
        if (!data) return data;
        const auto first = std::lower_bound(data->step.begin(), data->step.end(), m_fromStep);
        m_first[series.cadence] = first - data->step.begin();
        return data;
    }

private:
    store::Reader& m_reader;
    double m_fromStep;
    std::map<std::string, int64_t> m_first;
};

Result<std::optional<double>> tokensPerSecond(store::Reader& reader, const store::RunInfo& run) {
    const auto times = samplesOf(reader, run.id, "step_ms");
    if (!times) return times.error();
    const auto middle = series::median({times->value.begin(), times->value.end()});
    const double tokens = numberAt(run.environment, "tokens_per_step");
    if (!middle || *middle <= 0 || tokens <= 0) return std::optional<double>();
    return std::optional(1000 * tokens / *middle);
}

}  // namespace

Result<OperandFigures> operandFigures(store::Reader& reader, const store::RunInfo& run,
                                      const std::vector<double>& commonSteps) {
    OperandFigures figures;
    const auto speed = tokensPerSecond(reader, run);
    if (!speed) return speed.error();
    figures.tokensPerSecond = *speed;
    if (commonSteps.empty()) return figures;

    const auto layers = reader.layers(run.id);
    if (!layers) return layers.error();
    const auto all = reader.series(run.id);
    if (!all) return all.error();
    const double tokens = numberAt(run.environment, "tokens_per_update");
    const double from = commonSteps[commonSteps.size() - series::lastTenth(commonSteps.size())];
    TailReader tail(reader, from);
    std::vector<store::SeriesData> samples;
    samples.reserve(all->size());  // the spans below point into it
    std::vector<series::WeightedSamples> underflow, saturated;
    for (const store::SeriesInfo& one : *all) {
        const bool isUnderflow = one.key.statistic == "underflows%" && one.key.operand == "grad_output";
        if (!isUnderflow && one.key.statistic != "saturated%") continue;
        const auto layer = std::find_if(layers->begin(), layers->end(),
                                        [&](const store::LayerInfo& info) { return info.name == one.key.layer; });
        if (layer == layers->end()) continue;
        auto data = tail.read(one);
        if (!data) return data.error();
        samples.push_back(std::move(*data));
        (isUnderflow ? underflow : saturated)
            .push_back({samples.back().step, samples.back().value, elementsOf(*layer, one.key.operand, tokens)});
    }
    figures.dyUnderflowPercent = series::weightedMean(underflow, from, commonSteps.back());
    figures.saturatedPercent = series::weightedMean(saturated, from, commonSteps.back());
    return figures;
}

}  // namespace octet::app
