// SPDX-License-Identifier: Apache-2.0
// The fused SIMD pass equals the plain reference bit for bit, whatever the size, alignment and content, on every
// instruction set this machine has; statistics equal hand-computed ones.
#include <hwy/targets.h>
#include <QtTest>
#include <cmath>
#include <random>

#include "engine/numerics/exponents.h"
#include "engine/numerics/quantise_reference.h"
#include "tests/support/golden.h"

using namespace octet;
using namespace octet::numerics;

namespace {

constexpr uint32_t kSeed = 20261201;

enum Content { Normal, WideRange, WithNan, WithInfinity, NearTies, Subnormals, BitPatterns, AllZero };

std::vector<float> makeInput(Content content, size_t n, std::mt19937& random) {
    std::normal_distribution<float> gauss;
    std::uniform_real_distribution<float> exponent(-40.0f, 40.0f);
    std::vector<float> values(n);
    for (float& value : values) {
        switch (content) {
            case Normal:
            case WithNan:
            case WithInfinity:
                value = gauss(random);
                break;
            case WideRange:
                value = gauss(random) * std::exp2(exponent(random));
                break;
            case NearTies:
                value = floatOf((bitsOf(gauss(random)) & 0xFFF00000u) | 0x00080000u) *
                        (1 + static_cast<float>(random() % 3) * 0x1p-23f);
                break;
            case Subnormals:
                value = floatOf((random() & 0x807FFFFFu));
                break;
            case BitPatterns:
                value = floatOf(static_cast<uint32_t>(random()));
                break;
            case AllZero:
                value = random() % 2 != 0 ? 0.0f : -0.0f;
                break;
        }
    }
    if (n > 0 && content == WithNan) values[random() % n] = NAN;
    if (n > 0 && content == WithInfinity) values[random() % n] = -INFINITY;
    return values;
}

void compareStatistics(const CastStatistics& got, const CastStatistics& expected) {
    QCOMPARE(got.elements, expected.elements);
    QCOMPARE(got.nans, expected.nans);
    QCOMPARE(got.infinities, expected.infinities);
    QCOMPARE(bitsOf(got.amax), bitsOf(expected.amax));
    QCOMPARE(got.underflows, expected.underflows);
    QCOMPARE(got.overflows, expected.overflows);
    QCOMPARE(got.saturated, expected.saturated);
    const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
    QVERIFY2(same(got.squaredError, expected.squaredError), "squaredError");
    QVERIFY2(same(got.sumSquares, expected.sumSquares), "sumSquares");
    QVERIFY2(same(got.sumSquaresCast, expected.sumSquaresCast), "sumSquaresCast");
}

void compareWithReference(std::span<const float> in, const QuantiseSpec& spec) {
    std::vector<float> values(in.size() + 2, 7.0f), wanted(in.size());
    std::vector<uint8_t> codes(in.size()), wantedCodes(in.size());
    const auto expected = quantiseReference(in, wanted.data(), wantedCodes.data(), spec);
    const auto got = quantise(in, std::span(values).subspan(1, in.size()), spec);
    compareStatistics(got, expected);
    if (QTest::currentTestFailed()) return;
    QCOMPARE(values.front(), 7.0f);  // neighbours untouched
    QCOMPARE(values.back(), 7.0f);
    for (size_t i = 0; i < in.size(); ++i) {
        QVERIFY2(tests::sameFloat(values[i + 1], wanted[i]), qPrintable(QString("element %1").arg(i)));
    }
    quantiseToCodes(in, codes, spec);
    QVERIFY(codes == wantedCodes);
}

}  // namespace

Q_DECLARE_METATYPE(octet::numerics::Fp8Format)

class TstQuantise final : public QObject {
    Q_OBJECT

private slots:
    void equalsTheReference_data();
    void equalsTheReference();
    void equalsTheReferenceOnEveryInstructionSet();
    void goldenCodesComeOutOfTheSimdPass_data();
    void goldenCodesComeOutOfTheSimdPass();
    void statisticsOfAWorkedTensor_data();
    void statisticsOfAWorkedTensor();
    void negativeZeroIsNeverAnUnderflow();
    void partialsMergeToTheWholeInBlocks();
    void bf16RoundingEqualsTheReferenceInPlace();
    void amaxSeesFiniteValuesOnlyAndCountsTheOthers();
    void exponentsAreCountedApartFromZerosAndSpecials();
};

