// SPDX-License-Identifier: GPL-3.0-or-later
// What plots are drawn from, without drawing: pixel columns against a plain scan, places of non-finite samples,
// averages that grow, axis ranges and the texts of numbers.
#include <QtTest>
#include <random>

#include "tests/ui/plot_samples.h"
#include "ui/plots/column_slice.h"
#include "ui/plots/plot_series.h"
#include "ui/plots/stack_ranges.h"
#include "ui/plots/value_text.h"

using namespace octet;
using namespace octet::ui;

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

StackScene sceneOf(const Selection& selection, const std::vector<float>& values, ValueScale scale) {
    StackScene scene;
    scene.selection = &selection;
    TrackCard card;
    card.track.scale = scale;
    Curve curve;
    curve.run = store::RunId{1};
    curve.series = std::make_shared<PlotSeries>(recording(values));
    curve.series->update();
    card.curves.push_back(curve);
    scene.cards.push_back(std::move(card));
    return scene;
}

}  // namespace

class TstPlotSeries final : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates)); }
    void columnsEqualAScan_data();
    void columnsEqualAScan();
    void nonFiniteSamplesAreFoundAsTheyArrive();
    void aShorterRecordingStartsAnew();
    void averagesGrowAsIfMadeAtOnce();
    void aConstantStaysConstant_data();
    void aConstantStaysConstant();
    void rangesAreFinite_data();
    void rangesAreFinite();
    void numbersRead_data();
    void numbersRead();
    void positionsRead_data();
    void positionsRead();
};

void TstPlotSeries::columnsEqualAScan_data() {
    QTest::addColumn<QString>("spacing");
    QTest::newRow("even steps") << QStringLiteral("even");
    QTest::newRow("wall time with a pause") << QStringLiteral("pause");
    QTest::newRow("random gaps") << QStringLiteral("random");
    QTest::newRow("many samples at one place") << QStringLiteral("ties");
}

void TstPlotSeries::columnsEqualAScan() {
    QFETCH(QString, spacing);
    std::mt19937 random(7);
    std::vector<double> x;
    std::vector<float> y;
    double at = 0;
    for (int index = 0; index < 5000; ++index) {
        if (spacing == QStringLiteral("even")) at = index;
        if (spacing == QStringLiteral("pause")) at += index == 2500 ? 5000 : 1;
        if (spacing == QStringLiteral("random")) at += std::pow(10.0, random() % 4);
        if (spacing == QStringLiteral("ties")) at += index % 100 == 0 ? 1 : 0;
        x.push_back(at);
        y.push_back(index % 911 == 3 ? kNan : static_cast<float>(random() % 1000));
    }
    series::Pyramid pyramid;
    pyramid.append(y);
    for (const auto& [from, to] : {std::pair(0.0, 1.0), std::pair(0.2, 0.21), std::pair(-0.5, 1.5)}) {
        const double lower = from * x.back(), upper = to * x.back();
        const auto slice = sliceColumns(x, pyramid, lower, upper, 97);
        const double width = (upper - lower) / 97;
        for (int column = 0; column < 97; ++column) {
            series::Extremes expected;
            int64_t count = 0;
            for (size_t index = 0; index < x.size(); ++index) {
                const bool inside = x[index] >= lower + column * width &&
                                    (column == 96 ? x[index] <= upper : x[index] < lower + (column + 1) * width);
                if (!inside) continue;
                ++count;
                expected.merge(series::extremesOf({&y[index], 1}));
            }
            const Column& got = slice[static_cast<size_t>(column)];
            QCOMPARE(got.last - got.first, count);
            QVERIFY(got.extremes == expected);
        }
    }
}

