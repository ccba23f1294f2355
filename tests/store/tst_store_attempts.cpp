// SPDX-License-Identifier: Apache-2.0
// Who works on a run: kill -9 at any moment, interrupted runs, and commands that only the living attempt takes.
#include <SQLiteCpp/SQLiteCpp.h>
#include <unistd.h>

#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <random>

#include "engine/store/process_identity.h"
#include "tests/store/sample_run.h"

using namespace octet;
using namespace octet::store;

namespace {

constexpr int64_t kEvery = 5;  // steps per commit of the child

std::unique_ptr<Writer> writerOf(const QString& path) {
    WriterOptions options;
    options.create = true;
    auto opened = Writer::open(path.toStdString(), options);
    if (!opened) qWarning("%s", opened.error().message.c_str());
    return opened ? std::move(opened).value() : nullptr;
}

std::vector<RunInfo> runsOf(const QString& path) {
    auto reader = Reader::open(path.toStdString());
    auto runs = reader ? (*reader)->runs() : Result<std::vector<RunInfo>>(reader.error());
    if (!runs) qWarning("%s", runs.error().message.c_str());
    return runs ? std::move(runs).value() : std::vector<RunInfo>();
}

std::string statusOf(const QString& path, CommandId command) {
    const auto status = commandStatus(path.toStdString(), command);
    return status ? status.value() : "error: " + status.error().message;
}

void runSql(const QString& path, const char* sql) {
    SQLite::Database database(path.toStdString(), SQLite::OPEN_READWRITE, 5000);
    database.exec(sql);
}

/// What a child said about its steps before it was killed.
struct Reported {
    int64_t steps = 0, committed = 0;
};

Reported reportedIn(const QByteArray& said) {
    Reported reported;
    for (const QByteArray& line : said.left(said.lastIndexOf('\n')).split('\n')) {
        if (line.startsWith("step ")) reported.steps = line.mid(5).toLongLong() + 1;
        if (line.startsWith("committed ")) reported.committed = line.mid(10).toLongLong() + 1;
    }
    return reported;
}

}  // namespace

class TstStoreAttempts : public QObject {
    Q_OBJECT
private:
    QTemporaryDir m_folder;
    QString path(const QString& name) const { return m_folder.filePath(name); }

    /// Runs a child until it has reported `steps` steps and kills it. @return all it said
    QByteArray killedAfter(const QString& file, unsigned seed, int64_t steps) {
        QProcess child;
        child.start(STORE_CHILD, {"append", file, QString::number(seed), "20", "0", QString::number(kEvery)});
        QByteArray said;
        while (reportedIn(said).steps < steps && child.waitForReadyRead(20000))
            said += child.readAll();
        child.kill();
        child.waitForFinished(20000);
        return said + child.readAll();
    }

private slots:
    void aKilledWorkerLosesAtMostOneInterval_data() {
        QTest::addColumn<unsigned>("seed");
        std::random_device device;
        for (int i = 0; i < 20; ++i) {
            const unsigned seed = device() % 1000000;
            QTest::addRow("kill %d with seed %u", i + 1, seed) << seed;
        }
    }

    void aKilledWorkerLosesAtMostOneInterval() {
        QFETCH(unsigned, seed);
        std::mt19937 random(seed);
        const QString file = path(QString("killed-%1.octet").arg(seed));
        const Reported reported = reportedIn(killedAfter(file, seed, 1 + static_cast<int64_t>(random() % 400)));
        QVERIFY(reported.steps > 0);
        const std::vector<RunInfo> runs = runsOf(file);
        QCOMPARE(runs.size(), size_t{1});
        QCOMPARE(runs[0].state, RunState::Interrupted);
        QVERIFY2(runs[0].steps >= reported.committed, "a reported commit is missing");
        QVERIFY2(runs[0].steps + kEvery >= reported.steps, "more than the uncommitted interval is missing");
        QVERIFY(runs[0].steps <= reported.steps + 1);
        {
            auto reader = Reader::open(file.toStdString());
            const auto series = (*reader)->series(runs[0].id);
            QCOMPARE(series->size(), size_t{20});
            for (size_t i = 0; i < series->size(); ++i) {
                const auto data = (*reader)->samples((*series)[i].id);
                QVERIFY(data);
                QCOMPARE(static_cast<int64_t>(data->value.size()), runs[0].steps);
                QCOMPARE(sample_run::difference(*data, seed, i, 0), std::string());
            }
        }
        SQLite::Database raw(file.toStdString(), SQLite::OPEN_READWRITE, 5000);
        QCOMPARE(raw.execAndGet("PRAGMA integrity_check").getString(), std::string("ok"));
        QCOMPARE(sendCommand(file.toStdString(), runs[0].id, CommandVerb::Pause).error().code, ErrorCode::Refused);
    }

