// SPDX-License-Identifier: Apache-2.0
// octet-engine cast: every golden row through the program, and what it refuses.
#include <QDir>
#include <QTemporaryDir>
#include <cstring>
#include <limits>

#include "tests/app/engine_process.h"
#include "tests/support/golden.h"

using namespace octet;
using namespace octet::tests;

class TstCastCli final : public QObject {
    Q_OBJECT

private slots:
    void goldenRowsAreExact_data();
    void goldenRowsAreExact();
    void namesAreReadInAnyCase();
    void theScaleMultipliesFirst();
    void anEmptyTensorGivesNoCodes();
    void badInputIsOneSentence_data();
    void badInputIsOneSentence();

private:
    QString inFolder(const QString& name) const { return m_folder.path() + "/" + name; }
    QString floatsFile(const std::vector<float>& values) const;

    QTemporaryDir m_folder{QDir::tempPath() + "/octet 시험 XXXXXX"};
};

/// Raw little-endian float32, as numpy's tofile() writes it.
QString TstCastCli::floatsFile(const std::vector<float>& values) const {
    QByteArray bytes(static_cast<qsizetype>(values.size() * sizeof(float)), '\0');
    std::memcpy(bytes.data(), values.data(), static_cast<size_t>(bytes.size()));
    writeFile(inFolder("x.f32"), bytes);
    return inFolder("x.f32");
}

void TstCastCli::goldenRowsAreExact_data() {
    QTest::addColumn<QString>("format");
    QTest::addColumn<QString>("policy");
    for (const char* format : {"e4m3", "e5m2"})
        for (const char* policy : {"satfinite", "torchao", "plain"})
            QTest::addRow("%s %s", format, policy) << format << policy;
}

void TstCastCli::goldenRowsAreExact() {
    QFETCH(QString, format);
    QFETCH(QString, policy);
    const Json golden = goldenJson("casts.json")[format == "e4m3" ? "e4m3fn" : "e5m2"];
    const std::vector<float> x = floatsFromWords(golden["x"]);
    const std::vector<uint8_t> expected = bytesFromHex(golden[policy.toStdString()]);
    QVERIFY(x.size() > 3900 && x.size() == expected.size());
    const QString out = inFolder("codes");
    const Outcome cast =
        runEngine({"cast", "--format", format, "--policy", policy, "--in", floatsFile(x), "--out", out, "--json"});
    QCOMPARE(cast.exitCode, 0);
    QCOMPARE(cast.json()["elements"].get<size_t>(), x.size());
    const QByteArray codes = readBytes(out);
    QCOMPARE(static_cast<size_t>(codes.size()), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
        const auto code = static_cast<uint8_t>(codes[static_cast<qsizetype>(i)]);
        QVERIFY2(code == expected[i],
                 qPrintable(QString("row %1, x %2: %3, not %4").arg(i).arg(hexOf(x[i])).arg(code).arg(expected[i])));
    }
}

/// -NaN is the value on which the three rules differ most in E4M3.
void TstCastCli::namesAreReadInAnyCase() {
    const QString in = floatsFile({-std::numeric_limits<float>::quiet_NaN(), 1000.0f, 64.0f}), out = inFolder("case");
    for (const auto& [policy, codes] : {std::pair{"SATFINITE", "7f7e68"}, std::pair{"TorchAO", "ff7e68"}}) {
        QCOMPARE(runEngine({"cast", "--format", "E4M3", "--policy", policy, "--in", in, "--out", out}).exitCode, 0);
        QCOMPARE(readBytes(out).toHex(), QByteArray(codes));
    }
}

void TstCastCli::theScaleMultipliesFirst() {
    const QString out = inFolder("scaled");
    const Outcome cast = runEngine(
        {"cast", "--format", "E4M3", "--scale", "64", "--in", floatsFile({1.0f, -7.0f, 8.0f, 0.0f}), "--out", out});
    QCOMPARE(cast.exitCode, 0);
    QCOMPARE(readBytes(out), QByteArray::fromHex("68fe7e00"));  // 64, -448, 512 -> 448, 0
    QVERIFY2(cast.out.contains("saturated 25 %"), qPrintable(cast.out));
}