void TstQuantise::equalsTheReference_data() {
    QTest::addColumn<int>("content");
    QTest::addColumn<float>("scale");
    const std::pair<const char*, Content> contents[] = {{"normal values", Normal},
                                                        {"80 octaves", WideRange},
                                                        {"one NaN", WithNan},
                                                        {"one infinity", WithInfinity},
                                                        {"near ties", NearTies},
                                                        {"float32 subnormals", Subnormals},
                                                        {"random bit patterns", BitPatterns},
                                                        {"zeros of both signs", AllZero}};
    for (const auto& [name, content] : contents) {
        for (const float scale : {1.0f, 149.33333f, 0x1p-20f, 3.0e5f, 3.4028235e38f}) {
            QTest::addRow("%s, scale %g", name, static_cast<double>(scale)) << static_cast<int>(content) << scale;
        }
    }
}

void TstQuantise::equalsTheReference() {
    QFETCH(int, content);
    QFETCH(float, scale);
    std::mt19937 random(kSeed);
    const size_t sizes[] = {0, 1, 15, 16, 17, 1023, 1024, 1025, 4095, 4096, 4097, 10007};
    for (const size_t n : sizes) {
        const auto input = makeInput(static_cast<Content>(content), n + 3, random);
        for (const Fp8Format format : {Fp8Format::E4M3, Fp8Format::E5M2}) {
            for (const auto level : {StatisticsLevel::Amax, StatisticsLevel::Counters, StatisticsLevel::Errors}) {
                for (const bool bf16 : {false, true}) {
                    compareWithReference(std::span(input).subspan(n % 4 == 1 ? 3 : 0, n), {format, scale, bf16, level});
                    if (QTest::currentTestFailed()) return;
                }
            }
        }
    }
}

void TstQuantise::equalsTheReferenceOnEveryInstructionSet() {
    std::mt19937 random(kSeed);
    const auto input = makeInput(WideRange, 9001, random);
    const int64_t all = hwy::SupportedTargets();
    int tried = 0;
    for (int64_t left = all; left != 0; left &= left - 1) {
        hwy::SetSupportedTargetsForTest(left & -left);
        hwy::GetChosenTarget().Update(hwy::SupportedTargets());
        compareWithReference(input, {Fp8Format::E4M3, 3.0f, true, StatisticsLevel::Errors});
        compareWithReference(input, {Fp8Format::E5M2, 3.0f, false, StatisticsLevel::Errors});
        ++tried;
        if (QTest::currentTestFailed()) qWarning("failed on %s", simdTargetName());
    }
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    QVERIFY(tried >= 1);
}

void TstQuantise::goldenCodesComeOutOfTheSimdPass_data() {
    QTest::addColumn<Fp8Format>("format");
    QTest::newRow("E4M3") << Fp8Format::E4M3;
    QTest::newRow("E5M2") << Fp8Format::E5M2;
}

void TstQuantise::goldenCodesComeOutOfTheSimdPass() {
    QFETCH(Fp8Format, format);
    const Json golden = tests::goldenJson("casts.json")[format == Fp8Format::E4M3 ? "e4m3fn" : "e5m2"];
    const auto expected = tests::bytesFromHex(golden["satfinite"].get<std::string>());
    // A block with a NaN takes the reference path: the finite rows alone prove the SIMD path.
    std::vector<float> finite;
    std::vector<uint8_t> codes;
    const auto inputs = tests::floatsFromWords(golden["x"].get<std::string>());
    for (size_t i = 0; i < inputs.size(); ++i) {
        if (!std::isfinite(inputs[i])) continue;
        finite.push_back(inputs[i]);
        codes.push_back(expected[i]);
    }
    std::vector<uint8_t> got(finite.size());
    quantiseToCodes(finite, got, {format, 1.0f, false, StatisticsLevel::Errors});
    QVERIFY(got == codes);
}

void TstQuantise::statisticsOfAWorkedTensor_data() {
    QTest::addColumn<Fp8Format>("format");
    QTest::addColumn<float>("scale");
    QTest::addColumn<QByteArray>("codes");
    QTest::addColumn<double>("underflows");
    QTest::addColumn<double>("overflows");
    QTest::addColumn<double>("mse");
    QTest::newRow("E4M3, stale scale (amax was 3)")
        << Fp8Format::E4M3 << 149.3333282470703f << QByteArray("00011a44e3717efe") << 0.0 << 12.5 << 3.125163027065189;
    QTest::newRow("E4M3, right scale (amax 8)")
        << Fp8Format::E4M3 << 56.0f << QByteArray("00000e39d866 72fe").replace(" ", "") << 12.5 << 0.0
        << 2.5765292025659507e-3;
    QTest::newRow("E4M3, margin 2") << Fp8Format::E4M3 << 14.0f << QByteArray("00000429c85662ee") << 12.5 << 0.0
                                    << 2.5765296064177777e-3;
    QTest::newRow("E5M2 (amax 8)") << Fp8Format::E5M2 << 7168.0f << QByteArray("002d4358e86f75fb") << 0.0 << 0.0
                                   << 2.5771021725537495e-3;
}

