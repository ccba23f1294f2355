// SPDX-License-Identifier: GPL-3.0-or-later
// What a curve is drawn from: samples over one of three axes, their pyramid, the places of non-finite samples and the
// smoothed averages. Grows with its SeriesView; owned and used by the GUI thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "engine/series/pyramid.h"
#include "engine/series/smoothing.h"
#include "ui/documents/selection.h"

namespace octet::ui {

struct SeriesView;

enum class NonFinite { NaN, PlusInf, MinusInf };

/// Neighbouring samples [first, last) that are not finite in the same way.
struct NonFiniteRun {
    int64_t first = 0, last = 0;
    NonFinite kind = NonFinite::NaN;
};

class PlotSeries {
public:
    explicit PlotSeries(std::shared_ptr<const SeriesView> view);
    /// Computed points: x is the same on every axis.
    PlotSeries(std::vector<double> x, std::span<const double> y);

    /// Looks at what is new since the last call, at most `budget` samples of it for each average.
    /// @return whether everything was looked at; averages grow by further calls
    bool update(int64_t budget = int64_t{1} << 21);
    /// Asks for an average over the full data; 0 is the samples themselves.
    void wantSmoothed(double smoothing);

    [[nodiscard]] int64_t size() const { return m_size; }
    /// Ascending, size() entries. An axis that was not recorded is replaced by steps.
    [[nodiscard]] std::span<const double> x(XAxis axis) const;
    /// The samples or their average, which may be shorter than size() for a moment.
    [[nodiscard]] const series::Pyramid& values(double smoothing) const;

    [[nodiscard]] std::span<const NonFiniteRun> nonFinite() const { return m_nonFinite; }
    [[nodiscard]] int64_t count(NonFinite kind) const { return m_counts[static_cast<size_t>(kind)]; }
    /// Samples with x in [lower, upper] as indices [first, last).
    [[nodiscard]] std::pair<int64_t, int64_t> indices(XAxis axis, double lower, double upper) const;
    /// Index of the last sample at or before x; -1 when there is none.
    [[nodiscard]] int64_t lastAtOrBefore(XAxis axis, double at) const;

private:
    struct Average {
        series::DebiasedEma ema;
        series::Pyramid values;
    };

    void forget();
    void findNonFinite(int64_t first, int64_t last);
    void note(int64_t index, float value);
    bool extend(Average& average, int64_t budget) const;

    std::shared_ptr<const SeriesView> m_view;  // null for computed points
    std::vector<double> m_x;
    series::Pyramid m_own;
    const series::Pyramid* m_values = nullptr;
    int64_t m_size = 0;
    std::vector<NonFiniteRun> m_nonFinite;
    int64_t m_counts[3] = {0, 0, 0};
    std::map<double, Average> m_averages;
};

}  // namespace octet::ui
