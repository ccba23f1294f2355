// SPDX-License-Identifier: Apache-2.0
// The scalar reference against every row of casts.json (torch 2.11.0, torchao 0.18.0, CUDA 13.0 cuda_fp8.h) and the
// worked vectors of the fact sheet.
#include <QtTest>
#include <cmath>

#include "engine/numerics/fp8_scalar.h"
#include "tests/support/golden.h"

using namespace octet;
using namespace octet::numerics;

Q_DECLARE_METATYPE(octet::numerics::Fp8Format)
Q_DECLARE_METATYPE(octet::numerics::CastPolicy)

class TstFp8Scalar final : public QObject {
    Q_OBJECT

private slots:
    void everyCodeDecodesToItsGoldenValue_data();
    void everyCodeDecodesToItsGoldenValue();
    void everyGoldenCastIsEqual_data();
    void everyGoldenCastIsEqual();
    void workedCasts_data();
    void workedCasts();
    void everyCodeSurvivesDecodeAndEncode();
    void bf16RoundsTiesToEven_data();
    void bf16RoundsTiesToEven();
};

namespace {

uint8_t encodeAs(Fp8Format format, float value, CastPolicy policy = CastPolicy::SatFinite) {
    return format == Fp8Format::E4M3 ? encode<Fp8Format::E4M3>(value, policy) : encode<Fp8Format::E5M2>(value, policy);
}

float decodeAs(Fp8Format format, uint8_t code) {
    return format == Fp8Format::E4M3 ? decode<Fp8Format::E4M3>(code) : decode<Fp8Format::E5M2>(code);
}

const char* goldenKey(Fp8Format format) {
    return format == Fp8Format::E4M3 ? "e4m3fn" : "e5m2";
}

}  // namespace

void TstFp8Scalar::everyCodeDecodesToItsGoldenValue_data() {
    QTest::addColumn<Fp8Format>("format");
    QTest::newRow("256 codes of E4M3") << Fp8Format::E4M3;
    QTest::newRow("256 codes of E5M2") << Fp8Format::E5M2;
}

void TstFp8Scalar::everyCodeDecodesToItsGoldenValue() {
    QFETCH(Fp8Format, format);
    const Json golden = tests::goldenJson("casts.json");
    const auto values = tests::floatsFromWords(golden[goldenKey(format)]["values"].get<std::string>());
    QCOMPARE(values.size(), size_t{256});
    for (int code = 0; code < 256; ++code) {
        const float decoded = decodeAs(format, static_cast<uint8_t>(code));
        QVERIFY2(tests::sameFloat(decoded, values[static_cast<size_t>(code)]),
                 qPrintable(QString("code %1: got %2, expected %3")
                                .arg(code, 0, 16)
                                .arg(decoded)
                                .arg(values[static_cast<size_t>(code)])));
    }
}

void TstFp8Scalar::everyGoldenCastIsEqual_data() {
    QTest::addColumn<Fp8Format>("format");
    QTest::addColumn<CastPolicy>("policy");
    QTest::addColumn<QString>("key");
    for (const Fp8Format format : {Fp8Format::E4M3, Fp8Format::E5M2}) {
        const QByteArray name = formatName(format);
        QTest::newRow(name + " saturating as CUDA and TE do") << format << CastPolicy::SatFinite << "satfinite";
        QTest::newRow(name + " clamped as torchao does") << format << CastPolicy::Torchao << "torchao";
        QTest::newRow(name + " plain as torch does") << format << CastPolicy::Plain << "plain";
    }
}

void TstFp8Scalar::everyGoldenCastIsEqual() {
    QFETCH(Fp8Format, format);
    QFETCH(CastPolicy, policy);
    QFETCH(QString, key);
    const Json golden = tests::goldenJson("casts.json")[goldenKey(format)];
    const auto inputs = tests::floatsFromWords(golden["x"].get<std::string>());
    const auto codes = tests::bytesFromHex(golden[key.toStdString()].get<std::string>());
    QCOMPARE(codes.size(), inputs.size());
    QVERIFY(inputs.size() > 3000);
    int mismatches = 0;
    for (size_t i = 0; i < inputs.size(); ++i) {
        const uint8_t code = encodeAs(format, inputs[i], policy);
        if (code == codes[i]) continue;
        if (++mismatches <= 5) {
            qWarning("row %zu: %s gives %02x, golden %02x", i, tests::hexOf(inputs[i]).constData(), code, codes[i]);
        }
    }
    QCOMPARE(mismatches, 0);
    qInfo("casts.json: %zu casts exact", inputs.size());
}

