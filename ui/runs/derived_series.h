// SPDX-License-Identifier: GPL-3.0-or-later
// Series that the window computes from recorded ones: smoothed loss, gap to the baseline, tokens per second, means over
// layers. Each grows with its sources and only looks at what is new, so a poll costs what arrived, not what is there.
#pragma once

#include <memory>
#include <vector>

#include "engine/series/smoothing.h"
#include "ui/documents/project.h"

namespace octet::ui {

using SeriesPointer = std::shared_ptr<const SeriesView>;

inline constexpr double kLossSmoothing = 0.9;  // of the comparison's final_loss

class DerivedSeries {
public:
    /// @param axes  of a source that has a sample for each of this one's; nullptr: its own
    explicit DerivedSeries(const store::SeriesInfo& info, std::shared_ptr<SampleAxes> axes = nullptr);
    virtual ~DerivedSeries() = default;
    DerivedSeries(const DerivedSeries&) = delete;
    DerivedSeries& operator=(const DerivedSeries&) = delete;

    [[nodiscard]] SeriesPointer view() const { return m_view; }
    /// Takes what the sources have grown since the last call.
    virtual void advance() = 0;

protected:
    /// Appends one sample at the axes of `at`'s sample `index`.
    void append(const SeriesView& at, int64_t index, double value);

private:
    std::shared_ptr<SeriesView> m_view;
    bool m_sharesAxes;
};

/// De-biased average of `source`.
class SmoothedSeries final : public DerivedSeries {
public:
    SmoothedSeries(SeriesPointer source, double smoothing);
    void advance() override;

private:
    SeriesPointer m_source;
    series::DebiasedEma m_average;
};

/// tokens a step / step time.
class ThroughputSeries final : public DerivedSeries {
public:
    /// @param stepMs  the recorded step times; @param tokens  of one step
    ThroughputSeries(SeriesPointer stepMs, double tokens);
    void advance() override;

private:
    SeriesPointer m_stepMs;
    double m_tokens;
};

/// Largest value that a format holds with the scale of each step: maximum / scale. Amax against it is the headroom.
class LimitSeries final : public DerivedSeries {
public:
    LimitSeries(SeriesPointer scale, double maximum);
    void advance() override;

private:
    SeriesPointer m_scale;
    double m_maximum;
};

/// 100 (loss - baseline) / |baseline| of the smoothed losses at the steps that both have. Its last value at the last
/// common step is the comparison's gap_percent.
class GapSeries final : public DerivedSeries {
public:
    GapSeries(SeriesPointer loss, SeriesPointer baseline);
    void advance() override;

private:
    SeriesPointer m_loss, m_baseline;
    series::DebiasedEma m_own{kLossSmoothing}, m_other{kLossSmoothing};
    int64_t m_next = 0, m_otherNext = 0;
};

/// Mean over series of one recording group, weighted by elements; NaN where none of them is finite.
class MeanSeries final : public DerivedSeries {
public:
    struct Part {
        SeriesPointer data;
        double weight = 1;
    };
    /// @param parts  at least one
    explicit MeanSeries(std::vector<Part> parts);
    void advance() override;

private:
    std::vector<Part> m_parts;
};

/// Mean, smallest or largest of several seeds' series at the steps that all of them have. The mean is NaN where one of
/// them is not finite; the others leave such a seed out.
class SpreadSeries final : public DerivedSeries {
public:
    enum class Kind { Mean, Least, Most };
    /// @param seeds  at least one
    SpreadSeries(std::vector<SeriesPointer> seeds, Kind kind);
    void advance() override;

private:
    [[nodiscard]] bool alignNext();
    [[nodiscard]] double valueNow() const;

    std::vector<SeriesPointer> m_seeds;
    std::vector<int64_t> m_next;
    Kind m_kind;
};

/// Index of the last sample at or before `x`, by one of the axes; -1 when there is none.
[[nodiscard]] int64_t indexAt(const std::vector<double>& axis, int64_t size, double x);

}  // namespace octet::ui