void TstPlotSeries::nonFiniteSamplesAreFoundAsTheyArrive() {
    std::vector<float> values(1000, 1.0F);
    values[3] = values[4] = values[900] = kNan;
    values[5] = kInf;
    auto view = recording(values);
    PlotSeries series(view);
    series.update();
    appendSamples(*view, {1, -kInf, -kInf, kNan});
    series.update();
    QCOMPARE(series.count(NonFinite::NaN), 4);
    QCOMPARE(series.count(NonFinite::PlusInf), 1);
    QCOMPARE(series.count(NonFinite::MinusInf), 2);
    QCOMPARE(series.nonFinite().size(), 5U);
    QCOMPARE(series.nonFinite()[0].last - series.nonFinite()[0].first, 2);
    QCOMPARE(series.nonFinite()[3].first, 1001);
}

void TstPlotSeries::aShorterRecordingStartsAnew() {
    auto view = recording({kNan, 5, 5});
    PlotSeries series(view);
    series.wantSmoothed(0.9);
    series.update();
    *view = SeriesView{};
    appendSamples(*view, {1, std::numeric_limits<float>::infinity()});
    series.update();
    QCOMPARE(series.count(NonFinite::NaN), 0);
    QCOMPARE(series.count(NonFinite::PlusInf), 1);
    QCOMPARE(series.values(0.9).size(), 2);
    QCOMPARE(series.values(0.9).at(0), 1.0F);
}

void TstPlotSeries::averagesGrowAsIfMadeAtOnce() {
    std::mt19937 random(5);
    std::vector<float> all;
    for (int index = 0; index < 9000; ++index)
        all.push_back(index == 77 ? kNan : static_cast<float>(random() % 100));
    const auto expected = series::smoothed(all, 0.9);
    auto view = recording({all.begin(), all.begin() + 10});
    PlotSeries series(view);
    series.wantSmoothed(0.9);
    QVERIFY(series.update());
    appendSamples(*view, {all.begin() + 10, all.end()});
    QVERIFY2(!series.update(100), "a budget of 100 can't finish 8,990 samples");
    QVERIFY(series.update());
    QCOMPARE(series.values(0.9).size(), 9000);
    for (int64_t index = 0; index < 9000; ++index)
        QCOMPARE(series.values(0.9).at(index), static_cast<float>(expected[static_cast<size_t>(index)]));
}

void TstPlotSeries::aConstantStaysConstant_data() {
    QTest::addColumn<double>("smoothing");
    for (const double smoothing : {0.0, 0.222, 0.6, 0.99})
        QTest::addRow("C212 with smoothing %g", smoothing) << smoothing;
}

void TstPlotSeries::aConstantStaysConstant() {
    QFETCH(double, smoothing);
    const auto values = caseValues("c212_constant.csv");
    QCOMPARE(values.size(), 200U);
    PlotSeries series(recording(values));
    series.wantSmoothed(smoothing);
    series.update();
    const auto extremes = series.values(smoothing).range(0, 200);
    QCOMPARE(extremes.min, 0.0001F);
    QCOMPARE(extremes.max, 0.0001F);
}

void TstPlotSeries::rangesAreFinite_data() {
    QTest::addColumn<QVector<float>>("values");
    QTest::addColumn<int>("scale");
    QTest::addColumn<double>("lower");
    QTest::addColumn<double>("upper");
    const int linear = static_cast<int>(ValueScale::Linear), log2 = static_cast<int>(ValueScale::Log2);
    const double limit = std::numeric_limits<float>::max();
    QTest::newRow("a margin around the values") << QVector<float>{0, 1} << linear << -0.06 << 1.06;
    QTest::newRow("NaN and Inf don't count") << QVector<float>{0, kNan, kInf, 1, -kInf} << linear << -0.06 << 1.06;
    QTest::newRow("a constant stands in the middle") << QVector<float>{2, 2, 2} << linear << 1.8 << 2.2;
    QTest::newRow("zeros") << QVector<float>{0, 0} << linear << -1.0 << 1.0;
    QTest::newRow("a single point") << QVector<float>{8} << log2 << 2.0 << 4.0;
    QTest::newRow("nothing finite") << QVector<float>{kNan, kInf} << linear << 0.0 << 1.0;
    QTest::newRow("no samples") << QVector<float>{} << linear << 0.0 << 1.0;
    QTest::newRow("zero on a log axis") << QVector<float>{0, 1, 4} << log2 << -0.12 << 2.12;
    QTest::newRow("the largest floats") << QVector<float>{-std::numeric_limits<float>::max(),
                                                          std::numeric_limits<float>::max()}
                                        << linear << -1.12 * limit << 1.12 * limit;
}

