// SPDX-License-Identifier: GPL-3.0-or-later
// Series that the Runs place computes: in one go and piece by piece they must be the same, and the gap must be the one
// that the comparison states.
#include <QtTest>
#include <cmath>
#include <limits>

#include "engine/series/comparison.h"
#include "ui/runs/derived_series.h"

using namespace octet;
using namespace octet::ui;

namespace {

using Source = std::shared_ptr<SeriesView>;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

void grow(const Source& source, double step, float value) {
    source->axes->step.push_back(step);
    source->axes->tokens.push_back(10 * (step + 1));
    source->axes->wallTime.push_back(0.5 * (step + 1));
    source->values.append({&value, 1});
}

Source sourceOf(const std::vector<std::pair<double, float>>& samples) {
    auto source = std::make_shared<SeriesView>();
    for (const auto& [step, value] : samples)
        grow(source, step, value);
    return source;
}

std::vector<double> valuesOf(const DerivedSeries& series) {
    std::vector<double> values;
    for (int64_t i = 0; i < series.view()->size(); ++i)
        values.push_back(static_cast<double>(series.view()->values.at(i)));
    return values;
}

series::ComparedRun comparedRun(int64_t id, const SeriesView& loss) {
    series::ComparedRun run;
    run.id = id;
    run.name = run.group = id == 1 ? "baseline" : "fp8";
    run.baseline = id == 1;
    run.step = loss.axes->step;
    for (int64_t i = 0; i < loss.size(); ++i)
        run.loss.push_back(loss.values.at(i));
    return run;
}

}  // namespace

class TstDerivedSeries final : public QObject {
    Q_OBJECT

private slots:
    void theLastGapIsTheComparisons();
    void gapsGrowWithTheSlowerRun();
    void gapsOfStepsThatOneRunLacksAreLeftOut();
    void meansAreWeightedAndSkipNaN();
    void limitIsTheMaximumOverTheScale();
    void throughputOfAnEmptyStepIsUnknown();
    void indexAt_data();
    void indexAt();
};

void TstDerivedSeries::theLastGapIsTheComparisons() {
    const Source baseline = std::make_shared<SeriesView>(), own = std::make_shared<SeriesView>();
    GapSeries gap(own, baseline);
    for (int step = 0; step < 200; ++step) {
        grow(baseline, step, 2.0f + std::sin(static_cast<float>(step)));
        grow(own, step, 2.1f + std::cos(static_cast<float>(step)));
        if (step % 7 == 0) gap.advance();
    }
    gap.advance();
    QCOMPARE(gap.view()->size(), int64_t{200});
    const auto comparison = series::compareRuns(std::vector{comparedRun(1, *baseline), comparedRun(2, *own)}, {});
    QCOMPARE(static_cast<float>(*comparison.runs[1].gapPercent), gap.view()->values.at(199));
}

void TstDerivedSeries::gapsGrowWithTheSlowerRun() {
    const Source baseline = sourceOf({{0, 2.0f}}), own = sourceOf({{0, 2.2f}, {1, 2.2f}});
    GapSeries gap(own, baseline);
    gap.advance();
    QCOMPARE(gap.view()->size(), int64_t{1});
    grow(baseline, 1, 2.0f);
    gap.advance();
    QCOMPARE(gap.view()->axes->step, (std::vector<double>{0, 1}));
    QVERIFY(std::fabs(valuesOf(gap).back() - 10) < 1e-4);
}

void TstDerivedSeries::gapsOfStepsThatOneRunLacksAreLeftOut() {
    GapSeries gap(sourceOf({{0, 2}, {2, 2}, {3, 2}, {5, 2}}), sourceOf({{0, 1}, {1, 1}, {3, 1}, {4, 1}}));
    gap.advance();
    QCOMPARE(gap.view()->axes->step, (std::vector<double>{0, 3}));
    QCOMPARE(gap.view()->axes->tokens, (std::vector<double>{10, 40}));
}

void TstDerivedSeries::meansAreWeightedAndSkipNaN() {
    const Source a = sourceOf({{0, 10}, {1, kNan}, {2, kNan}}), b = sourceOf({{0, 20}, {1, 20}, {2, kNan}, {3, 1}});
    MeanSeries mean({{a, 1}, {b, 3}});
    mean.advance();
    const std::vector<double> values = valuesOf(mean);
    QCOMPARE(values.size(), size_t{3});  // as far as all of them
    QCOMPARE(values[0], 17.5);
    QCOMPARE(values[1], 20.0);
    QVERIFY(std::isnan(values[2]));
}

void TstDerivedSeries::limitIsTheMaximumOverTheScale() {
    LimitSeries limit(sourceOf({{0, 1}, {1, 64}, {2, 0}}), 448);
    limit.advance();
    QCOMPARE(valuesOf(limit)[0], 448.0);
    QCOMPARE(valuesOf(limit)[1], 7.0);
    QVERIFY(std::isnan(valuesOf(limit)[2]));
}

void TstDerivedSeries::throughputOfAnEmptyStepIsUnknown() {
    ThroughputSeries speed(sourceOf({{0, 50}, {1, 0}}), 1000);
    speed.advance();
    QCOMPARE(valuesOf(speed)[0], 20000.0);
    QVERIFY(std::isnan(valuesOf(speed)[1]));
}

void TstDerivedSeries::indexAt_data() {
    QTest::addColumn<double>("x");
    QTest::addColumn<int>("index");
    QTest::newRow("before the first sample there is none") << -0.5 << -1;
    QTest::newRow("on a sample it is that one") << 1.0 << 1;
    QTest::newRow("between samples it is the one before") << 1.9 << 1;
    QTest::newRow("behind the end it is the last") << 1e9 << 2;
}

void TstDerivedSeries::indexAt() {
    QFETCH(double, x);
    QFETCH(int, index);
    QCOMPARE(octet::ui::indexAt({0, 1, 2}, 3, x), int64_t{index});
}

QTEST_GUILESS_MAIN(TstDerivedSeries)
#include "tst_derived_series.moc"