void TstCastCli::anEmptyTensorGivesNoCodes() {
    const QString out = inFolder("none");
    QCOMPARE(runEngine({"cast", "--format", "e5m2", "--in", floatsFile({}), "--out", out}).exitCode, 0);
    QCOMPARE(readBytes(out), QByteArray());
}

void TstCastCli::badInputIsOneSentence_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("sentence");
    QTest::addColumn<QString>("hint");
    const QString good = inFolder("good.f32"), odd = inFolder("odd.f32"), out = inFolder("fertig");
    writeFile(good, QByteArray(16, '\0'));
    writeFile(odd, QByteArray(7, '\0'));
    const auto row = [](const char* name, const QStringList& arguments, const QString& sentence, const QString& hint) {
        QTest::newRow(name) << arguments << sentence << hint;
    };
    row("an odd size", {"--format", "e4m3", "--in", odd, "--out", out}, "7 bytes, which 4 does not divide", "tofile");
    row("a missing file", {"--format", "e4m3", "--in", inFolder("fehlt"), "--out", out}, "fehlt", "Check the path");
    row("a folder", {"--format", "e4m3", "--in", m_folder.path(), "--out", out}, "folder", "");
    row("scale 0", {"--format", "e4m3", "--scale", "0", "--in", good, "--out", out}, "above 0, found \"0\"", "448");
    row("a scale below 0", {"--format", "e4m3", "--scale", "-2", "--in", good, "--out", out}, "found \"-2\"", "448");
    row("scale NaN", {"--format", "e4m3", "--scale", "nan", "--in", good, "--out", out}, "found \"nan\"", "448");
    row("a scale beyond float32", {"--format", "e4m3", "--scale", "1e39", "--in", good, "--out", out}, "1e39", "448");
    row("a scale that float32 flushes", {"--format", "e4m3", "--scale", "1e-60", "--in", good, "--out", out}, "1e-60",
        "448");
    row("an unknown format", {"--format", "e3m4", "--in", good, "--out", out}, "e3m4", "--help");
    row("an unknown policy", {"--format", "e4m3", "--policy", "sat", "--in", good, "--out", out}, "sat", "--help");
    row("no format", {"--in", good, "--out", out}, "--format", "--help");
    row("nowhere to write", {"--format", "e4m3", "--in", good, "--out", inFolder("fehlt/x")}, "fehlt", "");
}

/// Once where nothing is yet, and once over an older file, which must stay.
void TstCastCli::badInputIsOneSentence() {
    QFETCH(QStringList, arguments);
    QFETCH(QString, sentence);
    QFETCH(QString, hint);
    arguments.prepend("cast");
    const QString out = inFolder("fertig");
    for (const bool isThere : {false, true}) {
        QFile::remove(out);
        if (isThere) writeFile(out, "older");
        const QStringList before = QDir(m_folder.path()).entryList();
        const Outcome outcome = runEngine(arguments);
        QVERIFY2(outcome.exitCode == 2, qPrintable(QString::number(outcome.exitCode) + outcome.err));
        QVERIFY2(outcome.err.startsWith("octet-engine: ") && outcome.err.contains(sentence), qPrintable(outcome.err));
        QVERIFY2(outcome.err.contains(hint) && outcome.err.count('\n') <= 2, qPrintable(outcome.err));
        QVERIFY(outcome.out.isEmpty());
        QCOMPARE(QDir(m_folder.path()).entryList(), before);
        if (isThere) QCOMPARE(readBytes(out), QByteArray("older"));
    }
}

QTEST_GUILESS_MAIN(TstCastCli)
#include "tst_cast_cli.moc"