void TstFp8Scalar::workedCasts_data() {
    QTest::addColumn<Fp8Format>("format");
    QTest::addColumn<float>("value");
    QTest::addColumn<int>("code");
    const auto row = [](Fp8Format format, float value, int code, const char* why) {
        QTest::addRow("%s %g: %s", formatName(format), static_cast<double>(value), why) << format << value << code;
    };
    const auto e4 = Fp8Format::E4M3, e5 = Fp8Format::E5M2;
    row(e4, 464.0f, 0x7E, "the last tie rounds back to 448");
    row(e4, 465.0f, 0x7E, "saturates");
    row(e4, INFINITY, 0x7E, "infinity saturates");
    row(e4, 17.0f, 0x58, "tie to the even 16");
    row(e4, 19.0f, 0x5A, "tie to the even 20");
    row(e4, 0.1f, 0x1D, "nearest");
    row(e4, -0.3f, 0xAA, "sign kept");
    row(e4, 0x1p-6f, 0x08, "smallest normal");
    row(e4, 0x1p-9f, 0x01, "smallest subnormal");
    row(e4, 0x1p-10f, 0x00, "tie to zero");
    row(e4, 1.001f * 0x1p-10f, 0x01, "just above the tie");
    row(e4, 3 * 0x1p-10f, 0x02, "subnormal tie to even");
    row(e4, -0x1p-11f, 0x80, "negative zero");
    row(e4, -0.0f, 0x80, "negative zero stays");
    row(e4, 240.0f, 0x77, "exact");
    row(e5, 61440.0f, 0x7B, "the tie above the maximum saturates");
    row(e5, INFINITY, 0x7B, "infinity saturates");
    row(e5, 9.0f, 0x48, "tie to the even 8");
    row(e5, 11.0f, 0x4A, "tie to the even 12");
    row(e5, 0.1f, 0x2E, "nearest");
    row(e5, 0x1p-14f, 0x04, "smallest normal");
    row(e5, 0x1p-16f, 0x01, "smallest subnormal");
    row(e5, 0x1p-17f, 0x00, "tie to zero");
    row(e5, 1.001f * 0x1p-17f, 0x01, "just above the tie");
    row(e5, 3 * 0x1p-17f, 0x02, "subnormal tie to even");
}

void TstFp8Scalar::workedCasts() {
    QFETCH(Fp8Format, format);
    QFETCH(float, value);
    QFETCH(int, code);
    QCOMPARE(static_cast<int>(encodeAs(format, value)), code);
}

void TstFp8Scalar::everyCodeSurvivesDecodeAndEncode() {
    for (const Fp8Format format : {Fp8Format::E4M3, Fp8Format::E5M2}) {
        for (int code = 0; code < 256; ++code) {
            const float value = decodeAs(format, static_cast<uint8_t>(code));
            if (std::isnan(value)) {
                QCOMPARE(static_cast<int>(encodeAs(format, value, CastPolicy::Torchao)), (code & 0x80) | 0x7F);
            } else {
                QCOMPARE(static_cast<int>(encodeAs(format, value, CastPolicy::Plain)), code);
            }
        }
    }
}

void TstFp8Scalar::bf16RoundsTiesToEven_data() {
    QTest::addColumn<uint>("in");
    QTest::addColumn<uint>("out");
    QTest::newRow("a bf16 value stays") << 0x3F800000u << 0x3F800000u;
    QTest::newRow("a tie goes down to the even neighbour") << 0x3F808000u << 0x3F800000u;
    QTest::newRow("a tie goes up to the even neighbour") << 0x3F818000u << 0x3F820000u;
    QTest::newRow("above a tie goes up") << 0x3F808001u << 0x3F810000u;
    QTest::newRow("the largest float becomes infinity") << 0x7F7FFFFFu << 0x7F800000u;
    QTest::newRow("infinity stays") << 0xFF800000u << 0xFF800000u;
    QTest::newRow("NaN stays NaN and keeps its sign") << 0xFF800001u << 0xFFC00000u;
    QTest::newRow("a subnormal rounds too") << 0x00008001u << 0x00010000u;
}

void TstFp8Scalar::bf16RoundsTiesToEven() {
    QFETCH(uint, in);
    QFETCH(uint, out);
    QCOMPARE(bitsOf(roundToBf16(floatOf(in))), out);
}

QTEST_GUILESS_MAIN(TstFp8Scalar)
#include "tst_fp8_scalar.moc"
