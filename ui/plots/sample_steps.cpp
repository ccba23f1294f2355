// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/sample_steps.h"

#include <algorithm>

namespace octet::ui {
namespace {

template <typename Visit>
void eachAxis(const StackScene& scene, const Visit& visit) {
    for (const TrackCard& card : scene.cards)
        for (const Curve& curve : card.curves)
            if (curve.size() > 0 && scene.shows(curve)) visit(curve.series->x(scene.selection->xAxis()));
}

void keepLarger(std::optional<double>& kept, double x) {
    kept = kept ? std::max(*kept, x) : x;
}

}  // namespace

std::optional<double> lastSampleAt(const StackScene& scene, double x) {
    std::optional<double> found;
    eachAxis(scene, [&](std::span<const double> axis) {
        const auto after = std::upper_bound(axis.begin(), axis.end(), x);
        if (after != axis.begin()) keepLarger(found, *(after - 1));
    });
    return found;
}

std::optional<double> previousSample(const StackScene& scene, double x) {
    std::optional<double> found;
    eachAxis(scene, [&](std::span<const double> axis) {
        const auto at = std::lower_bound(axis.begin(), axis.end(), x);
        if (at != axis.begin()) keepLarger(found, *(at - 1));
    });
    return found;
}

std::optional<double> nextSample(const StackScene& scene, double x) {
    std::optional<double> found;
    eachAxis(scene, [&](std::span<const double> axis) {
        const auto after = std::upper_bound(axis.begin(), axis.end(), x);
        if (after != axis.end()) found = found ? std::min(*found, *after) : *after;
    });
    return found;
}

}  // namespace octet::ui
