// SPDX-License-Identifier: Apache-2.0
// Scale rules against te_current.json (ports of TE 2.20's rules), torchao_scales.json and mx_scales.json (torchao
// 0.18.0, run on a CPU). Every row of the tables is compared bit for bit; the number of rows is printed.
#include <QtTest>

#include "engine/scaling/scale_rules.h"
#include "tests/support/golden.h"

using namespace octet;
using namespace octet::scaling;
using numerics::Fp8Format;

namespace {

Fp8Format formatFrom(const std::string& key) {
    return key == "e5m2" ? Fp8Format::E5M2 : Fp8Format::E4M3;
}

struct MxMode {
    const char* key;
    MxRule rule;
};
constexpr MxMode kMxModes[] = {{"FLOOR", MxRule::TorchaoFloor},
                               {"CEIL", MxRule::TorchaoCeil},
                               {"EVEN", MxRule::TorchaoEven},
                               {"RCEIL", MxRule::TorchaoRceil}};

void compareScale(float got, float expected, float amax) {
    QVERIFY2(tests::sameFloat(got, expected),
             qPrintable(QString("amax %1: got %2, expected %3")
                            .arg(tests::hexOf(amax), tests::hexOf(got), tests::hexOf(expected))));
}

/// The amax of a block and its codes as torchao's rule makes them; `codes` gets one code per element.
uint8_t quantiseBlock(MxRule rule, Fp8Format format, const std::vector<float>& block, std::vector<uint8_t>& codes) {
    float amax = 0;
    for (const float x : block)
        amax = maxSpreadingNan(amax, numerics::floatOf(numerics::bitsOf(x) & ~numerics::kSignBit));
    const uint8_t byte = e8m0Byte(rule, amax, format);
    const float multiplier = e8m0Multiplier(rule, byte);
    for (const float x : block) {
        // Of two NaN operands a machine keeps either; torch kept the multiplier's.
        const float scaled = isNan(multiplier) ? kNan : isNan(x) ? x : x * multiplier;
        codes.push_back(format == Fp8Format::E4M3
                            ? numerics::encode<Fp8Format::E4M3>(scaled, numerics::CastPolicy::Torchao)
                            : numerics::encode<Fp8Format::E5M2>(scaled, numerics::CastPolicy::Torchao));
    }
    return byte;
}

/// Codes for comparison: the sign of a NaN that arithmetic made (infinity / infinity) belongs to the machine.
QByteArray withoutMadeNanSigns(const std::vector<float>& block, std::vector<uint8_t> codes) {
    for (size_t i = 0; i < codes.size(); ++i)
        if (!isNan(block[i]) && (codes[i] & 0x7F) == 0x7F) codes[i] = 0x7F;
    return QByteArray(reinterpret_cast<const char*>(codes.data()), static_cast<qsizetype>(codes.size())).toHex();
}

}  // namespace

class TstScaleRules final : public QObject {
    Q_OBJECT

private slots:
    void everyRowOfTeCurrentScaling();
    void everyByteOfTeMxfp8();
    void everyTorchaoScale();
    void everyTorchaoTensor();
    void everyTorchaoE8m0Byte();
    void everyTorchaoMxBlock();
    void blockScalingFallsBackToTheInputTypesLargestValue();
    void multipliersDifferByLibraryAtTheEnds();
    void infinityAndNanEnterAsEachLibraryHasIt();
};

void TstScaleRules::everyRowOfTeCurrentScaling() {
    const Json golden = tests::goldenJson("te_current.json");
    const auto amaxes = tests::floatsFromWords(golden["amax"]);
    size_t rows = 0;
    for (const Json& table : golden["current"]) {
        TeScaleRule rule;
        rule.fp8Max = numerics::fp8Max(formatFrom(table["format"]));
        rule.powerOfTwo = table["po2"];
        rule.epsilon = tests::floatsFromWords(table["eps"]).at(0);
        const auto scales = tests::floatsFromWords(table["scale"]),
                   inverses = tests::floatsFromWords(table["scale_inv"]);
        QCOMPARE(scales.size(), amaxes.size());
        for (size_t i = 0; i < amaxes.size(); ++i, ++rows) {
            compareScale(teScale(amaxes[i], rule), scales[i], amaxes[i]);
            compareScale(1.0f / teScale(amaxes[i], rule), inverses[i], amaxes[i]);
        }
    }
    qInfo("te_current.json: %zu scales", rows);
    QVERIFY(rows > 500);
}

