// SPDX-License-Identifier: Apache-2.0
// octet-engine devices and selfcheck where no GPU is at hand, and on the host twin of the kernels as a plug-in.
#include <QTemporaryDir>
#include <QtTest>

#include "tests/app/engine_process.h"

using namespace octet;
using tests::runEngine;

namespace {

/// A plug-in that is not there: the same answer on machines with and without a GPU.
const std::vector<std::pair<QString, QString>> kNoGpu{{"OCTET_CUDA_PLUGIN", "/nowhere/liboctet_cuda.so"}};

std::vector<std::pair<QString, QString>> hostTwin() {
#ifdef OCTET_HOST_TWIN
    return {{"OCTET_CUDA_PLUGIN", OCTET_HOST_TWIN}};
#else
    return {};
#endif
}

}  // namespace

class TstDevicesCli final : public QObject {
    Q_OBJECT

private slots:
    void theCpuIsAlwaysListed();
    void selfcheckWithoutAGpuSaysSoAndFails();
    void selfcheckOfTheCpuPasses();
    void benchWithoutAGpuSaysSoAndFails();
    void aWrongNameIsRefused_data();
    void aWrongNameIsRefused();
    void trainingOnAGpuThatIsNotThereIsRefused();
    void selfcheckRunsTheKernelsOfAPlugin();
};

void TstDevicesCli::theCpuIsAlwaysListed() {
    const auto outcome = runEngine({"devices", "--json"}, kNoGpu);
    QCOMPARE(outcome.exitCode, 0);
    const Json json = outcome.json();
    QCOMPARE(json["devices"].size(), size_t{1});
    QCOMPARE(json["devices"][0]["device"].get<std::string>(), std::string("cpu"));
    QCOMPARE(json["devices"][0]["recipes"]["mxfp8"].get<std::string>(), std::string("emulated"));
    QVERIFY(json["why_no_gpu"].get<std::string>().find("/nowhere/") != std::string::npos);
    const auto text = runEngine({"devices"}, kNoGpu);
    QVERIFY(text.out.contains("torchao_rowwise") && text.out.contains("no GPU plug-in"));
}

void TstDevicesCli::selfcheckWithoutAGpuSaysSoAndFails() {
    const auto outcome = runEngine({"selfcheck", "--device", "cuda", "--json"}, kNoGpu);
    QCOMPARE(outcome.exitCode, 1);
    QVERIFY2(outcome.err.contains("no GPU plug-in"), qPrintable(outcome.err));
    QVERIFY(outcome.json()["error"]["message"].is_string());
}

void TstDevicesCli::selfcheckOfTheCpuPasses() {
    const auto outcome = runEngine({"selfcheck", "--json"});
    QCOMPARE(outcome.exitCode, 0);
    const Json json = outcome.json();
    QVERIFY(json["passed"].get<bool>());
    QVERIFY(json["checks"][1]["rows"].get<int>() > 500);
}

void TstDevicesCli::benchWithoutAGpuSaysSoAndFails() {
    const auto outcome = runEngine({"bench", "--device", "cuda", "--json"}, kNoGpu);
    QCOMPARE(outcome.exitCode, 1);
    QVERIFY2(outcome.err.contains("no GPU plug-in"), qPrintable(outcome.err));
}

void TstDevicesCli::aWrongNameIsRefused_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("word");
    QTest::newRow("a device") << QStringList{"--device", "gpu"} << "cuda:N";
    QTest::newRow("a check") << QStringList{"--device", "cuda", "--only", "cats"} << "cast.axes";
}

void TstDevicesCli::aWrongNameIsRefused() {
    QFETCH(QStringList, arguments);
    QFETCH(QString, word);
    const auto outcome = runEngine(QStringList{"selfcheck"} + arguments, kNoGpu);
    QCOMPARE(outcome.exitCode, 2);
    QVERIFY2(outcome.err.contains(word), qPrintable(outcome.err));
}

void TstDevicesCli::trainingOnAGpuThatIsNotThereIsRefused() {
    QTemporaryDir folder;
    const auto outcome =
        runEngine(tests::tinyTraining(folder.filePath("a.octet"), 1) + QStringList{"--device", "cuda"}, kNoGpu);
    QCOMPARE(outcome.exitCode, 2);
    QVERIFY2(outcome.err.contains("no GPU plug-in") && outcome.err.contains("--device cpu"), qPrintable(outcome.err));
    QVERIFY(!QFile::exists(folder.filePath("a.octet")));
}

void TstDevicesCli::selfcheckRunsTheKernelsOfAPlugin() {
    if (hostTwin().empty()) QSKIP("the host twin is not built with sanitizers");
    const auto outcome = runEngine(
        {"selfcheck", "--device", "cuda", "--only", "dequantise,cast.determinism,gemm", "--json"}, hostTwin());
    QVERIFY2(outcome.exitCode == 0, qPrintable(outcome.out + outcome.err));
    const Json json = outcome.json();
    QCOMPARE(json["checks"].size(), size_t{3});
    QCOMPARE(json["checks"][0]["rows"].get<int>(), 3);
    QVERIFY(json["checks"][2]["skipped_because"].is_string());
    const Json devices = runEngine({"devices", "--json"}, hostTwin()).json()["devices"];
    QCOMPARE(devices[1]["name"].get<std::string>(), std::string("host twin"));
    QCOMPARE(devices[1]["recipes"]["te_delayed"].get<std::string>(), std::string("not at all"));
}

QTEST_APPLESS_MAIN(TstDevicesCli)
#include "tst_devices_cli.moc"
