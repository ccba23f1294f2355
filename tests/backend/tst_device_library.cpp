// SPDX-License-Identifier: Apache-2.0
// Loading the GPU plug-in: what is missing is named in a sentence. And the CPU's own self-check.
#include <QTemporaryDir>
#include <QtTest>

#include "engine/backend/cpu_checks.h"
#include "engine/backend/device_library.h"

using namespace octet;
using namespace octet::backend;

class TstDeviceLibrary final : public QObject {
    Q_OBJECT

private slots:
    void whatIsMissingIsNamed_data();
    void whatIsMissingIsNamed();
    void theCpuPassesItsOwnCheck();
};

void TstDeviceLibrary::whatIsMissingIsNamed_data() {
    QTest::addColumn<QString>("driver");
    QTest::addColumn<QString>("plugin");
    QTest::addColumn<QStringList>("words");
    QTest::newRow("no driver") << "libcuda-not-here.so.1"
                               << "/nowhere/liboctet_cuda.so"
                               << QStringList{"No NVIDIA driver", "libcuda-not-here.so.1", "--device cpu"};
    QTest::newRow("no plug-in in this build")
        << ""
        << "/nowhere/liboctet_cuda.so" << QStringList{"no GPU plug-in", "/nowhere/", "-DOCTET_CUDA=ON"};
    QTest::newRow("a file that is no library")
        << "" << OCTET_SOURCE_DIR "/README.md" << QStringList{"could not be loaded", "--device cpu"};
    QTest::newRow("a library that is no plug-in")
        << "" << OCTET_OTHER_LIBRARY << QStringList{"no GPU plug-in of Octet", "octetDeviceTable"};
    QTest::newRow("a plug-in of another Octet")
        << "" << OCTET_FOREIGN_PLUGIN << QStringList{"another Octet", "9.9.9", "together"};
}

void TstDeviceLibrary::whatIsMissingIsNamed() {
    QFETCH(QString, driver);
    QFETCH(QString, plugin);
    QFETCH(QStringList, words);
    const auto table = loadDevicePlugin({driver.toStdString(), plugin.toStdString()});
    QVERIFY(!table.ok());
    QCOMPARE(table.error().code, ErrorCode::Refused);
    const QString text = QString::fromStdString(table.error().message + " " + table.error().hint);
    for (const QString& word : words)
        QVERIFY2(text.contains(word), qPrintable("\"" + word + "\" is missing in: " + text));
}

void TstDeviceLibrary::theCpuPassesItsOwnCheck() {
    for (const CheckResult& result : checkCpu()) {
        qInfo("%s: %lld rows", result.name.c_str(), static_cast<long long>(result.rows));
        QVERIFY2(result.failures == 0, result.firstFailure.c_str());
        QVERIFY(result.rows > 100);
    }
}

QTEST_APPLESS_MAIN(TstDeviceLibrary)
#include "tst_device_library.moc"
