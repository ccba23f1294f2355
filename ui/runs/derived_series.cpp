// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/derived_series.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace octet::ui {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

store::SeriesInfo derivedInfo(const SeriesView& source, const char* statistic, const char* unit) {
    store::SeriesInfo info = source.info;
    info.id = {};
    info.key = {"", "", "", statistic, unit};
    return info;
}

}  // namespace

DerivedSeries::DerivedSeries(const store::SeriesInfo& info, std::shared_ptr<SampleAxes> axes)
    : m_view(std::make_shared<SeriesView>()), m_sharesAxes(axes != nullptr) {
    m_view->info = info;
    if (axes) m_view->axes = std::move(axes);
}

void DerivedSeries::append(const SeriesView& at, int64_t index, double value) {
    const auto i = static_cast<size_t>(index);
    if (!m_sharesAxes) {
        m_view->axes->step.push_back(at.axes->step[i]);
        m_view->axes->tokens.push_back(at.axes->tokens[i]);
        m_view->axes->wallTime.push_back(at.axes->wallTime[i]);
    }
    const auto sample = static_cast<float>(value);
    m_view->values.append({&sample, 1});
}

SmoothedSeries::SmoothedSeries(SeriesPointer source, double smoothing)
    : DerivedSeries(derivedInfo(*source, "smoothed", source->info.key.unit.c_str()), source->axes),
      m_source(std::move(source)),
      m_average(smoothing) {}

void SmoothedSeries::advance() {
    for (int64_t i = view()->size(); i < m_source->size(); ++i)
        append(*m_source, i, m_average.next(static_cast<double>(m_source->values.at(i))));
}

ThroughputSeries::ThroughputSeries(SeriesPointer stepMs, double tokens)
    : DerivedSeries(derivedInfo(*stepMs, "tokens_per_s", "1/s"), stepMs->axes),
      m_stepMs(std::move(stepMs)),
      m_tokens(tokens) {}

void ThroughputSeries::advance() {
    for (int64_t i = view()->size(); i < m_stepMs->size(); ++i) {
        const auto ms = static_cast<double>(m_stepMs->values.at(i));
        append(*m_stepMs, i, ms > 0 ? 1000 * m_tokens / ms : kNan);
    }
}

LimitSeries::LimitSeries(SeriesPointer scale, double maximum)
    : DerivedSeries(derivedInfo(*scale, "limit", ""), scale->axes), m_scale(std::move(scale)), m_maximum(maximum) {}

void LimitSeries::advance() {
    for (int64_t i = view()->size(); i < m_scale->size(); ++i) {
        const auto scale = static_cast<double>(m_scale->values.at(i));
        append(*m_scale, i, scale > 0 ? m_maximum / scale : kNan);
    }
}

GapSeries::GapSeries(SeriesPointer loss, SeriesPointer baseline)
    : DerivedSeries(derivedInfo(*loss, "gap%", "%")), m_loss(std::move(loss)), m_baseline(std::move(baseline)) {}

void GapSeries::advance() {
    const auto sampleOf = [](const SeriesView& of, int64_t i) { return static_cast<double>(of.values.at(i)); };
    while (m_next < m_loss->size() && m_otherNext < m_baseline->size()) {
        const double step = m_loss->axes->step[static_cast<size_t>(m_next)];
        const double otherStep = m_baseline->axes->step[static_cast<size_t>(m_otherNext)];
        double own = 0, other = 0;
        if (otherStep <= step) other = m_other.next(sampleOf(*m_baseline, m_otherNext++));
        if (otherStep < step) continue;
        own = m_own.next(sampleOf(*m_loss, m_next++));
        if (step == otherStep) append(*m_loss, m_next - 1, 100 * (own - other) / std::fabs(other));
    }
}

MeanSeries::MeanSeries(std::vector<Part> parts)
    : DerivedSeries(derivedInfo(*parts.front().data, parts.front().data->info.key.statistic.c_str(), "%"),
                    parts.front().data->axes),
      m_parts(std::move(parts)) {}

void MeanSeries::advance() {
    int64_t size = std::numeric_limits<int64_t>::max();
    for (const Part& part : m_parts)
        size = std::min(size, part.data->size());
    for (int64_t i = view()->size(); i < size; ++i) {
        double sum = 0, weights = 0;
        for (const Part& part : m_parts) {
            const auto value = static_cast<double>(part.data->values.at(i));
            if (!std::isfinite(value)) continue;
            sum += part.weight * value;
            weights += part.weight;
        }
        append(*m_parts.front().data, i, weights > 0 ? sum / weights : kNan);
    }
}

SpreadSeries::SpreadSeries(std::vector<SeriesPointer> seeds, Kind kind)
    : DerivedSeries(
          derivedInfo(*seeds.front(), seeds.front()->info.key.statistic.c_str(), seeds.front()->info.key.unit.c_str())),
      m_seeds(std::move(seeds)),
      m_next(m_seeds.size()),
      m_kind(kind) {}

void SpreadSeries::advance() {
    while (alignNext()) {
        append(*m_seeds.front(), m_next.front(), valueNow());
        for (int64_t& next : m_next)
            ++next;
    }
}

/// Moves every seed to the next step that all have; false when one of them has no more samples.
bool SpreadSeries::alignNext() {
    const auto stepOf = [this](size_t seed) { return m_seeds[seed]->axes->step[static_cast<size_t>(m_next[seed])]; };
    double wanted = -std::numeric_limits<double>::infinity();
    size_t agreeing = 0;
    for (size_t seed = 0; agreeing < m_seeds.size(); seed = (seed + 1) % m_seeds.size()) {
        while (m_next[seed] < m_seeds[seed]->size() && stepOf(seed) < wanted)
            ++m_next[seed];
        if (m_next[seed] >= m_seeds[seed]->size()) return false;
        agreeing = stepOf(seed) > wanted ? 1 : agreeing + 1;
        wanted = stepOf(seed);
    }
    return true;
}

double SpreadSeries::valueNow() const {
    double sum = 0, least = std::numeric_limits<double>::infinity(), most = -least;
    for (size_t seed = 0; seed < m_seeds.size(); ++seed) {
        const auto value = static_cast<double>(m_seeds[seed]->values.at(m_next[seed]));
        sum += value;
        if (!std::isfinite(value)) continue;
        least = std::min(least, value);
        most = std::max(most, value);
    }
    if (m_kind == Kind::Mean) return std::isfinite(sum) ? sum / static_cast<double>(m_seeds.size()) : kNan;
    const double value = m_kind == Kind::Least ? least : most;
    return std::isfinite(value) ? value : kNan;
}

int64_t indexAt(const std::vector<double>& axis, int64_t size, double x) {
    const auto end = axis.begin() + std::min<int64_t>(size, static_cast<int64_t>(axis.size()));
    return std::upper_bound(axis.begin(), end, x) - axis.begin() - 1;
}

}  // namespace octet::ui
