// SPDX-License-Identifier: Apache-2.0
// What lasts: checkpoints come after the interval and wait for nobody, a power loss takes no more than what came after
// the last one, and one that fails loses nothing.
#include <SQLiteCpp/SQLiteCpp.h>
#include <sys/resource.h>

#include <QElapsedTimer>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <csignal>

#include "engine/store/opening.h"
#include "tests/store/disk_shadow.h"
#include "tests/store/opening_support.h"
#include "tests/store/sample_run.h"

using namespace octet;
using namespace octet::store;

namespace {

constexpr size_t kSeries = 40;
constexpr uint64_t kSeed = 9;
constexpr double kAlways = 0, kNever = 1e9;  // ms between checkpoints

/// A worker with one run, which appends and commits.
struct Worker {
    std::unique_ptr<Writer> writer;
    sample_run::Started started;
    int64_t steps = 0;

    Worker(const QString& path, double checkpointEveryMs) {
        WriterOptions options;
        options.create = true;
        options.checkpointEveryMs = checkpointEveryMs;
        writer = std::move(Writer::open(path.toStdString(), options)).value();
        started = std::move(sample_run::start(*writer, kSeed, kSeries)).value();
    }
    Result<void> commit(int64_t samples = 10) {
        for (int64_t i = 0; i < samples; ++i, ++steps)
            writer->append(started.group, sample_run::axes(steps), sample_run::values(kSeed, kSeries, steps));
        return writer->commit();
    }
};

/// A connection that holds a read transaction until it goes.
class HoldingReader {
public:
    explicit HoldingReader(const QString& path) : m_database(path.toStdString(), SQLite::OPEN_READWRITE) {
        m_database.exec("BEGIN");
        m_frames = frames();
    }
    int64_t frames() { return m_database.execAndGet("SELECT count(*) FROM frame").getInt64(); }
    int64_t framesAtFirst() const { return m_frames; }

private:
    SQLite::Database m_database;
    int64_t m_frames = 0;
};

/// Samples that are in a store's first series and right; -1 when the store can't be read or they are wrong.
int64_t samplesIn(const QString& path) {
    auto reader = Reader::open(path.toStdString());
    if (!reader) return -1;
    const auto runs = (*reader)->runs();
    if (!runs || runs->empty()) return 0;
    const auto series = (*reader)->series(runs->front().id);
    if (!series || series->empty()) return 0;
    const auto data = (*reader)->samples(series->front().id);
    if (!data || !sample_run::difference(*data, kSeed, 0, 0).empty()) return -1;
    return static_cast<int64_t>(data->value.size());
}

}  // namespace

class TstStoreDurability : public QObject {
    Q_OBJECT
private:
    std::unique_ptr<QTemporaryDir> m_folder;
    QString path() const { return m_folder->filePath("t.octet"); }
    qint64 fileSize() const { return QFileInfo(path()).size(); }
    int64_t samplesAfterPowerLoss() const {
        const QTemporaryDir elsewhere;
        return samplesIn(disk_shadow::afterPowerLoss(path(), elsewhere.path()));
    }

private slots:
    void initTestCase() { disk_shadow::install(); }
    void init() {
        m_folder = std::make_unique<QTemporaryDir>();
        disk_shadow::state().synced.clear();
    }

    void aCheckpointComesWithTheFirstCommitAfterTheInterval() {
        QElapsedTimer passed;
        passed.start();
        Worker worker(path(), 1000);
        const qint64 before = fileSize();
        int syncs = disk_shadow::syncs();
        QVERIFY(worker.commit(500));
        if (passed.elapsed() < 900) QCOMPARE(fileSize(), before);  // all is in the WAL
        while (fileSize() == before && passed.elapsed() < 60000) {
            syncs = disk_shadow::syncs();
            QVERIFY(worker.commit(0));  // also when nothing waits
        }
        QVERIFY(fileSize() > before);
        QVERIFY(passed.elapsed() >= 1000);
        QVERIFY(disk_shadow::syncs() >= syncs + 2);
        QCOMPARE(samplesAfterPowerLoss(), worker.steps);
    }

    void commitsInBetweenSyncNothing() {
        Worker worker(path(), kNever);
        const qint64 before = fileSize();
        while (fileSize() == before)  // up to a checkpoint: the WAL grew much
            QVERIFY(worker.commit(100));
        const int syncs = disk_shadow::syncs();
        for (int i = 0; i < 5; ++i)
            QVERIFY(worker.commit(1));
        QCOMPARE(disk_shadow::syncs(), syncs);  // not the header of the WAL that begins anew either
    }

