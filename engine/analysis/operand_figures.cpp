// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/operand_figures.h"

#include <algorithm>

#include "engine/series/comparison.h"

namespace octet::analysis {
namespace {

double numberAt(const Json& object, const char* key) {
    return object.is_object() && object.contains(key) ? numberFromJson(object[key]).value_or(0) : 0;
}

Result<std::optional<double>> tokensPerSecond(RunSource& source, const store::RunInfo& run) {
    const auto times = samplesOf(source, run.id, "step_ms");
    if (!times) return times.error();
    const auto middle = series::median({times->value.begin(), times->value.end()});
    const double tokens = numberAt(run.environment, "tokens_per_step");
    if (!middle || *middle <= 0 || tokens <= 0) return std::optional<double>();
    return std::optional(1000 * tokens / *middle);
}

}  // namespace

double elementsOf(const store::LayerInfo& layer, const std::string& operand, double tokens) {
    const auto out = static_cast<double>(layer.outFeatures), in = static_cast<double>(layer.inFeatures);
    return operand == "weight" ? out * in : operand == "input" ? tokens * in : tokens * out;
}

Result<OperandFigures> operandFigures(RunSource& source, const store::RunInfo& run,
                                      const std::vector<double>& commonSteps) {
    OperandFigures figures;
    const auto speed = tokensPerSecond(source, run);
    if (!speed) return speed.error();
    figures.tokensPerSecond = *speed;
    if (commonSteps.empty()) return figures;

    const auto layers = source.layers(run.id);
    if (!layers) return layers.error();
    const auto all = source.series(run.id);
    if (!all) return all.error();
    const double tokens = numberAt(run.environment, "tokens_per_update");
    const double from = commonSteps[commonSteps.size() - series::lastTenth(commonSteps.size())];
    std::vector<store::SeriesData> samples;
    samples.reserve(all->size());  // the spans below point into it
    std::vector<series::WeightedSamples> underflow, saturated;
    for (const store::SeriesInfo& one : *all) {
        const bool isUnderflow = one.key.statistic == "underflows%" && one.key.operand == "grad_output";
        if (!isUnderflow && one.key.statistic != "saturated%") continue;
        const auto layer = std::find_if(layers->begin(), layers->end(),
                                        [&](const store::LayerInfo& info) { return info.name == one.key.layer; });
        if (layer == layers->end()) continue;
        auto data = source.samples(one, from);
        if (!data) return data.error();
        samples.push_back(std::move(*data));
        (isUnderflow ? underflow : saturated)
            .push_back({samples.back().step, samples.back().value, elementsOf(*layer, one.key.operand, tokens)});
    }
    figures.dyUnderflowPercent = series::weightedMean(underflow, from, commonSteps.back());
    figures.saturatedPercent = series::weightedMean(saturated, from, commonSteps.back());
    return figures;
}

}  // namespace octet::analysis
