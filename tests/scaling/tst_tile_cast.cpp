// SPDX-License-Identifier: Apache-2.0
// Casts with one scale per tile against torchao_scales.json and mx_scales.json (torchao 0.18.0), and every instruction
// set against the plain definition. The number of golden rows is printed.
#include <hwy/targets.h>
#include <QRandomGenerator>
#include <QtTest>

#include <cmath>
#include <cstring>
#include <limits>

#include "engine/scaling/tile_cast.h"
#include "engine/scaling/tile_cast_reference.h"
#include "tests/support/golden.h"

using namespace octet;
using namespace octet::scaling;
using numerics::Fp8Format;
using numerics::StatisticsLevel;

namespace {

/// One result of a cast with every output.
struct Cast {
    std::vector<float> values, scales;
    std::vector<uint8_t> codes;
    TileCastResult result;
};

int64_t tilesOf(int64_t size, int64_t tile) {
    const int64_t height = std::min(size, tile);
    return (size + height - 1) / height;
}

template <typename CastTask>
Cast castWith(const CastTask& cast, const std::vector<float>& x, int64_t rows, int64_t cols, const TileCastSpec& spec) {
    Cast done;
    done.values.resize(x.size());
    done.codes.resize(x.size());
    done.scales.resize(static_cast<size_t>(tilesOf(rows, spec.tile.rows) * tilesOf(cols, spec.tile.cols)));
    const TileMatrix matrix{x.data(), rows, cols, done.values.data(), done.codes.data(), done.scales.data()};
    for (const TileTask& task : tileTasks(rows, cols, spec.tile))
        done.result.merge(cast(matrix, task, spec));
    return done;
}

Cast castOf(const std::vector<float>& x, int64_t rows, int64_t cols, const TileCastSpec& spec) {
    return castWith(castTask, x, rows, cols, spec);
}

Fp8Format formatOf(const Json& name) {
    return name == "e5m2" ? Fp8Format::E5M2 : Fp8Format::E4M3;
}

/// Codes as hex. The sign of a NaN that arithmetic made (infinity x 0) belongs to the machine.
QByteArray codesText(const std::vector<float>& x, std::vector<uint8_t> codes) {
    for (size_t i = 0; i < codes.size(); ++i) {
        if (!std::isnan(x[i]) && (codes[i] & 0x7F) == 0x7F) codes[i] = 0x7F;
    }
    return QByteArray(reinterpret_cast<const char*>(codes.data()), static_cast<qsizetype>(codes.size())).toHex();
}

void compareFloats(const std::vector<float>& got, const std::vector<float>& expected, const QString& where) {
    QCOMPARE(got.size(), expected.size());
    if (std::memcmp(got.data(), expected.data(), got.size() * sizeof(float)) == 0) return;
    for (size_t i = 0; i < got.size(); ++i) {
        QVERIFY2(tests::sameFloat(got[i], expected[i]),
                 qPrintable(QString("%1, %2: got %3, expected %4")
                                .arg(where)
                                .arg(i)
                                .arg(tests::hexOf(got[i]), tests::hexOf(expected[i]))));
    }
}

/// The scale of a whole tensor as torchao makes it, and a cast with it.
TileCastSpec tensorwise(TileCastSpec spec, const std::vector<float>& x) {
    const numerics::CastStatistics found = numerics::measureAmax(x);
    const float amax = torchaoAmax({found.amax, found.nans > 0, found.infinities > 0});
    spec.source = ScaleSource::Given;
    spec.givenScale = torchaoScale(amax, numerics::fp8Max(spec.format), spec.powerOfTwo);
    return spec;
}

std::vector<float> randomMatrix(int64_t count, quint32 seed) {
    QRandomGenerator random(seed);
    std::vector<float> x(static_cast<size_t>(count));
    for (float& value : x) {
        const double sign = random.bounded(2) == 0 ? 1.0 : -1.0;
        value = static_cast<float>(sign * std::exp2(-30.0 * random.generateDouble()) * random.generateDouble());
    }
    return x;
}

}  // namespace

Q_DECLARE_METATYPE(octet::scaling::TileCastSpec)