    void aCommandForADeadAttemptIsNeverTakenByTheNext() {
        const QString file = path("successor.octet");
        QProcess child;
        child.start(STORE_CHILD, {"append", file, "1", "3", "0", "1"});
        QByteArray said;
        while (!said.contains("committed") && child.waitForReadyRead(20000))
            said += child.readAll();
        const RunId run = runsOf(file).at(0).id;
        const auto stop = sendCommand(file.toStdString(), run, CommandVerb::Stop);
        QVERIFY(stop);
        QCOMPARE(statusOf(file, *stop), std::string("sent"));
        child.kill();
        QVERIFY(child.waitForFinished(20000));
        QCOMPARE(statusOf(file, *stop), std::string("refused: the worker it was meant for is gone"));
        const auto late = sendCommand(file.toStdString(), run, CommandVerb::Stop);
        QVERIFY(!late);
        QVERIFY(late.error().message.find("interrupted") != std::string::npos);
        auto successor = writerOf(file);
        QVERIFY(successor->beginAttempt(run));
        QVERIFY(successor->takeCommands()->empty());
        QCOMPARE(runsOf(file).at(0).state, RunState::Running);
        const auto pause = sendCommand(file.toStdString(), run, CommandVerb::Pause);
        QVERIFY(pause);
        QCOMPARE(successor->takeCommands()->size(), size_t{1});
        QCOMPARE(statusOf(file, *stop), std::string("refused: the worker it was meant for is gone"));
    }

    void commandsGoFromSentToDoneOrRefused() {
        const QString file = path("commands.octet");
        auto writer = writerOf(file);
        const auto started = sample_run::start(*writer, 1, 1);
        QVERIFY(started);
        const std::string name = file.toStdString();
        const Json recipe{{"octet_recipe", 1}};
        const auto pause = sendCommand(name, started->run, CommandVerb::Pause);
        const auto change = sendCommand(name, started->run, CommandVerb::SetRecipe, recipe);
        QVERIFY(pause && change);
        auto reader = std::move(Reader::open(name)).value();
        QCOMPARE(reader->openCommands(started->run)->size(), size_t{2});
        const auto taken = writer->takeCommands();
        QCOMPARE(taken->size(), size_t{2});
        QVERIFY(taken->at(0).id == *pause && taken->at(0).verb == CommandVerb::Pause);
        QVERIFY(taken->at(1).argument == recipe && taken->at(1).run == started->run);
        QVERIFY(writer->takeCommands()->empty());
        QCOMPARE(statusOf(file, *pause), std::string("taken"));
        QVERIFY(writer->finishCommand(*pause));
        QVERIFY(writer->refuseCommand(*change, "the recipe has an unknown key"));
        QCOMPARE(statusOf(file, *pause), std::string("done"));
        QCOMPARE(statusOf(file, *change), std::string("refused: the recipe has an unknown key"));
        QVERIFY(reader->openCommands(started->run)->empty());
        const auto tooLate = sendCommand(name, started->run, CommandVerb::Stop);
        QVERIFY(writer->endAttempt(started->attempt, RunState::Done));
        QCOMPARE(statusOf(file, *tooLate), std::string("refused: the run ended first"));
        const auto ended = sendCommand(name, started->run, CommandVerb::Pause);
        QCOMPARE(ended.error().code, ErrorCode::Refused);
        QVERIFY2(ended.error().message.find("done") != std::string::npos, ended.error().message.c_str());
        QCOMPARE(sendCommand(name, {77}, CommandVerb::Pause).error().code, ErrorCode::NotFound);
        QCOMPARE(commandStatus(name, {77}).error().code, ErrorCode::NotFound);
        QCOMPARE(sendCommand(path("none.octet").toStdString(), {1}, CommandVerb::Pause).error().code,
                 ErrorCode::NotFound);
    }

    void aCommandIsTakenEvenWhenTheDiskIsFull() {
        const QString file = path("full.octet");
        auto writer = writerOf(file);
        const auto started = sample_run::start(*writer, 1, 1);
        const auto stop = sendCommand(file.toStdString(), started->run, CommandVerb::Stop);
        QVERIFY(stop);
        SQLite::Database blocker(file.toStdString(), SQLite::OPEN_READWRITE, 5000);
        // What the worker writes fails like a full disk would.
        blocker.exec("CREATE TRIGGER full BEFORE UPDATE ON command BEGIN SELECT raise(ABORT, 'full'); END");
        QCOMPARE(writer->takeCommands()->size(), size_t{1});
        QVERIFY(writer->takeCommands()->empty());
        QVERIFY(!writer->finishCommand(*stop));
        QCOMPARE(statusOf(file, *stop), std::string("sent"));
        blocker.exec("DROP TRIGGER full");
        QVERIFY(writer->commit());
        QCOMPARE(statusOf(file, *stop), std::string("done"));
    }

