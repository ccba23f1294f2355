// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/default_layer.h"

#include <QRegularExpression>
#include <algorithm>
#include <tuple>

#include "ui/models/layer_health.h"

namespace octet::ui {
namespace {

constexpr int64_t kStepsBehindColdStart = 12;
constexpr double kWorthShowing = 4e-3;  // of badness: a tenth of a percent of dy

/// A layer over all recipes that train it in FP8.
struct Candidate {
    std::string name;
    double least = 0, most = 0;  // badness
    int runs = 0;

    [[nodiscard]] bool isInBlock() const {
        static const QRegularExpression block(QStringLiteral("(^|\\.)[0-9]+(\\.|$)"));
        return block.match(QString::fromStdString(name)).hasMatch();
    }
    [[nodiscard]] auto rank() const {
        const double difference = runs > 1 ? most - least : 0;
        const bool isTelling = difference > kWorthShowing || most > kWorthShowing;
        return std::tuple(isTelling && isInBlock(), difference > kWorthShowing ? difference : 0,
                          most > kWorthShowing ? most : 0, isInBlock());
    }
};

Candidate& candidateFor(std::vector<Candidate>& all, const std::string& name) {
    const auto known = std::ranges::find(all, name, &Candidate::name);
    return known == all.end() ? all.emplace_back(Candidate{name, 0, 0, 0}) : *known;
}

}  // namespace

DefaultLayer defaultLayer(const ShownExperiment& shown, const Project& project, RunSeries& series) {
    std::vector<Candidate> candidates;
    bool isSettled = true;
    for (const ShownRun& run : shown.runs) {
        if (!run.isFp8 || run.isGuest) continue;
        for (const store::LayerInfo& info : project.layers(run.info.id)) {
            if (!info.converted) continue;
            const auto shareOf = [&](const char* statistic) {
                return series.recorded(run.info.id, {info.name, "grad_output", "", statistic, ""});
            };
            const SeriesPointer underflow = shareOf("underflows%"), saturated = shareOf("saturated%");
            isSettled = isSettled && underflow && underflow->size() >= kStepsBehindColdStart;
            const double bad = badness(recentMean(underflow.get()), recentMean(saturated.get()));
            Candidate& one = candidateFor(candidates, info.name);
            one.least = one.runs == 0 ? bad : std::min(one.least, bad);
            one.most = std::max(one.most, bad);
            ++one.runs;
        }
    }
    if (candidates.empty()) return {};
    const auto best = std::ranges::max_element(candidates, {}, [](const Candidate& one) { return one.rank(); });
    return {QString::fromStdString(best->name), isSettled};
}

}  // namespace octet::ui