class TstTileCast final : public QObject {
    Q_OBJECT

private slots:
    void torchaoTensors();
    void mxBlocks();
    void scalesFollowTheRulesOfTheirTile();
    void everyInstructionSetEqualsTheReference_data();
    void everyInstructionSetEqualsTheReference();
    void nanAndInfinityTakeEachLibrarysWay();
    void sumsDoNotDependOnTheParts();
    void roundedInputsAreCastAsTheirRoundedValues();
};

void TstTileCast::torchaoTensors() {
    const Json golden = tests::goldenJson("torchao_scales.json");
    int rowsSeen = 0;
    for (const Json& tensor : golden["tensors"]) {
        const std::vector<float> x = tests::floatsFromWordsOf(tensor["dtype"], tensor["x"]);
        const int64_t rows = tensor["shape"][0], cols = tensor["shape"][1];
        for (const Json& row : tensor["results"]) {
            TileCastSpec spec;
            spec.format = formatOf(row["format"]);
            spec.source = ScaleSource::Torchao;
            spec.powerOfTwo = row["po2"];
            if (row["granularity"] == "tensorwise") {
                spec = tensorwise(spec, x);
            } else if (row["dim"] == 0) {
                spec.tile = {kWholeDimension, 1};
            }
            const Cast cast = castOf(x, rows, cols, spec);
            const QString where =
                QString::fromStdString(tensor["name"].get<std::string>() + " " + row["format"].dump() +
                                       row["granularity"].dump() + row["dim"].dump());
            const bool perTensor = spec.source == ScaleSource::Given;
            compareFloats(perTensor ? std::vector<float>{spec.givenScale} : cast.scales,
                          tests::floatsFromWords(row["scale"]), where + " scale");
            // A NaN in the tensor makes the scale NaN, and of two NaN operands a machine keeps either.
            const std::vector<float> noNan(x.size());
            QCOMPARE(codesText(noNan, cast.codes), codesText(noNan, tests::bytesFromHex(row["codes"])));
            compareFloats(cast.values, tests::floatsFromWords(row["dequantised"]), where + " dequantised");
            ++rowsSeen;
        }
    }
    QCOMPARE(rowsSeen, 600);
    qInfo("torchao_scales.json: %d casts of tensors exact", rowsSeen);
}

void TstTileCast::mxBlocks() {
    const Json golden = tests::goldenJson("mx_scales.json");
    const std::map<std::string, MxRule> rules{{"FLOOR", MxRule::TorchaoFloor},
                                              {"CEIL", MxRule::TorchaoCeil},
                                              {"EVEN", MxRule::TorchaoEven},
                                              {"RCEIL", MxRule::TorchaoRceil}};
    int rowsSeen = 0;
    for (const Json& block : golden["blocks"]) {
        const std::vector<float> x = tests::floatsFromWordsOf(block["dtype"], block["x"]);
        for (const Json& row : block["results"]) {
            TileCastSpec spec;
            spec.format = formatOf(row["format"]);
            spec.source = ScaleSource::Mx;
            spec.mxRule = rules.at(row["mode"].get<std::string>());
            const auto byte = static_cast<uint8_t>(tests::bytesFromHex(row["scale"]).at(0));
            // A block as a row, and the same block as a column.
            for (const bool column : {false, true}) {
                spec.tile = column ? TileShape{32, 1} : TileShape{1, 32};
                const Cast cast = castOf(x, column ? 32 : 1, column ? 1 : 32, spec);
                compareFloats(cast.scales, {e8m0Multiplier(spec.mxRule, byte)}, "multiplier");
                QCOMPARE(codesText(x, cast.codes), codesText(x, tests::bytesFromHex(row["codes"])));
                ++rowsSeen;
            }
        }
    }
    QCOMPARE(rowsSeen, 800);
    qInfo("mx_scales.json: %d casts of blocks exact (as rows and as columns)", rowsSeen);
}

