// SPDX-License-Identifier: Apache-2.0
// What plots draw: the min/max pyramid against brute force, and the de-biased average (cases C211, C212).
#include <QtTest>
#include <cmath>
#include <random>

#include "engine/core/files.h"
#include "engine/core/text.h"
#include "engine/series/pyramid.h"
#include "engine/series/smoothing.h"

using namespace octet;
using namespace octet::series;

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

/// Last column of a case's CSV, header skipped.
std::vector<float> lastColumn(const std::string& name) {
    const auto text = readFile(std::string(OCTET_TEST_DATA) + "/cases/" + name);
    if (!text.ok()) qFatal("%s", text.error().message.c_str());
    std::vector<float> values;
    for (const std::string& line : split(*text, '\n')) {
        const auto value = parseNumber(trimmed(split(line, ',').back()));
        if (value) values.push_back(static_cast<float>(*value));
    }
    return values;
}

std::vector<float> randomSamples(std::mt19937& random, size_t count) {
    std::normal_distribution<float> normal;
    std::vector<float> samples(count);
    for (float& sample : samples) {
        sample = normal(random);
        if (random() % 50 == 0) sample = std::array{kNan, kInf, -kInf}[random() % 3];
    }
    return samples;
}

Extremes bruteForce(const std::vector<float>& samples, int64_t first, int64_t last) {
    Extremes found;
    for (int64_t i = std::max<int64_t>(first, 0); i < std::min<int64_t>(last, std::ssize(samples)); ++i) {
        const float value = samples[static_cast<size_t>(i)];
        if (std::isfinite(value))
            found.merge({value, value, 0});
        else
            ++found.nonFinite;
    }
    return found;
}

}  // namespace

class TstPyramid final : public QObject {
    Q_OBJECT

private slots:
    void everyRangeIsExact_data();
    void everyRangeIsExact();
    void emptyAndOutsideRangesHoldNothing();
    void columnsCoverTheRange();
    void theSpikeOfC211IsInItsColumn();
    void oneSpikeInTenMillionIsSeenAtEveryWidth();
    void aConstantStaysConstant_data();
    void aConstantStaysConstant();
    void smoothingFollowsTheFormula();
    void notFiniteSamplesDoNotPoison();
};

void TstPyramid::everyRangeIsExact_data() {
    QTest::addColumn<int>("length");
    QTest::addColumn<int>("block");
    QTest::newRow("one sample") << 1 << 1;
    QTest::newRow("one short of a bucket") << 15 << 4;
    QTest::newRow("exactly one bucket") << 16 << 16;
    QTest::newRow("a bucket and a tail") << 17 << 5;
    QTest::newRow("exactly two levels") << 256 << 256;
    QTest::newRow("appended one by one") << 4097 << 1;
    QTest::newRow("three levels with tails, uneven blocks") << 70000 << 777;
    QTest::newRow("over several storage chunks at once") << 200003 << 200003;
}

void TstPyramid::everyRangeIsExact() {
    QFETCH(int, length);
    QFETCH(int, block);
    const unsigned seed = 20 + static_cast<unsigned>(length);
    qInfo("seed %u", seed);
    std::mt19937 random(seed);
    const std::vector<float> samples = randomSamples(random, static_cast<size_t>(length));
    Pyramid pyramid;
    const std::span<const float> all(samples);
    for (size_t at = 0; at < all.size(); at += static_cast<size_t>(block))
        pyramid.append(all.subspan(at, std::min(all.size() - at, static_cast<size_t>(block))));
    QCOMPARE(pyramid.size(), int64_t{length});
    QVERIFY(pyramid.range(0, length) == bruteForce(samples, 0, length));
    for (int i = 0; i < 300; ++i) {
        int64_t first = random() % static_cast<unsigned>(length),
                last = random() % (static_cast<unsigned>(length) + 20);
        if (last < first) std::swap(first, last);
        const Extremes got = pyramid.range(first, last), want = bruteForce(samples, first, last);
        QVERIFY2(got == want, qPrintable(QString("range %1 to %2: %3..%4 (%5), expected %6..%7 (%8)")
                                             .arg(first)
                                             .arg(last)
                                             .arg(got.min)
                                             .arg(got.max)
                                             .arg(got.nonFinite)
                                             .arg(want.min)
                                             .arg(want.max)
                                             .arg(want.nonFinite)));
    }
}

void TstPyramid::emptyAndOutsideRangesHoldNothing() {
    Pyramid pyramid;
    QVERIFY(!pyramid.range(0, 10).hasFinite());
    pyramid.append(std::array{kNan, 2.0f});
    QVERIFY(!pyramid.range(1, 1).hasFinite());
    QVERIFY(!pyramid.range(2, 9).hasFinite());
    QVERIFY(!pyramid.range(0, 1).hasFinite());
    QCOMPARE(pyramid.range(0, 1).nonFinite, 1u);
    QVERIFY((pyramid.range(-5, 99) == Extremes{2, 2, 1}));
    QCOMPARE(pyramid.at(1), 2.0f);
}