void TstScaleRules::everyByteOfTeMxfp8() {
    const Json golden = tests::goldenJson("te_current.json");
    const auto amaxes = tests::floatsFromWords(golden["amax"]);
    size_t rows = 0;
    for (const char* key : {"e4m3fn", "e5m2"}) {
        const auto bytes = tests::bytesFromHex(golden["mxfp8"][key]["code"]);
        QCOMPARE(bytes.size(), amaxes.size());
        for (size_t i = 0; i < bytes.size(); ++i, ++rows)
            QVERIFY2(e8m0Byte(MxRule::Te, amaxes[i], formatFrom(key)) == bytes[i], tests::hexOf(amaxes[i]).constData());
    }
    qInfo("te_current.json: %zu MXFP8 bytes", rows);
    QVERIFY(rows > 100);
}

void TstScaleRules::everyTorchaoScale() {
    const Json table = tests::goldenJson("torchao_scales.json")["amax_to_scale"];
    const auto amaxes = tests::floatsFromWords(table["amax"]);
    QCOMPARE(amaxes.size(), size_t{1436});
    size_t cutMantissaDiffers = 0;
    for (const char* key : {"e4m3fn", "e5m2"}) {
        const float fp8Max = numerics::fp8Max(formatFrom(key));
        const auto plain = tests::floatsFromWords(table[key]["scale"]);
        const auto rounded = tests::floatsFromWords(table[key]["scale_po2"]);
        for (size_t i = 0; i < amaxes.size(); ++i) {
            compareScale(torchaoScale(amaxes[i], fp8Max, false), plain.at(i), amaxes[i]);
            compareScale(torchaoScale(amaxes[i], fp8Max, true), rounded.at(i), amaxes[i]);
            cutMantissaDiffers +=
                !isNan(plain[i]) && (numerics::bitsOf(plain[i]) & 0xFF800000u) != numerics::bitsOf(rounded[i]);
        }
    }
    qInfo("torchao_scales.json: %zu scales; cutting off the mantissa would be wrong for %zu", 4 * amaxes.size(),
          cutMantissaDiffers);
    QCOMPARE(cutMantissaDiffers, size_t{162 + 174});
}

void TstScaleRules::everyTorchaoTensor() {
    const Json golden = tests::goldenJson("torchao_scales.json");
    size_t scales = 0;
    for (const Json& tensor : golden["tensors"]) {
        for (const Json& result : tensor["results"]) {
            const float fp8Max = numerics::fp8Max(formatFrom(result["format"]));
            const auto amaxes = tests::floatsFromWords(result["amax"]),
                       expected = tests::floatsFromWords(result["scale"]);
            QCOMPARE(amaxes.size(), expected.size());
            for (size_t i = 0; i < amaxes.size(); ++i, ++scales)
                compareScale(torchaoScale(amaxes[i], fp8Max, result["po2"]), expected[i], amaxes[i]);
        }
    }
    qInfo("torchao_scales.json: %zu scales of tensors, rows and columns", scales);
    QVERIFY(scales > 1000);
}

void TstScaleRules::everyTorchaoE8m0Byte() {
    const Json table = tests::goldenJson("mx_scales.json")["by_amax"];
    const auto amaxes = tests::floatsFromWords(table["amax"]);
    size_t rows = 0, onesTooSmall = 0;
    for (const char* key : {"e4m3fn", "e5m2"}) {
        for (const MxMode& mode : kMxModes) {
            const auto bytes = tests::bytesFromHex(table[key][mode.key]["scale"]);
            QCOMPARE(bytes.size(), amaxes.size());
            for (size_t i = 0; i < bytes.size(); ++i, ++rows) {
                const int got = e8m0Byte(mode.rule, amaxes[i], formatFrom(key));
                QVERIFY2(got == bytes[i], qPrintable(QString("%1 %2 amax %3: got %4, expected %5")
                                                         .arg(key, mode.key, tests::hexOf(amaxes[i]))
                                                         .arg(got)
                                                         .arg(bytes[i])));
                onesTooSmall +=
                    mode.rule == MxRule::TorchaoRceil && got != e8m0Byte(MxRule::Te, amaxes[i], formatFrom(key));
            }
        }
    }
    qInfo("mx_scales.json: %zu bytes; RCEIL differs from exact rounding up for %zu", rows, onesTooSmall);
    QVERIFY(rows == 8 * amaxes.size() && onesTooSmall > 0);
}

