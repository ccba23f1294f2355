// SPDX-License-Identifier: Apache-2.0
#include "engine/scaling/delayed_scaling.h"

#include <algorithm>

namespace octet::scaling {

DelayedScaling::DelayedScaling(const DelayedScalingRule& rule)
    : m_rule(rule), m_older(static_cast<size_t>(std::max(rule.historyLen, 1) - 1), 0.0f) {}

DelayedScaling::DelayedScaling(const DelayedScalingRule& rule, const std::vector<float>& history, float scale)
    : m_rule(rule), m_older(history.begin() + 1, history.end()), m_staged(history.front()), m_scale(scale) {
    m_rule.historyLen = static_cast<int>(history.size());
}

void DelayedScaling::stage(float amax) {
    m_staged = maxIgnoringNan(m_staged, amax);
}

void DelayedScaling::update(float reduced) {
    const bool makeScale = m_updates++ % m_rule.interval == 0;
    if (m_rule.path == UpdatePath::Fused)
        updateFused(reduced, makeScale);
    else
        updateUnfused(reduced, makeScale);
}

void DelayedScaling::updateFused(float reduced, bool makeScale) {
    const float newest = reduced != 0.0f ? reduced : m_staged;
    if (newest == 0.0f) return;  // nothing recorded: no roll, scale kept
    float amax = newest;
    if (m_rule.algo == AmaxAlgo::Max) {
        for (const float row : m_older)
            amax = maxIgnoringNan(amax, row);
    }
    roll(newest);
    if (makeScale) makeScaleFrom(amax);
}

void DelayedScaling::updateUnfused(float reduced, bool makeScale) {
    float amax = reduced;
    if (m_rule.algo == AmaxAlgo::Max) {
        for (const float row : m_older)
            amax = maxSpreadingNan(amax, row);
    }
    roll(reduced);
    if (makeScale) makeScaleFrom(amax);
}

void DelayedScaling::roll(float newest) {
    if (!m_older.empty()) {
        m_older[m_oldest] = newest;
        m_oldest = (m_oldest + 1) % m_older.size();
    }
    m_staged = 0;
}

void DelayedScaling::makeScaleFrom(float amax) {
    if (!(amax > 0.0f) || !isFinite(amax)) return;  // zero, Inf or NaN: the scale stays
    m_scale = delayedScale(m_rule.path, amax, m_scale, m_rule.fp8Max, m_rule.margin);
    m_scaleMade = true;
}

std::vector<float> DelayedScaling::history() const {
    std::vector<float> rows{m_staged};
    for (size_t i = 0; i < m_older.size(); ++i)
        rows.push_back(m_older[(m_oldest + i) % m_older.size()]);
    return rows;
}

}  // namespace octet::scaling
