// SPDX-License-Identifier: GPL-3.0-or-later
// octet --bench: every figure of the design is there and is a number; following a store that grows keeps the memory and
// the event loop in bounds. Times are reported, not judged: other programs share the machine.
#include <QProcess>
#include <QtTest>
#include <cmath>
#include <map>

#include "engine/core/json.h"

namespace {

constexpr int kLimitMs = 240'000;
// What 2,000 followed series really need in half a minute is below a MiB; the allocator adds some.
constexpr double kMostGrowthMiB = 8;
// Processor time of one round of the event loop. The design asks for 50 ms on a quiet machine; a stall is longer.
constexpr double kStallMs = 250;

struct Measured {
    int exitCode = -1;
    QString words;
    std::map<std::string, octet::Json> results;

    [[nodiscard]] double value(const char* name) const {
        const auto found = results.find(name);
        return found == results.end() ? NAN : found->second["value"].get<double>();
    }
};

Measured bench(const QString& arguments) {
    QProcess process;
    QStringList all{"--bench"};
    if (!arguments.isEmpty()) all += arguments.split(' ');
    process.start(QStringLiteral(OCTET_WINDOW_PROGRAM), all);
    if (!process.waitForFinished(kLimitMs)) qFatal("octet --bench did not end");
    Measured measured{process.exitCode(), QString::fromUtf8(process.readAllStandardError()), {}};
    const auto json = octet::parseJson(process.readAllStandardOutput().toStdString(), "bench");
    if (!json || !json->contains("results")) return measured;
    for (const octet::Json& one : (*json)["results"])
        measured.results[one["name"].get<std::string>()] = one;
    return measured;
}

}  // namespace

class TstWindowBench final : public QObject {
    Q_OBJECT

private slots:
    void everyFigureOfDrawingIsThere();
    void aGrowingStoreIsFollowed();
    void wrongArguments_data();
    void wrongArguments();
};

void TstWindowBench::everyFigureOfDrawingIsThere() {
    const Measured measured = bench("--json --only first_paint,frame,overview --overview-samples 1000000");
    QVERIFY2(measured.exitCode == 0, qPrintable(measured.words));
    for (const char* name : {"first_paint", "frame.scale1", "frame.scale2", "overview"}) {
        QVERIFY2(measured.value(name) > 0, name);
        const octet::Json& one = measured.results.at(name);
        QCOMPARE(one["unit"].get<std::string>(), std::string("ms"));
        QVERIFY(one["ratio"].get<double>() > 0);
        QVERIFY(one["against"].get<std::string>().starts_with("budget "));
    }
}

void TstWindowBench::aGrowingStoreIsFollowed() {
    const Measured measured = bench("--json --only follow --seconds 22");
    QVERIFY2(measured.exitCode == 0, qPrintable(measured.words));
    for (const auto& [name, one] : measured.results)
        qInfo("%s %.2f %s (%s)", name.c_str(), one["value"].get<double>(), one["unit"].get<std::string>().c_str(),
              one["against"].get<std::string>().c_str());
    QVERIFY(measured.value("follow.steps") > 20);
    QVERIFY(measured.value("follow.memory") < kMostGrowthMiB);
    QVERIFY(measured.value("follow.frame.processor") < kStallMs);
    QVERIFY(measured.value("follow.frame") > 0);
}

void TstWindowBench::wrongArguments_data() {
    QTest::addColumn<QString>("arguments");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("a name that is not one") << "--only frames"
                                            << "--only knows first_paint, frame, overview, follow, not \"frames\".";
    QTest::newRow("no time at all") << "--seconds 0"
                                    << "--seconds takes a number above 0, not \"0\".";
    QTest::newRow("an option without its value") << "--minutes"
                                                 << "--minutes needs a value.";
    QTest::newRow("an option that is not one") << "--fast yes"
                                               << "does not know the option \"--fast\".";
}

void TstWindowBench::wrongArguments() {
    QFETCH(QString, arguments);
    QFETCH(QString, sentence);
    const Measured measured = bench(arguments);
    QCOMPARE(measured.exitCode, 2);
    QVERIFY2(measured.words.contains(sentence), qPrintable(measured.words));
}

QTEST_GUILESS_MAIN(TstWindowBench)
#include "tst_window_bench.moc"