    void aWalThatGrewMuchIsCheckpointedBefore() {
        Worker worker(path(), kNever);
        const qint64 before = fileSize();
        for (int i = 0; i < 100 && fileSize() == before; ++i)
            QVERIFY(worker.commit(10000));  // 1.8 MB
        QVERIFY(fileSize() > before);
        QVERIFY(QFileInfo(path() + "-wal").size() > 30 << 20);
        QVERIFY(QFileInfo(path() + "-wal").size() < 40 << 20);
    }

    void aReaderInATransactionDelaysNoCommit() {
        Worker worker(path(), kAlways);
        QVERIFY(worker.commit());
        auto reader = std::make_unique<HoldingReader>(path());
        QVERIFY(worker.commit(1));
        const qint64 held = fileSize();
        QElapsedTimer passed;
        passed.start();
        for (int i = 0; i < 10; ++i)
            QVERIFY(worker.commit(500));
        QVERIFY2(passed.elapsed() < kBusyTimeoutMs, qPrintable(QString::number(passed.elapsed())));
        QCOMPARE(reader->frames(), reader->framesAtFirst());
        QCOMPARE(fileSize(), held);  // nothing may move below the reader
        QCOMPARE(samplesIn(path()), worker.steps);
        reader.reset();
        QVERIFY(worker.commit(1));
        QVERIFY(fileSize() > held);
    }

    void aPowerLossTakesOnlyWhatCameAfterTheLastCheckpoint_data() {
        QTest::addColumn<int>("commitsBeforeReader");  // -1: no reader
        QTest::addColumn<bool>("holdsTheFileAlone");
        QTest::newRow("nobody reads") << -1 << false;
        QTest::newRow("a reader holds the middle of the WAL") << 3 << false;
        QTest::newRow("a reader holds the file alone, without the WAL") << 3 << true;
    }

    void aPowerLossTakesOnlyWhatCameAfterTheLastCheckpoint() {
        QFETCH(int, commitsBeforeReader);
        QFETCH(bool, holdsTheFileAlone);
        std::unique_ptr<HoldingReader> reader;
        Worker worker(path(), kAlways);
        for (int i = 0; i < 8; ++i) {
            if (i == commitsBeforeReader) {
                if (holdsTheFileAlone) {
                    SQLite::Database(path().toStdString(), SQLite::OPEN_READWRITE)
                        .exec("PRAGMA wal_checkpoint(RESTART)");
                }
                reader = std::make_unique<HoldingReader>(path());
            }
            QVERIFY(worker.commit());
            QCOMPARE(samplesAfterPowerLoss(), worker.steps);
        }
        QVERIFY(!reader || reader->frames() == reader->framesAtFirst());
    }

    void withoutACheckpointAPowerLossTakesWholeCommits() {
        Worker worker(path(), kNever);
        QVERIFY(worker.commit());
        QVERIFY(worker.commit());
        QCOMPARE(samplesIn(path()), int64_t{20});
        QCOMPARE(samplesAfterPowerLoss(), int64_t{0});  // an intact store without the run
    }

    void theEndOfTheLastAttemptAndOfTheWriterLast_data() {
        QTest::addColumn<bool>("byEndAttempt");
        QTest::addColumn<bool>("isRead");
        QTest::newRow("endAttempt") << true << false;
        QTest::newRow("endAttempt while a reader holds a transaction") << true << true;
        QTest::newRow("the writer's end") << false << false;
        QTest::newRow("the writer's end while a reader holds a transaction") << false << true;
    }

    void theEndOfTheLastAttemptAndOfTheWriterLast() {
        QFETCH(bool, byEndAttempt);
        QFETCH(bool, isRead);
        std::unique_ptr<HoldingReader> reader;
        Worker worker(path(), kNever);
        QVERIFY(worker.commit());
        if (isRead) reader = std::make_unique<HoldingReader>(path());
        QVERIFY(worker.commit());
        QVERIFY(samplesAfterPowerLoss() < worker.steps);
        if (byEndAttempt) QVERIFY(worker.writer->endAttempt(worker.started.attempt, RunState::Done));
        if (!byEndAttempt) worker.writer.reset();
        QCOMPARE(samplesAfterPowerLoss(), worker.steps);
    }

