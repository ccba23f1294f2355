// SPDX-License-Identifier: GPL-3.0-or-later
// The view part of StackPlot: what a person zoomed to, its history, and following the data.
#include <algorithm>
#include <cmath>

#include "ui/plots/stack_plot.h"
#include "ui/plots/stack_ranges.h"

namespace octet::ui {
namespace {

constexpr size_t kHistory = 100;

// The longest of what is shown: it says best which step was at which time.
const PlotSeries* longestSeries(const StackScene& scene) {
    const PlotSeries* longest = nullptr;
    for (const TrackCard& card : scene.cards)
        for (const Curve& curve : card.curves)
            if (curve.size() > 0 && scene.shows(curve) && (!longest || curve.series->size() > longest->size()))
                longest = curve.series.get();
    return longest;
}

// Not further out than four times the data, so that nobody gets lost.
QCPRange bounded(QCPRange range, const std::optional<QCPRange>& extent) {
    if (!extent || range.size() <= 4 * followRange(extent).size()) return range;
    return {range.center() - 2 * followRange(extent).size(), range.center() + 2 * followRange(extent).size()};
}

}  // namespace

QCPRange StackPlot::xRange() const {
    if (m_scene.cards.empty()) return m_view.x.value_or(followRange(m_extent));
    return m_scene.cards.front().rect->axis(QCPAxis::atBottom)->range();
}

void StackPlot::changeView(StackView view, Step step) {
    if (view.x) view.x = bounded(*view.x, m_extent);
    if (view.x && !isUsable(*view.x)) view.x = m_view.x;
    std::erase_if(view.y, [](const auto& entry) { return !isUsable(entry.second); });
    if (view == m_view) return;
    if (step == Step::New || m_at == 0) {
        m_history.resize(m_at + 1);
        m_history.push_back(view);
        if (m_history.size() > kHistory) m_history.erase(m_history.begin());
        m_at = m_history.size() - 1;
    }
    m_history[m_at] = view;
    m_view = std::move(view);
    applyView();
}

void StackPlot::applyView() {
    m_applying = true;
    m_selection->setXRange(m_view.x ? std::optional(XRange{m_view.x->lower, m_view.x->upper}) : std::nullopt);
    m_selection->setFollows(!m_view.x.has_value());
    m_applying = false;
    prepare();
    refresh();
}

void StackPlot::follow() {
    changeView({}, Step::New);
}

void StackPlot::back() {
    if (m_at == 0) return;
    m_view = m_history[--m_at];
    applyView();
}

void StackPlot::forward() {
    if (m_at + 1 >= m_history.size()) return;
    m_view = m_history[++m_at];
    applyView();
}

// The same stretch of the run on the new axis; older views are in other units and are dropped.
void StackPlot::convertView() {
    const XAxis before = std::exchange(m_axis, m_selection->xAxis());
    const PlotSeries* series = longestSeries(m_scene);
    if (m_view.x && series) {
        const auto convert = [&](double x) {
            const int64_t index = std::clamp<int64_t>(series->lastAtOrBefore(before, x), 0, series->size() - 1);
            return series->x(m_axis)[static_cast<size_t>(index)];
        };
        m_view.x = QCPRange(convert(m_view.x->lower), convert(m_view.x->upper));
        if (!isUsable(*m_view.x)) m_view.x.reset();
    } else {
        m_view.x.reset();
    }
    m_history = {m_view};
    m_at = 0;
    applyView();
}

}  // namespace octet::ui