void TstQuantise::statisticsOfAWorkedTensor() {
    QFETCH(Fp8Format, format);
    QFETCH(float, scale);
    QFETCH(QByteArray, codes);
    QFETCH(double, underflows);
    QFETCH(double, overflows);
    QFETCH(double, mse);
    const std::vector<float> x{0.0f, 1e-5f, 5e-4f, 0.02f, -0.3f, 1.0f, 3.0f, -8.0f};
    std::vector<uint8_t> out(x.size());
    const auto statistics = quantiseToCodes(x, out, {format, scale, false, StatisticsLevel::Errors});
    QCOMPARE(QByteArray(reinterpret_cast<const char*>(out.data()), 8).toHex(), codes);
    QCOMPARE(statistics.underflowPercent(), underflows);
    QCOMPARE(statistics.overflowPercent(), overflows);
    QVERIFY2(std::abs(statistics.meanSquaredError() / mse - 1) < 1e-6,
             qPrintable(QString::number(statistics.meanSquaredError(), 'g', 17)));
    QCOMPARE(statistics.amax, 8.0f);
}

void TstQuantise::negativeZeroIsNeverAnUnderflow() {
    std::vector<float> x(16, -0.0f), out(16);
    std::fill(x.begin() + 8, x.end(), 1.0f);
    QCOMPARE(quantise(x, out, {}).underflows, uint64_t{0});
    std::fill(x.begin(), x.end(), -1e-9f);
    QCOMPARE(quantise(x, out, {}).underflowPercent(), 100.0);
}

void TstQuantise::partialsMergeToTheWholeInBlocks() {
    std::mt19937 random(kSeed);
    const auto input = makeInput(Normal, 3 * kBlockElements + 5, random);
    std::vector<float> out(input.size());
    const QuantiseSpec spec{Fp8Format::E4M3, 100.0f, false, StatisticsLevel::Errors};
    const auto whole = quantise(input, out, spec);
    CastStatistics merged;
    for (size_t at = 0; at < input.size(); at += kBlockElements) {
        const size_t n = std::min(input.size() - at, static_cast<size_t>(kBlockElements));
        merged.merge(quantise(std::span(input).subspan(at, n), std::span(out).subspan(at, n), spec));
    }
    compareStatistics(merged, whole);
    QVERIFY(whole.sqnrDb() > 25 && whole.sqnrDb() < 40);
    QVERIFY(whole.cosine() > 0.999 && whole.cosine() <= 1.0);
}

void TstQuantise::bf16RoundingEqualsTheReferenceInPlace() {
    std::mt19937 random(kSeed);
    auto values = makeInput(BitPatterns, 5003, random);
    const auto before = values;
    roundToBf16(values, values);
    for (size_t i = 0; i < values.size(); ++i)
        QCOMPARE(bitsOf(values[i]), bitsOf(numerics::roundToBf16(before[i])));
}

void TstQuantise::amaxSeesFiniteValuesOnlyAndCountsTheOthers() {
    std::vector<float> values(5000, 0.25f);
    values[4999] = -3.0f;
    QCOMPARE(measureAmax(values).amax, 3.0f);
    values[7] = INFINITY;
    values[4500] = NAN;
    const auto measured = measureAmax(values);
    QCOMPARE(measured.amax, 3.0f);
    QCOMPARE(measured.infinities, uint64_t{1});
    QCOMPARE(measured.nans, uint64_t{1});
    QCOMPARE(measureAmax({}).amax, 0.0f);
}

void TstQuantise::exponentsAreCountedApartFromZerosAndSpecials() {
    const std::vector<float> values{0.0f, -0.0f, 1.0f, -1.5f, 2.0f, 0x1p-140f, INFINITY, -INFINITY, NAN, 0x1p-126f};
    const auto counts = countExponents(values);
    QCOMPARE(counts.zeros, uint64_t{2});
    QCOMPARE(counts.subnormals, uint64_t{1});
    QCOMPARE(counts.infinities, uint64_t{2});
    QCOMPARE(counts.nans, uint64_t{1});
    QCOMPARE(counts.normal[127], uint64_t{2});
    QCOMPARE(counts.normal[128], uint64_t{1});
    QCOMPARE(counts.normal[1], uint64_t{1});
    QCOMPARE(counts.normal[0] + counts.normal[255], uint64_t{0});
    ExponentCounts twice = counts;
    twice.merge(counts);
    QCOMPARE(twice.normal[127], uint64_t{4});
}

QTEST_GUILESS_MAIN(TstQuantise)
#include "tst_quantise.moc"
