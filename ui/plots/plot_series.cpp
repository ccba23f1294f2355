// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/plot_series.h"

#include <algorithm>
#include <cmath>

#include "ui/documents/project.h"

namespace octet::ui {

PlotSeries::PlotSeries(std::shared_ptr<const SeriesView> view) : m_view(std::move(view)), m_values(&m_view->values) {}

PlotSeries::PlotSeries(std::vector<double> x, std::span<const double> y) : m_x(std::move(x)), m_values(&m_own) {
    m_x.resize(std::min(m_x.size(), y.size()));
    std::vector<float> narrow(m_x.size());
    std::transform(y.begin(), y.begin() + static_cast<std::ptrdiff_t>(m_x.size()), narrow.begin(),
                   [](double value) { return static_cast<float>(value); });
    m_own.append(narrow);
}

bool PlotSeries::update(int64_t budget) {
    const int64_t before = m_size;
    m_size = m_values->size();
    if (m_view) m_size = std::min(m_size, static_cast<int64_t>(m_view->axes->step.size()));
    if (m_size < before) {  // replaced by a shorter one: read again from the start
        forget();
        return update(budget);
    }
    findNonFinite(before, m_size);
    bool complete = true;
    for (auto& [smoothing, average] : m_averages)
        complete = extend(average, budget) && complete;
    return complete;
}

void PlotSeries::forget() {
    m_size = 0;
    m_nonFinite.clear();
    std::fill(std::begin(m_counts), std::end(m_counts), 0);
    for (auto& [smoothing, average] : m_averages)
        average = Average{series::DebiasedEma(smoothing), {}};
}

void PlotSeries::wantSmoothed(double smoothing) {
    if (smoothing > 0) m_averages.try_emplace(smoothing, Average{series::DebiasedEma(smoothing), {}});
}

std::span<const double> PlotSeries::x(XAxis axis) const {
    const auto count = static_cast<size_t>(m_size);
    if (!m_view) return std::span(m_x).first(count);
    const SampleAxes& axes = *m_view->axes;
    const auto& wanted = axis == XAxis::Tokens ? axes.tokens : axis == XAxis::WallTime ? axes.wallTime : axes.step;
    return std::span(wanted.size() >= count ? wanted : axes.step).first(count);
}

const series::Pyramid& PlotSeries::values(double smoothing) const {
    const auto found = m_averages.find(smoothing);
    return found == m_averages.end() ? *m_values : found->second.values;
}

std::pair<int64_t, int64_t> PlotSeries::indices(XAxis axis, double lower, double upper) const {
    const auto xs = x(axis);
    const auto first = std::lower_bound(xs.begin(), xs.end(), lower);
    const auto last = std::upper_bound(first, xs.end(), upper);
    return {first - xs.begin(), last - xs.begin()};
}

int64_t PlotSeries::lastAtOrBefore(XAxis axis, double at) const {
    const auto xs = x(axis);
    return std::upper_bound(xs.begin(), xs.end(), at) - xs.begin() - 1;
}

// The pyramid knows how many there are in a range, so only halves that hold some are walked.
void PlotSeries::findNonFinite(int64_t first, int64_t last) {
    constexpr int64_t kWalk = 64;
    if (first >= last || m_values->range(first, last).nonFinite == 0) return;
    if (last - first > kWalk) {
        const int64_t middle = first + (last - first) / 2;
        findNonFinite(first, middle);
        findNonFinite(middle, last);
        return;
    }
    for (int64_t index = first; index < last; ++index)
        note(index, m_values->at(index));
}

void PlotSeries::note(int64_t index, float value) {
    if (std::isfinite(value)) return;
    const NonFinite kind = std::isnan(value) ? NonFinite::NaN : value > 0 ? NonFinite::PlusInf : NonFinite::MinusInf;
    ++m_counts[static_cast<size_t>(kind)];
    if (!m_nonFinite.empty() && m_nonFinite.back().last == index && m_nonFinite.back().kind == kind)
        ++m_nonFinite.back().last;
    else
        m_nonFinite.push_back({index, index + 1, kind});
}

bool PlotSeries::extend(Average& average, int64_t budget) const {
    constexpr int64_t kBlock = 4096;
    std::vector<float> block;
    const int64_t end = std::min(m_size, average.values.size() + budget);
    for (int64_t at = average.values.size(); at < end;) {
        const int64_t blockEnd = std::min(end, at + kBlock);
        block.clear();
        for (; at < blockEnd; ++at)
            block.push_back(static_cast<float>(average.ema.next(m_values->at(at))));
        average.values.append(block);
    }
    return end == m_size;
}

}  // namespace octet::ui