void TstTileCast::scalesFollowTheRulesOfTheirTile() {
    const int64_t rows = 200, cols = 300;
    const std::vector<float> x = randomMatrix(rows * cols, 1);
    for (const TileShape& tile : {TileShape{1, 128}, TileShape{128, 1}, TileShape{128, 128}, TileShape{1, 32},
                                  TileShape{32, 1}, TileShape{32, 32}, TileShape{}, TileShape{kWholeDimension, 1}}) {
        TileCastSpec spec;
        spec.tile = tile;
        spec.powerOfTwo = true;
        const Cast cast = castOf(x, rows, cols, spec);
        const int64_t height = std::min(tile.rows, rows), width = std::min(tile.cols, cols);
        float smallest = std::numeric_limits<float>::infinity();
        for (int64_t r = 0; r < rows; r += height) {
            for (int64_t c = 0; c < cols; c += width) {
                float amax = 0;
                for (int64_t i = r; i < std::min(rows, r + height); ++i) {
                    for (int64_t j = c; j < std::min(cols, c + width); ++j)
                        amax = std::max(amax, std::fabs(x[static_cast<size_t>(i * cols + j)]));
                }
                const float scale = cast.scales[static_cast<size_t>(r / height * tilesOf(cols, width) + c / width)];
                QCOMPARE(scale, teScale(amax, {448.0f, true, 0, kLargestFloat32}));
                smallest = std::min(smallest, 1.0f / scale);
            }
        }
        QCOMPARE(cast.result.scaleInvMin, smallest);
        QVERIFY(cast.result.scaleInvMax >= smallest);
    }
}

void TstTileCast::everyInstructionSetEqualsTheReference_data() {
    QTest::addColumn<TileCastSpec>("spec");
    const std::pair<const char*, TileShape> tiles[] = {{"rows", {}},
                                                       {"columns", {kWholeDimension, 1}},
                                                       {"1x128", {1, 128}},
                                                       {"128x1", {128, 1}},
                                                       {"128x128", {128, 128}},
                                                       {"1x32", {1, 32}},
                                                       {"32x1", {32, 1}},
                                                       {"32x32", {32, 32}}};
    for (const auto& [name, tile] : tiles) {
        for (const Fp8Format format : {Fp8Format::E4M3, Fp8Format::E5M2}) {
            const char* text = numerics::formatName(format);
            TileCastSpec spec;
            spec.format = format;
            spec.tile = tile;
            QTest::addRow("TE, %s, %s", name, text) << spec;
            spec.powerOfTwo = spec.roundInputToBf16 = true;
            QTest::addRow("TE by powers of two from bf16, %s, %s", name, text) << spec;
            spec.powerOfTwo = false;
            spec.source = ScaleSource::Torchao;
            QTest::addRow("torchao from bf16, %s, %s", name, text) << spec;
            spec.source = ScaleSource::Mx;
            spec.mxRule = MxRule::TorchaoFloor;
            spec.roundInputToBf16 = false;
            QTest::addRow("MX that rounds down, %s, %s", name, text) << spec;
            spec.source = ScaleSource::Given;
            spec.givenScale = 1000;
            spec.level = StatisticsLevel::Counters;
            QTest::addRow("a given scale, counters, %s, %s", name, text) << spec;
            spec.level = StatisticsLevel::Amax;
            QTest::addRow("a given scale, amax, %s, %s", name, text) << spec;
        }
    }
}