void TstPyramid::columnsCoverTheRange() {
    Pyramid pyramid;
    pyramid.append(std::array{5.0f, 1.0f, 4.0f, 2.0f, 3.0f, 0.0f});
    const std::vector<Extremes> two = pyramid.columns(0, 6, 2);
    QVERIFY((two == std::vector<Extremes>{{1, 5, 0}, {0, 3, 0}}));
    // Twice as many columns as samples: each sample fills two.
    const std::vector<Extremes> wide = pyramid.columns(1, 2, 4);
    QVERIFY((wide == std::vector<Extremes>{{1, 1, 0}, {1, 1, 0}, {4, 4, 0}, {4, 4, 0}}));
    QVERIFY(pyramid.columns(0, 6, 0).empty());
}

void TstPyramid::theSpikeOfC211IsInItsColumn() {
    const std::vector<float> samples = lastColumn("c211_spike.csv");
    QCOMPARE(samples.size(), size_t{3000});
    Pyramid pyramid;
    pyramid.append(samples);
    const std::vector<Extremes> columns = pyramid.columns(0, 3000, 400);
    const size_t spikeColumn = 1564 * 400 / 3000;
    for (size_t x = 0; x < columns.size(); ++x) {
        if (x == spikeColumn)
            QCOMPARE(columns[x].max, 1.183f);
        else
            QVERIFY(columns[x].min >= 0.000651f && columns[x].max <= 0.001329f);
    }
    QCOMPARE(pyramid.at(1564), 1.183f);
}

void TstPyramid::oneSpikeInTenMillionIsSeenAtEveryWidth() {
    constexpr int64_t kLength = 10'000'000, kSpikeAt = 7'654'321;
    Pyramid pyramid;
    const std::vector<float> block(100'000, 0.25f);
    for (int64_t at = 0; at < kLength; at += std::ssize(block)) {
        std::vector<float> samples = block;
        if (kSpikeAt / std::ssize(block) == at / std::ssize(block)) samples[kSpikeAt - static_cast<size_t>(at)] = 9;
        pyramid.append(samples);
    }
    for (const int width : {1, 2, 333, 1920}) {
        const std::vector<Extremes> columns = pyramid.columns(0, kLength, width);
        for (int64_t x = 0; x < width; ++x) {
            const bool isHere = kLength * x / width <= kSpikeAt && kSpikeAt < kLength * (x + 1) / width;
            QCOMPARE(columns[static_cast<size_t>(x)].max, isHere ? 9.0f : 0.25f);
        }
    }
}

void TstPyramid::aConstantStaysConstant_data() {
    QTest::addColumn<double>("smoothing");
    for (const double smoothing : {0.0, 0.222, 0.6, 0.9, 0.99, 0.999})
        QTest::newRow(qPrintable(QString("smoothing %1 (C212)").arg(smoothing))) << smoothing;
}

void TstPyramid::aConstantStaysConstant() {
    QFETCH(double, smoothing);
    const std::vector<float> samples = lastColumn("c212_constant.csv");
    QCOMPARE(samples.size(), size_t{200});
    const std::vector<double> average = smoothed(samples, smoothing);
    QCOMPARE(average.size(), samples.size());
    for (const double value : average)
        QVERIFY(value == static_cast<double>(samples.front()));
}

void TstPyramid::smoothingFollowsTheFormula() {
    // b = 0.5: weights 1, 2/3, 4/7.
    const std::vector<double> average = smoothed(std::array{4.0f, 1.0f, 9.0f}, 0.5);
    QCOMPARE(average[0], 4.0);
    QCOMPARE(average[1], 2.0);
    QCOMPARE(average[2], 6.0);
    // No smoothing returns the samples bit for bit.
    const std::vector<float> samples{0.1f, 1e20f, 3e-7f};
    const std::vector<double> same = smoothed(samples, 0);
    for (size_t i = 0; i < samples.size(); ++i)
        QVERIFY(same[i] == static_cast<double>(samples[i]));
}

void TstPyramid::notFiniteSamplesDoNotPoison() {
    const std::vector<double> average = smoothed(std::array{kNan, 4.0f, kInf, 1.0f, -kInf, kNan, 9.0f}, 0.5);
    for (const size_t at : {0, 2, 4, 5})
        QVERIFY(std::isnan(average[at]));
    QCOMPARE(average[1], 4.0);
    QCOMPARE(average[3], 2.0);
    QCOMPARE(average[6], 6.0);
}

QTEST_APPLESS_MAIN(TstPyramid)
#include "tst_pyramid.moc"
