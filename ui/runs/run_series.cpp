// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/run_series.h"

#include "engine/analysis/operand_figures.h"

namespace octet::ui {
namespace {

double numberAt(const Json& object, const char* key) {
    return object.is_object() && object.contains(key) ? numberFromJson(object[key]).value_or(0) : 0;
}

/// Largest value of the format that an operand is cast to; 0 when that is not recorded.
double formatMaximum(const store::RunInfo& run, const std::string& operand) {
    const Json& effective = run.effective;
    if (!effective.is_object() || !effective.contains("scaling") || !effective["scaling"].is_object()) return 0;
    const Json& scaling = effective["scaling"];
    const char* direction = operand == "grad_output" ? "backward" : "forward";
    if (!scaling.contains(direction) || !scaling[direction].is_string()) return 0;
    return scaling[direction] == "E5M2" ? 57344 : scaling[direction] == "E4M3" ? 448 : 0;
}

}  // namespace

RunSeries::Entry& RunSeries::entry(store::RunId run, const store::SeriesKey& key) {
    return m_recorded.try_emplace(Key{run.value, key.layer, key.operand, key.statistic}, Entry{run, key, {}, {}})
        .first->second;
}

SeriesPointer RunSeries::recorded(store::RunId run, const store::SeriesKey& key) {
    return entry(run, key).data;
}

/// @param make  returns the new series, or nullptr while a source is missing
template <typename Make>
SeriesPointer RunSeries::derived(const DerivedKey& key, Make make) {
    const auto known = m_derived.find(key);
    if (known != m_derived.end()) return known->second->view();
    std::unique_ptr<DerivedSeries> made = make();
    if (!made) return nullptr;
    made->advance();
    return m_derived.emplace(key, std::move(made)).first->second->view();
}

SeriesPointer RunSeries::smoothedLoss(store::RunId run) {
    const SeriesPointer source = loss(run);
    return derived({"smoothed", run.value, ""}, [&]() -> std::unique_ptr<DerivedSeries> {
        return source ? std::make_unique<SmoothedSeries>(source, kLossSmoothing) : nullptr;
    });
}

SeriesPointer RunSeries::throughput(const store::RunInfo& run) {
    const SeriesPointer stepMs = recorded(run.id, {"", "", "", "step_ms", ""});
    const double tokens = numberAt(run.environment, "tokens_per_step");
    return derived({"throughput", run.id.value, ""}, [&]() -> std::unique_ptr<DerivedSeries> {
        return stepMs && tokens > 0 ? std::make_unique<ThroughputSeries>(stepMs, tokens) : nullptr;
    });
}

SeriesPointer RunSeries::gap(store::RunId run, store::RunId baseline) {
    const SeriesPointer own = loss(run), other = loss(baseline);
    const DerivedKey key{"gap", run.value, std::to_string(baseline.value)};
    return derived(key, [&]() -> std::unique_ptr<DerivedSeries> {
        return own && other ? std::make_unique<GapSeries>(own, other) : nullptr;
    });
}

SeriesPointer RunSeries::limit(const store::RunInfo& run, const std::string& layer, const std::string& operand) {
    const SeriesPointer scale = recorded(run.id, {layer, operand, "", "scale", ""});
    const double maximum = formatMaximum(run, operand);
    return derived({"limit", run.id.value, layer + '/' + operand}, [&]() -> std::unique_ptr<DerivedSeries> {
        return scale && maximum > 0 ? std::make_unique<LimitSeries>(scale, maximum) : nullptr;
    });
}

SeriesPointer RunSeries::mean(const store::RunInfo& run, const char* name, const char* statistic,
                              const std::vector<const char*>& operands) {
    const DerivedKey derivedKey{name, run.id.value, ""};
    const auto known = m_derived.find(derivedKey);
    if (known != m_derived.end()) return known->second->view();
    const double tokens = numberAt(run.environment, "tokens_per_update");
    std::vector<MeanSeries::Part> parts;
    bool allLooked = true;
    for (const store::LayerInfo& layer : m_project->layers(run.id)) {
        if (!layer.converted) continue;
        for (const char* operand : operands) {
            const Entry& one = entry(run.id, {layer.name, operand, "", statistic, ""});
            allLooked = allLooked && one.state != State::Wanted;
            if (one.data) parts.push_back({one.data, analysis::elementsOf(layer, operand, tokens)});
        }
    }
    return derived(derivedKey, [&]() -> std::unique_ptr<DerivedSeries> {
        return allLooked && !parts.empty() ? std::make_unique<MeanSeries>(std::move(parts)) : nullptr;
    });
}

SeriesPointer RunSeries::meanUnderflow(const store::RunInfo& run) {
    return mean(run, "underflow", "underflows%", {"grad_output"});
}

SeriesPointer RunSeries::meanSaturated(const store::RunInfo& run) {
    return mean(run, "saturated", "saturated%", {"input", "weight", "grad_output"});
}

SeriesPointer RunSeries::spread(const char* name, const std::vector<SeriesPointer>& seeds, SpreadSeries::Kind kind) {
    std::string members = std::to_string(static_cast<int>(kind));
    for (const SeriesPointer& seed : seeds) {
        if (!seed) return nullptr;
        members += ',' + std::to_string(seed->info.run.value);
    }
    return derived({std::string("spread.") + name, 0, members},
                   [&] { return std::make_unique<SpreadSeries>(seeds, kind); });
}

RunSeries::Update RunSeries::update(std::chrono::milliseconds budget) {
    const auto end = std::chrono::steady_clock::now() + budget;
    Update update;
    for (auto& [key, one] : m_recorded) {
        if (one.state != State::Wanted) continue;
        if (std::chrono::steady_clock::now() > end) {
            update.complete = false;
            break;
        }
        one.data = m_project->series(one.run, one.key);
        one.state = one.data ? State::Found : State::Missing;
        update.found = update.found || one.data;
    }
    for (auto& [key, series] : m_derived)
        series->advance();
    return update;
}

void RunSeries::retryMissing() {
    for (auto& [key, one] : m_recorded)
        if (one.state == State::Missing) one.state = State::Wanted;
}

}  // namespace octet::ui
