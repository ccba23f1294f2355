// SPDX-License-Identifier: GPL-3.0-or-later
// Every way in which a worker does not start is one sentence, and one that starts is noticed by its experiment.
#include <QSignalSpy>
#include <QTest>

#include "tests/ui/small_store.h"
#include "ui/shell/worker_launcher.h"

using namespace octet;
using ui::WorkerLauncher;

class TstWorkerLauncher final : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { qputenv("XDG_RUNTIME_DIR", m_logs.path().toLocal8Bit()); }
    void endBeforeTheExperimentIsSaid_data();
    void endBeforeTheExperimentIsSaid();
    void aProgramThatIsNotThereIsSaid();
    void noWorkerProgramIsSaid();
    void anExperimentInTheStoreIsTheBeginning();
    void oneStartAtATime();
    void oldLogsGo();

private:
    QTemporaryDir m_logs;
};

void TstWorkerLauncher::endBeforeTheExperimentIsSaid_data() {
    QTest::addColumn<QByteArray>("how");
    QTest::addColumn<QString>("sentence");
    const auto row = [](const char* name, const char* how, const char* sentence) {
        QTest::newRow(name) << QByteArray(how) << QString::fromLatin1(sentence);
    };
    row("with an error and a hint", "says-why",
        "The worker ended before it began: There is no preset \"hybrid-99\". Did you mean hybrid-16?");
    row("a library is missing", "loader",
        "The worker ended before it began: error while loading shared libraries: libc10.so.");
    row("without a word", "silent",
        "The worker ended before it began, without a word. Was it killed, or out of memory?");
    row("killed", "killed", "The worker ended before it began, without a word. Was it killed, or out of memory?");
}

void TstWorkerLauncher::endBeforeTheExperimentIsSaid() {
    QFETCH(QByteArray, how);
    QFETCH(QString, sentence);
    QTemporaryDir folder;
    qputenv("FAKE_WORKER", how);
    WorkerLauncher launcher;
    launcher.setWorker(QStringLiteral(OCTET_SOURCE_DIR "/tests/ui/fake_worker.sh"));
    QSignalSpy failed(&launcher, &WorkerLauncher::startFailed);
    QVERIFY(launcher.start(small_store::pathIn(folder), {QStringLiteral("--steps"), QStringLiteral("3")}));
    QVERIFY(launcher.isStarting());
    QVERIFY(failed.wait(10000));
    QCOMPARE(failed.front().front().toString(), sentence);
    QVERIFY(!launcher.isStarting());
}

void TstWorkerLauncher::aProgramThatIsNotThereIsSaid() {
    QTemporaryDir folder;
    WorkerLauncher launcher;
    launcher.setWorker(folder.filePath(QStringLiteral("no-such-program")));
    const auto started = launcher.start(small_store::pathIn(folder), {});
    QVERIFY(!started);
    QVERIFY(started.error().message.find("did not start") != std::string::npos);
}

void TstWorkerLauncher::noWorkerProgramIsSaid() {
    const QTemporaryDir folder;
    const QByteArray path = qgetenv("PATH");
    qputenv("PATH", "/nowhere");
    const auto found = WorkerLauncher::findWorker(folder.path());
    qputenv("PATH", path);
    QVERIFY(!found);
    QVERIFY(found.error().message.starts_with("No worker program found"));
    QVERIFY(!found.error().hint.empty());
}

void TstWorkerLauncher::anExperimentInTheStoreIsTheBeginning() {
    QTemporaryDir folder;
    small_store::Project recording(small_store::pathIn(folder));
    recording.addThreeRuns();
    WorkerLauncher launcher;
    launcher.setWorker(QStringLiteral("/bin/cat"));  // ends at once: the experiment counts first
    QSignalSpy began(&launcher, &WorkerLauncher::began);
    QSignalSpy failed(&launcher, &WorkerLauncher::startFailed);
    QVERIFY(launcher.start(recording.path(), {}));
    recording.addExperiment("the one that was asked for");
    QVERIFY(began.wait(10000));
    QCOMPARE(failed.count(), 0);
}

void TstWorkerLauncher::oneStartAtATime() {
    QTemporaryDir folder;
    qputenv("FAKE_WORKER", "silent");
    WorkerLauncher launcher;
    launcher.setWorker(QStringLiteral(OCTET_SOURCE_DIR "/tests/ui/fake_worker.sh"));
    QSignalSpy failed(&launcher, &WorkerLauncher::startFailed);
    QVERIFY(launcher.start(small_store::pathIn(folder), {}));
    QVERIFY(!launcher.start(small_store::pathIn(folder), {}));
    QVERIFY(failed.wait(10000));
}

void TstWorkerLauncher::oldLogsGo() {
    const QDir logs(m_logs.path());
    const auto make = [&](const QString& name, int daysAgo) {
        QFile file(logs.filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        QVERIFY(file.setFileTime(QDateTime::currentDateTime().addDays(-daysAgo), QFileDevice::FileModificationTime));
    };
    const QString old = QStringLiteral("octet-worker-old-1.log"), recent = QStringLiteral("octet-worker-recent-1.log"),
                  other = QStringLiteral("somebody-else.log");
    make(old, 30);
    make(recent, 2);
    make(other, 30);
    QTemporaryDir folder;
    WorkerLauncher launcher;
    launcher.setWorker(QStringLiteral("/bin/false"));
    QSignalSpy failed(&launcher, &WorkerLauncher::startFailed);
    QVERIFY(launcher.start(small_store::pathIn(folder), {}));
    QVERIFY(!logs.exists(old));
    QVERIFY(logs.exists(recent) && logs.exists(other));
    QVERIFY(failed.wait(10000));
}

QTEST_GUILESS_MAIN(TstWorkerLauncher)
#include "tst_worker_launcher.moc"