void TstScaleRules::everyTorchaoMxBlock() {
    const Json golden = tests::goldenJson("mx_scales.json");
    size_t blocks = 0;
    for (const Json& row : golden["blocks"]) {
        auto block = tests::floatsFromWords(row["x"]);
        if (row["dtype"] == "bfloat16")
            for (float& x : block)
                x = numerics::floatOf(numerics::bitsOf(x) << 16);
        for (const Json& result : row["results"]) {
            for (const MxMode& mode : kMxModes) {
                if (result["mode"] != mode.key) continue;
                std::vector<uint8_t> codes;
                const uint8_t byte = quantiseBlock(mode.rule, formatFrom(result["format"]), block, codes);
                const QString where = QString("%1 %2 %3")
                                          .arg(row["name"].get<std::string>().c_str(), mode.key,
                                               result["format"].get<std::string>().c_str());
                QVERIFY2(byte == tests::bytesFromHex(result["scale"]).at(0), qPrintable(where));
                const QByteArray got = withoutMadeNanSigns(block, codes);
                const QByteArray expected = withoutMadeNanSigns(block, tests::bytesFromHex(result["codes"]));
                QVERIFY2(got == expected, qPrintable(where + "\n" + got + "\n" + expected));
                ++blocks;
            }
        }
    }
    qInfo("mx_scales.json: %zu blocks of 32 codes", blocks);
    QCOMPARE(blocks, size_t{400});
}

void TstScaleRules::blockScalingFallsBackToTheInputTypesLargestValue() {
    // Worked examples of TE's rule 4.1: amax 1e-37, E4M3, power of two.
    QCOMPARE(teScale(1e-37f, {448.0f, true, 0.0f, kLargestFloat32}), numerics::floatOf(0x7F000000u));
    QCOMPARE(teScale(1e-37f, {448.0f, true, 0.0f, kLargestFloat16}), 32768.0f);
    QCOMPARE(teScale(1e-37f, {448.0f, true, 0.0f, kLargestBf16}), numerics::floatOf(0x7F000000u));
    QCOMPARE(teScale(0.0f, {448.0f, false, 1e-4f, kLargestFloat32}), 4480000.0f);
}

void TstScaleRules::multipliersDifferByLibraryAtTheEnds() {
    QCOMPARE(e8m0Multiplier(MxRule::Te, 0), powerOfTwo(127));
    QCOMPARE(e8m0Multiplier(MxRule::TorchaoRceil, 0), 1.0f);
    QCOMPARE(e8m0Multiplier(MxRule::TorchaoFloor, 0), powerOfTwo(126));
    QCOMPARE(e8m0Multiplier(MxRule::Te, 254), powerOfTwo(-127));
    QVERIFY(isNan(e8m0Multiplier(MxRule::Te, 255)) && isNan(e8m0Multiplier(MxRule::TorchaoRceil, 255)));
    QCOMPARE(e8m0Multiplier(MxRule::TorchaoEven, 255), 0.0f);
    QCOMPARE(e8m0Value(0), powerOfTwo(-127));
    QCOMPARE(e8m0Value(127), 1.0f);
    QVERIFY(isNan(e8m0Value(255)));
}

void TstScaleRules::infinityAndNanEnterAsEachLibraryHasIt() {
    QCOMPARE(teAmax({3.0f, true, false}), 3.0f);
    QVERIFY(isInfinite(teAmax({3.0f, true, true})));
    QVERIFY(isNan(torchaoAmax({3.0f, true, true})));
    QVERIFY(isInfinite(torchaoAmax({3.0f, false, true})));
    QCOMPARE(torchaoScale(numerics::floatOf(numerics::kInfinityBits), 448.0f, false), 0.0f);
    QCOMPARE(torchaoScale(numerics::floatOf(numerics::kInfinityBits), 448.0f, true), 0.0f);
}

QTEST_APPLESS_MAIN(TstScaleRules)
#include "tst_scale_rules.moc"