    void statesFollowTheLifeOfTheWorker() {
        const QString file = path("states.octet");
        auto writer = writerOf(file);
        const auto started = sample_run::start(*writer, 1, 1);
        NewRun queued;
        queued.experiment = started->experiment;
        queued.name = "waits";
        QVERIFY(writer->addRun(queued));
        QCOMPARE(runsOf(file).at(0).state, RunState::Running);
        QCOMPARE(runsOf(file).at(1).state, RunState::Queued);
        QVERIFY(writer->setState(started->run, RunState::Paused));
        QCOMPARE(runsOf(file).at(0).state, RunState::Paused);
        // The pid now belongs to a process that started at another time.
        runSql(file, "UPDATE attempt SET process_start = process_start + 1");
        QCOMPARE(runsOf(file).at(0).state, RunState::Interrupted);
        QCOMPARE(runsOf(file).at(1).state, RunState::Interrupted);
        runSql(file, "UPDATE attempt SET process_start = process_start - 1, boot_id = 'before the reboot'");
        QCOMPARE(runsOf(file).at(0).state, RunState::Interrupted);
        runSql(file, "UPDATE attempt SET host = 'node7', heartbeat_at = heartbeat_at - 100000");
        const RunInfo elsewhere = runsOf(file).at(0);
        QCOMPARE(elsewhere.state, RunState::Paused);
        QVERIFY2(elsewhere.stateNote.find("no sign since") == 0, elsewhere.stateNote.c_str());
        QVERIFY(elsewhere.stateNote.find("node7") != std::string::npos);
        QCOMPARE(runsOf(file).at(1).state, RunState::Queued);
        QVERIFY(sendCommand(file.toStdString(), started->run, CommandVerb::Resume));
        QVERIFY(writer->endAttempt(started->attempt, RunState::Stopped));
        QCOMPARE(runsOf(file).at(0).state, RunState::Stopped);
        QVERIFY(!writer->endAttempt(started->attempt, RunState::Stopped));
    }

    void oneLivingAttemptPerRun() {
        const QString file = path("one.octet");
        auto writer = writerOf(file);
        const auto started = sample_run::start(*writer, 1, 1);
        QProcess other;
        other.start(STORE_CHILD, {"take", file, QString::number(started->run.value)});
        QVERIFY(other.waitForFinished(20000));
        const QByteArray said = other.readAll();
        QVERIFY2(said.startsWith("error refused") && said.contains(QByteArray::number(getpid())), said.constData());
        QVERIFY(writer->endAttempt(started->attempt, RunState::Stopped));
        other.start(STORE_CHILD, {"take", file, QString::number(started->run.value)});
        QVERIFY(other.waitForFinished(20000));
        QCOMPARE(other.readAll().trimmed(), QByteArray("took 0"));
    }

    void heartbeatsComeWithCommits() {
        const QString file = path("beats.octet");
        auto writer = writerOf(file);
        QVERIFY(sample_run::start(*writer, 1, 1));
        runSql(file, "UPDATE attempt SET heartbeat_at = 0");
        QVERIFY(writer->commit());  // the first commit of a writer beats
        SQLite::Database raw(file.toStdString(), SQLite::OPEN_READWRITE, 5000);
        QVERIFY(raw.execAndGet("SELECT heartbeat_at FROM attempt").getDouble() > 1e9);
        raw.exec("UPDATE attempt SET heartbeat_at = 0");
        QVERIFY(writer->commit());  // at most once a second
        QCOMPARE(raw.execAndGet("SELECT heartbeat_at FROM attempt").getDouble(), 0.0);
    }

    void aProcessKnowsItself() {
        const ProcessIdentity self = currentProcess();
        QCOMPARE(self.pid, static_cast<int64_t>(getpid()));
        QVERIFY(self.startTicks > 0 && !self.host.empty() && !self.bootId.empty());
        QCOMPARE(livenessOf(self), Liveness::Alive);
    }

    void namesReadBack() {
        for (const char* name : {"queued", "running", "paused", "done", "stopped", "failed", "interrupted"}) {
            QCOMPARE(std::string(runStateName(runStateFromName(name).value())), std::string(name));
        }
        for (const char* name : {"pause", "resume", "stop", "checkpoint", "recipe"}) {
            QCOMPARE(std::string(commandVerbName(commandVerbFromName(name).value())), std::string(name));
        }
        QVERIFY(!runStateFromName("asleep") && !commandVerbFromName("") && !eventKindFromName("Note"));
    }
};

QTEST_GUILESS_MAIN(TstStoreAttempts)
#include "tst_store_attempts.moc"