    void anotherProgramsCheckpointIsNotWaitedFor() {
        Worker worker(path(), kAlways);
        QVERIFY(worker.commit());
        QProcess other;
        other.start(STORE_CHILD, {"hold-checkpoints", path()});
        QVERIFY(other.waitForReadyRead(20000));
        QCOMPARE(other.readAll().trimmed(), QByteArray("holding"));
        const qint64 held = fileSize();
        QElapsedTimer passed;
        passed.start();
        for (int i = 0; i < 5; ++i) {
            QVERIFY(worker.commit(500));
            QCOMPARE(samplesAfterPowerLoss(), worker.steps);
        }
        QVERIFY(passed.elapsed() < kBusyTimeoutMs);
        QCOMPARE(fileSize(), held);
        other.closeWriteChannel();
        QVERIFY(other.waitForFinished(20000));
        QVERIFY(worker.commit());
        QVERIFY(fileSize() > held);
    }

    void aCheckpointThatFailsIsSaidAndTriedAgain() {
        Worker worker(path(), kAlways);
        {
            SQLite::Database raw(path().toStdString(), SQLite::OPEN_READWRITE, 5000);
            raw.exec("CREATE TABLE ballast(data BLOB); INSERT INTO ballast VALUES(zeroblob(4800000))");
            raw.exec("PRAGMA wal_checkpoint(TRUNCATE)");
        }
        QVERIFY(worker.commit());
        // The file can't grow past its size now, as on a full disk; the WAL, shorter, can.
        std::signal(SIGXFSZ, SIG_IGN);
        rlimit usual{};
        QVERIFY(getrlimit(RLIMIT_FSIZE, &usual) == 0);
        rlimit small = usual;
        small.rlim_cur = static_cast<rlim_t>(fileSize());
        QVERIFY(setrlimit(RLIMIT_FSIZE, &small) == 0);
        int failures = 0;
        for (int i = 0; i < 4; ++i) {
            const auto done = worker.commit(200);
            if (done) continue;
            ++failures;
            QCOMPARE(done.error().code, ErrorCode::Failed);
            QVERIFY2(done.error().message.find(path().toStdString()) != std::string::npos,
                     done.error().message.c_str());
            QVERIFY(!done.error().hint.empty());
        }
        QVERIFY(setrlimit(RLIMIT_FSIZE, &usual) == 0);
        QCOMPARE(failures, 4);
        QCOMPARE(samplesIn(path()), worker.steps);
        QCOMPARE(samplesAfterPowerLoss(), worker.steps);  // the WAL was synced all the same
        const qint64 held = fileSize();
        QVERIFY(worker.commit(1));
        QVERIFY(fileSize() > held);
        QVERIFY(worker.writer->endAttempt(worker.started.attempt, RunState::Done));
        QCOMPARE(samplesIn(path()), worker.steps);
    }

    void onlyAWriterOnALocalFileSystemLeavesSyncingToCheckpoints() {
        constexpr int kNormal = 1, kFull = 2;
        const auto level = [](Connection& of) { return of.database().execAndGet("PRAGMA synchronous").getInt(); };
        const OpenProbe network = opening_support::networkPlace(0x6969);
        WriteOpening how;
        how.create = true;
        QCOMPARE(level(**openForWriting(path().toStdString(), how)), kFull);
        how.syncEachCommit = false;
        QCOMPARE(level(**openForWriting(path().toStdString(), how)), kNormal);
        how.probe = &network;
        QCOMPARE(level(**openForWriting(path().toStdString(), how)), kFull);
        WriterOptions options;
        options.probe = &network;
        options.checkpointEveryMs = kAlways;
        auto writer = std::move(Writer::open(path().toStdString(), options)).value();
        const auto started = sample_run::start(*writer, kSeed, kSeries);
        writer->append(started->group, sample_run::axes(0), sample_run::values(kSeed, kSeries, 0));
        QVERIFY(writer->commit());
        QCOMPARE(samplesAfterPowerLoss(), int64_t{1});
        QVERIFY(writer->endAttempt(started->attempt, RunState::Done));
        QCOMPARE(samplesAfterPowerLoss(), int64_t{1});
    }
};

QTEST_GUILESS_MAIN(TstStoreDurability)
#include "tst_store_durability.moc"
