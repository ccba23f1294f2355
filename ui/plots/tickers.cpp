// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/tickers.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace octet::ui {
namespace {

// 1, 2 or 5 times a power of ten, the next one not below `ideal`.
double roundUp(double ideal) {
    const double power = std::pow(10.0, std::floor(std::log10(ideal)));
    for (const double digit : {1.0, 2.0, 5.0})
        if (digit * power >= ideal * 0.999) return digit * power;
    return 10 * power;
}

double roundTime(double ideal) {
    constexpr std::array<double, 14> steps{1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200};
    if (ideal <= 0.5) return roundUp(ideal);
    const auto found = std::lower_bound(steps.begin(), steps.end(), ideal * 0.999);
    return found == steps.end() ? 3600 * roundUp(ideal / 3600) : *found;
}

double roundOctaves(double ideal) {
    if (ideal <= 0.5) return roundUp(ideal);
    return std::pow(2.0, std::ceil(std::log2(ideal) - 1e-3));
}

/// One label is no scale.
bool hasTwoLabels(double step, const QCPRange& range) {
    return std::floor(range.upper / step) - std::ceil(range.lower / step) >= 1;
}

}  // namespace

double PositionTicker::getTickStep(const QCPRange& range) {
    const double ideal = range.size() / std::max(mTickCount, 1);
    m_step = m_axis == XAxis::WallTime ? roundTime(ideal) : std::max(1.0, roundUp(ideal));
    return m_step;
}

QString PositionTicker::getTickLabel(double tick, const QLocale&, QChar, int) {
    return positionTickText(m_axis, tick, m_step);
}

double ValueTicker::getTickStep(const QCPRange& range) {
    const double ideal = range.size() / std::max(mTickCount, 1);
    const bool isLog = m_scale == ValueScale::Log2;
    m_step = isLog ? roundOctaves(ideal) : roundUp(ideal);
    for (int tries = 0; tries < 3 && !hasTwoLabels(m_step, range); ++tries)
        m_step = isLog ? roundOctaves(m_step / 2) : roundUp(m_step * 0.39);  // 5, 2, 1, 0.5
    return m_step;
}

QString ValueTicker::getTickLabel(double tick, const QLocale&, QChar, int) {
    return tickText(m_scale, tick, m_step);
}

}  // namespace octet::ui