void TstTileCast::everyInstructionSetEqualsTheReference() {
    QFETCH(TileCastSpec, spec);
    for (const auto& [rows, cols] : {std::pair<int64_t, int64_t>{70, 131}, {3, 2100}, {300, 48}, {1, 1}}) {
        const std::vector<float> x = randomMatrix(rows * cols, static_cast<quint32>(rows));
        const Cast expected = castWith(castTaskReference, x, rows, cols, spec);
        const int64_t all = hwy::SupportedTargets();
        for (int64_t left = all; left != 0; left &= left - 1) {
            const int64_t target = left & -left;
            hwy::SetSupportedTargetsForTest(target);
            hwy::GetChosenTarget().Update(hwy::SupportedTargets());
            const Cast got = castOf(x, rows, cols, spec);
            hwy::SetSupportedTargetsForTest(0);
            hwy::GetChosenTarget().Update(hwy::SupportedTargets());
            compareFloats(got.values, expected.values, hwy::TargetName(target));
            compareFloats(got.scales, expected.scales, hwy::TargetName(target));
            QVERIFY(got.codes == expected.codes);
            const numerics::CastStatistics &a = got.result.statistics, &b = expected.result.statistics;
            QCOMPARE(a.elements, static_cast<uint64_t>(rows * cols));
            QCOMPARE(a.elements, b.elements);
            QCOMPARE(a.underflows, b.underflows);
            QCOMPARE(a.overflows, b.overflows);
            QCOMPARE(a.saturated, b.saturated);
            QCOMPARE(a.amax, b.amax);
            QVERIFY(a.squaredError == b.squaredError && a.sumSquares == b.sumSquares);
            QVERIFY(a.sumSquaresCast == b.sumSquaresCast);
            QVERIFY(got.result.scaleInvMin == expected.result.scaleInvMin);
            QVERIFY(got.result.scaleInvMax == expected.result.scaleInvMax);
        }
    }
}

void TstTileCast::nanAndInfinityTakeEachLibrarysWay() {
    const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    const std::vector<float> x{1, inf, 2, 4, 1, nan, 2, 4, 1, 2, 2, 4};  // three rows of four
    TileCastSpec te;
    const Cast byTe = castOf(x, 3, 4, te);
    compareFloats(byTe.scales, {1, 112, 112}, "TE: an infinite amax gives 1, NaN is ignored");
    compareFloats(byTe.values, {1, 448, 2, 4, 1, nan, 2, 4, 1, 2, 2, 4}, "TE saturates infinity");
    TileCastSpec torchao;
    torchao.source = ScaleSource::Torchao;
    const Cast byTorchao = castOf(x, 3, 4, torchao);
    compareFloats(byTorchao.scales, {0, nan, 112}, "torchao: infinity gives 0, NaN spreads");
    for (size_t i = 0; i < 8; ++i)
        QVERIFY(std::isnan(byTorchao.values[i]));
    compareFloats({byTorchao.values.begin() + 8, byTorchao.values.end()}, {1, 2, 2, 4}, "the clean row");
    QCOMPARE(byTorchao.result.statistics.nans, uint64_t{1});
    QCOMPARE(byTorchao.result.statistics.infinities, uint64_t{1});
    QVERIFY(!byTe.result.statistics.allFinite());
}

void TstTileCast::sumsDoNotDependOnTheParts() {
    const std::vector<float> x = randomMatrix(700 * 96, 5);
    TileCastSpec spec;
    spec.tile = {1, 32};
    const Cast whole = castOf(x, 700, 96, spec);
    std::vector<float> values(x.size());
    const TileMatrix matrix{x.data(), 700, 96, values.data(), nullptr, nullptr};
    auto tasks = tileTasks(700, 96, spec.tile);
    QVERIFY(tasks.size() > 1);
    std::vector<TileCastResult> results;
    for (auto task = tasks.rbegin(); task != tasks.rend(); ++task)  // any order, merged in order
        results.insert(results.begin(), castTask(matrix, *task, spec));
    TileCastResult total;
    for (const TileCastResult& result : results)
        total.merge(result);
    QVERIFY(values == whole.values);
    QVERIFY(total.statistics.squaredError == whole.result.statistics.squaredError);
}

void TstTileCast::roundedInputsAreCastAsTheirRoundedValues() {
    const std::vector<float> x = randomMatrix(64 * 64, 9);
    std::vector<float> rounded(x.size());
    numerics::roundToBf16(x, rounded);
    for (const TileShape& tile : {TileShape{1, 32}, TileShape{32, 1}, TileShape{32, 32}}) {
        TileCastSpec spec;
        spec.tile = tile;
        const Cast before = castOf(rounded, 64, 64, spec);
        spec.roundInputToBf16 = true;
        QVERIFY(castOf(x, 64, 64, spec).values == before.values);
        QCOMPARE(castOf(x, 64, 64, spec).result.statistics.amax, before.result.statistics.amax);
    }
}

QTEST_APPLESS_MAIN(TstTileCast)
#include "tst_tile_cast.moc"