void TstPlotSeries::rangesAreFinite() {
    QFETCH(QVector<float>, values);
    QFETCH(int, scale);
    QFETCH(double, lower);
    QFETCH(double, upper);
    const Selection selection;
    const auto scene = sceneOf(selection, {values.begin(), values.end()}, static_cast<ValueScale>(scale));
    const QCPRange x = followRange(dataExtent(scene, XAxis::Step));
    const QCPRange y = fitRange(scene, scene.cards.front(), XAxis::Step, x);
    QVERIFY(isUsable(x) && isUsable(y));
    const double tolerance = 1e-6 * (upper - lower);
    QVERIFY2(std::fabs(y.lower - lower) < tolerance && std::fabs(y.upper - upper) < tolerance,
             qPrintable(QStringLiteral("%1 to %2").arg(y.lower).arg(y.upper)));
}

void TstPlotSeries::numbersRead_data() {
    QTest::addColumn<int>("scale");
    QTest::addColumn<double>("value");
    QTest::addColumn<int>("decimals");
    QTest::addColumn<QString>("text");
    const int linear = static_cast<int>(ValueScale::Linear), log2 = static_cast<int>(ValueScale::Log2);
    QTest::newRow("decimals of the card") << linear << 1.5 << 3 << QStringLiteral("1.500");
    QTest::newRow("no minus zero") << linear << -0.0001 << 2 << QStringLiteral("0.00");
    QTest::newRow("a percent") << static_cast<int>(ValueScale::Percent) << 12.345 << 1 << QStringLiteral("12.3 %");
    QTest::newRow("a power of two") << log2 << std::exp2(-9.2) << 1 << QStringLiteral("2^-9.2");
    QTest::newRow("zero has no power of two") << log2 << 0.0 << 1 << QStringLiteral("0");
    QTest::newRow("not a number") << log2 << std::nan("") << 1 << QStringLiteral("NaN");
    QTest::newRow("minus infinity") << linear << -HUGE_VAL << 1 << QStringLiteral("-Inf");
}

void TstPlotSeries::numbersRead() {
    QFETCH(int, scale);
    QFETCH(double, value);
    QFETCH(int, decimals);
    QFETCH(QString, text);
    QCOMPARE(valueText(static_cast<ValueScale>(scale), value, decimals), text);
}

void TstPlotSeries::positionsRead_data() {
    QTest::addColumn<int>("axis");
    QTest::addColumn<double>("x");
    QTest::addColumn<QString>("text");
    QTest::newRow("a step") << static_cast<int>(XAxis::Step) << 1564.0 << QStringLiteral("step 1,564");
    QTest::newRow("tokens") << static_cast<int>(XAxis::Tokens) << 1234567.0 << QStringLiteral("1.23 M tokens");
    QTest::newRow("seconds") << static_cast<int>(XAxis::WallTime) << 83.25 << QStringLiteral("1:23.3");
    QTest::newRow("hours") << static_cast<int>(XAxis::WallTime) << 3723.0 << QStringLiteral("1:02:03.0");
}

void TstPlotSeries::positionsRead() {
    QFETCH(int, axis);
    QFETCH(double, x);
    QFETCH(QString, text);
    QCOMPARE(positionText(static_cast<XAxis>(axis), x), text);
}

QTEST_GUILESS_MAIN(TstPlotSeries)
#include "tst_plot_series.moc"
