// SPDX-License-Identifier: Apache-2.0
// octet-engine train as its users meet it: real training of a tiny model in another process, steered, stopped, killed.
#include <QDir>
#include <QTemporaryDir>
#include <cmath>
#include <csignal>

#include "tests/app/engine_process.h"

using namespace octet;
using namespace octet::tests;

namespace {

constexpr const char* kAmax = "model.layers.0.mlp.down_proj/grad_output/amax";
constexpr int kEndless = 1'000'000;  // steps: the test ends it

/// "step" and "value" of a series as text, without the times.
QStringList stepsAndValues(const QString& store, const QString& run, const QString& series = "loss") {
    const Outcome csv = runEngine({"show", run, "--series", series, "--csv", "--store", store});
    QStringList rows;
    for (const QString& line : csv.out.split('\n', Qt::SkipEmptyParts).mid(1))
        rows << line.section(',', 0, 0) + " " + line.section(',', 3, 3);
    return rows;
}

Json runsOf(const QString& store) {
    return runEngine({"runs", "--json", "--store", store}).json()["runs"];
}

QString stateOf(const QString& store, size_t run = 0) {
    return QString::fromStdString(runsOf(store).at(run)["state"].get<std::string>());
}

}  // namespace

class TstTrainCli final : public QObject {
    Q_OBJECT

private slots:
    void aTinyModelTrains();
    void flagsAndSpecGiveTheSameBits();
    void aRecipeTrainsUnderItsSemantics();
    void anEmptyFileIsUsedWhenAsked();
    void killedRunsAreInterrupted();
    void signalsStop_data();
    void signalsStop();
    void whatNohupIgnoresStaysIgnored();
    void aReaderThatEndsStopsTheRuns();
    void aLiveRunIsSteered();
    void twoTrainingsShareAStore();
    void aFullDiskIsSaid();

private:
    QString inFolder(const QString& name) const { return m_folder.path() + "/" + name; }
    void startTraining(QProcess& process, const QStringList& arguments);
    void readProgress(QProcess& process);
    bool hasSteps(QProcess& process, int64_t steps);

    QTemporaryDir m_folder{QDir::tempPath() + "/octet 시험 XXXXXX"};
    QByteArray m_out;                 // what the live training has printed
    std::vector<int64_t> m_progress;  // the steps of its progress lines
};

void TstTrainCli::startTraining(QProcess& process, const QStringList& arguments) {
    m_out.clear();
    m_progress.clear();
    startEngine(process, arguments + QStringList{"--json"});
}

/// Reads what has come so far; every whole line must be an object.
void TstTrainCli::readProgress(QProcess& process) {
    m_out += process.readAllStandardOutput();
    for (qsizetype end = m_out.indexOf('\n'); end >= 0; end = m_out.indexOf('\n')) {
        const auto json = parseJson(m_out.left(end).toStdString(), "a progress line");
        if (!json) qFatal("no JSON: %s", m_out.left(end).constData());
        m_out.remove(0, end + 1);
        if ((*json)["event"] == "progress") m_progress.push_back((*json)["runs"][0]["step"].get<int64_t>());
    }
}

bool TstTrainCli::hasSteps(QProcess& process, int64_t steps) {
    readProgress(process);
    return !m_progress.empty() && m_progress.back() >= steps;
}

void TstTrainCli::aTinyModelTrains() {
    const QString store = inFolder("작은 모델.octet");
    const Outcome trained = runEngine(tinyTraining(store, 20) + QStringList{"--json", "--name", "작은 실험"});
    QCOMPARE(trained.exitCode, 0);
    QVERIFY2(trained.err.isEmpty(), qPrintable(trained.err));
    const auto lines = trained.jsonLines();
    QCOMPARE(lines.front()["event"].get<std::string>(), std::string("started"));
    QCOMPARE(lines.back()["event"].get<std::string>(), std::string("finished"));
    QCOMPARE(lines.back()["store"].get<std::string>(), store.toStdString());
    for (const Json& line : lines)
        for (const Json& run : line["runs"])
            QCOMPARE(run["loss"].is_null(), run["step"] == 0);  // no loss before a step, and always one after

    const Json runs = runsOf(store);
    QCOMPARE(runs.size(), size_t{3});
    for (const Json& run : runs) {
        QCOMPARE(run["state"].get<std::string>(), std::string("done"));
        QCOMPARE(run["steps"].get<int>(), 20);
        QVERIFY(run["final_loss"].get<double>() > 0 && run["final_loss"].get<double>() < std::log(256.0));
    }
    const QStringList amax = stepsAndValues(store, "hybrid-16", kAmax);
    QCOMPARE(amax.size(), 20);
    for (int step = 0; step < amax.size(); ++step) {
        QCOMPARE(amax[step].section(' ', 0, 0), QString::number(step));
        QVERIFY2(amax[step].section(' ', 1).toDouble() > 0, qPrintable(amax[step]));
    }
    const Json compared = runEngine({"compare", "--json", "--store", store}).json();
    QCOMPARE(compared["baseline"].get<int64_t>(), runs[2]["id"].get<int64_t>());
    for (const Json& run : compared["runs"]) {
        QVERIFY(run["tokens_per_s"].get<double>() > 0 && run["gap_percent"].is_number());
        QCOMPARE(run["dy_underflow_percent"].is_number(), run["id"] != compared["baseline"]);
        QVERIFY(run["noise_percent"].is_number());
    }
}

/// Three processes: flags, a spec with a second seed, and the spec with a field changed by a flag.
void TstTrainCli::flagsAndSpecGiveTheSameBits() {
    writeFile(inFolder("run.json"),
              R"({"octet_run": 1, "recipes": ["preset:e4m3-16"], "seeds": [1, 2], "steps": 12, "batch": 4, "threads": 1,
                  "model": "llama:d=32,layers=1,heads=2,ctx=16", "data": "synthetic:1", "optimizer": {"lr": 3e-3}})");
    const QString flags = inFolder("flags.octet"), spec = inFolder("spec.octet"), short7 = inFolder("seven.octet");
    const QStringList fromSpec{"train", "--spec", inFolder("run.json"), "--store"};
    QCOMPARE(runEngine(tinyTraining(flags, 12) + QStringList{"--recipe", "preset:e4m3-16", "--lr", "0.003"}).exitCode,
             0);
    QCOMPARE(runEngine(fromSpec + QStringList{spec}).exitCode, 0);
    QCOMPARE(runEngine(fromSpec + QStringList{short7, "--steps", "7", "--seeds", "3"}).exitCode, 0);

    for (const QString& series : {QString("loss"), QString("grad_norm"), QString(kAmax)}) {
        const QStringList rows = stepsAndValues(flags, "e4m3-16", series);
        QCOMPARE(rows.size(), 12);
        QCOMPARE(rows, stepsAndValues(spec, "e4m3-16 seed 1", series));
        QVERIFY(rows != stepsAndValues(spec, "e4m3-16 seed 2", series));
    }
    const Json runs = runsOf(short7);
    QCOMPARE(runs.size(), size_t{1});
    QVERIFY(runs[0]["planned_steps"] == 7 && runs[0]["seed"] == 3);
}

/// TE refuses E5M2 (tst_train_refusals); its documentation allows it.
void TstTrainCli::aRecipeTrainsUnderItsSemantics() {
    const QString recipe = inFolder("e5m2.octet.json"), store = inFolder("e5m2.octet");
    writeFile(recipe,
              R"({"octet_recipe": 1, "backend": "TE", "semantics": "documented", "te": {"fp8_format": "E5M2"}})");
    const Outcome trained = runEngine(tinyTraining(store, 3) + QStringList{"--recipe", recipe});
    QVERIFY2(trained.exitCode == 0 && trained.err.contains("no recipe is a baseline", Qt::CaseInsensitive),
             qPrintable(trained.err));
    const Json layer = runEngine({"show", "e5m2", "--json", "--store", store}).json()["layers"][0];
    QCOMPARE(layer["gemms"]["fprop"].get<std::string>(), std::string("E5M2 x E5M2"));
}

void TstTrainCli::anEmptyFileIsUsedWhenAsked() {
    const QString store = inFolder("empty.octet");
    writeFile(store, {});
    const Outcome refused = runEngine(tinyTraining(store, 2));
    QCOMPARE(refused.exitCode, 2);
    QVERIFY2(refused.err.contains("--create"), qPrintable(refused.err));
    QCOMPARE(readBytes(store), QByteArray());
    QCOMPARE(runEngine(tinyTraining(store, 2) + QStringList{"--create"}).exitCode, 0);
    QCOMPARE(runsOf(store).size(), size_t{3});
}

/// A progress line comes at most every 200 ms and so does a commit, both between two steps: what was done two lines
/// before the last one is certainly committed.
void TstTrainCli::killedRunsAreInterrupted() {
    const QString store = inFolder("killed.octet");
    QProcess process;
    startTraining(process, tinyTraining(store, kEndless) + QStringList{"--recipe", "preset:hybrid-16"});
    QTRY_VERIFY_WITH_TIMEOUT(hasSteps(process, 30) && m_progress.size() >= 4, 60000);
    process.kill();
    QVERIFY(process.waitForFinished(20000) && process.exitStatus() == QProcess::CrashExit);
    readProgress(process);

    const Json run = runsOf(store).at(0);
    QCOMPARE(run["state"].get<std::string>(), std::string("interrupted"));
    const auto kept = run["steps"].get<int64_t>();
    const int64_t certain = m_progress.at(m_progress.size() - 3), last = m_progress.back();
    QVERIFY2(kept >= certain, qPrintable(QString("%1 kept, %2 done, last %3").arg(kept).arg(certain).arg(last)));
    for (const char* series : {"loss", kAmax}) {
        const QStringList rows = stepsAndValues(store, "1", series);
        QCOMPARE(rows.size(), kept);
        QCOMPARE(rows.last().section(' ', 0, 0), QString::number(kept - 1));
    }
    const Outcome control = runEngine({"control", "1", "pause", "--store", store});
    QCOMPARE(control.exitCode, 2);
    QVERIFY2(control.err.contains("interrupted"), qPrintable(control.err));
    QCOMPARE(runEngine({"compare", "--store", store}).exitCode, 0);

    QCOMPARE(runEngine(tinyTraining(store, 2) + QStringList{"--recipe", "preset:hybrid-16"}).exitCode, 0);
    QCOMPARE(stateOf(store, 0), QString("interrupted"));
    QCOMPARE(stateOf(store, 1), QString("done"));
}

void TstTrainCli::signalsStop_data() {
    QTest::addColumn<int>("signal");
    QTest::newRow("Ctrl+C keeps what was recorded") << SIGINT;
    QTest::newRow("SIGTERM, as Slurm sends it") << SIGTERM;
    QTest::newRow("SIGHUP, the terminal is gone") << SIGHUP;
}

void TstTrainCli::signalsStop() {
    QFETCH(int, signal);
    const QString store = inFolder(QString("signal %1.octet").arg(signal));
    QProcess process;
    startTraining(process, tinyTraining(store, kEndless));
    QTRY_VERIFY_WITH_TIMEOUT(hasSteps(process, 5), 60000);
    QCOMPARE(::kill(static_cast<pid_t>(process.processId()), signal), 0);
    const Outcome ended = outcomeOf(process);
    QCOMPARE(ended.exitCode, 0);
    const Json finished = ended.jsonLines().back();
    QCOMPARE(finished["event"].get<std::string>(), std::string("finished"));
    const Json runs = runsOf(store);
    for (size_t i = 0; i < runs.size(); ++i) {
        QCOMPARE(runs[i]["state"].get<std::string>(), std::string("stopped"));
        QCOMPARE(runs[i]["steps"].get<int64_t>(), finished["runs"][i]["step"].get<int64_t>());
    }
}

void TstTrainCli::whatNohupIgnoresStaysIgnored() {
    const QString store = inFolder("nohup.octet");
    QProcess process;
    m_out.clear();
    m_progress.clear();
    startEngineIn(process, "trap '' HUP; exec \"$@\"", tinyTraining(store, kEndless) + QStringList{"--json"});
    QTRY_VERIFY_WITH_TIMEOUT(hasSteps(process, 3), 60000);
    QCOMPARE(::kill(static_cast<pid_t>(process.processId()), SIGHUP), 0);
    const int64_t then = m_progress.back();
    QTRY_VERIFY_WITH_TIMEOUT(hasSteps(process, then + 10), 60000);
    process.terminate();
    QCOMPARE(outcomeOf(process).exitCode, 0);
}

void TstTrainCli::aReaderThatEndsStopsTheRuns() {
    const QString store = inFolder("head.octet");
    QProcess process;
    startEngineIn(process, "\"$@\" | head -n 2", tinyTraining(store, kEndless) + QStringList{"--json"});
    const Outcome ended = outcomeOf(process);
    QCOMPARE(ended.jsonLines().size(), size_t{2});
    QVERIFY2(ended.err.contains("could not be written"), qPrintable(ended.err));
    QCOMPARE(stateOf(store), QString("stopped"));
    QVERIFY(runsOf(store)[0]["steps"] > 0);
}

void TstTrainCli::aLiveRunIsSteered() {
    const QString store = inFolder("live.octet");
    QProcess process;
    startTraining(process, tinyTraining(store, kEndless));
    QTRY_VERIFY_WITH_TIMEOUT(hasSteps(process, 3), 60000);
    const auto control = [&](const QStringList& words) {
        return runEngine(QStringList{"control"} + words + QStringList{"--store", store});
    };
    QVERIFY(control({"hybrid-16", "pause"}).out.contains("pause done"));
    QCOMPARE(stateOf(store, 0), QString("paused"));
    QCOMPARE(stateOf(store, 1), QString("running"));
    const auto at = runsOf(store)[0]["steps"].get<int64_t>();
    readProgress(process);
    const size_t linesThen = m_progress.size();
    const auto moreLines = [&] { return hasSteps(process, 0) && m_progress.size() >= linesThen + 3; };
    QTRY_VERIFY_WITH_TIMEOUT(moreLines(), 20000);  // the others go on
    QCOMPARE(runsOf(store)[0]["steps"].get<int64_t>(), at);
    QVERIFY(control({"hybrid-16", "resume"}).out.contains("resume done"));
    QTRY_VERIFY_WITH_TIMEOUT(hasSteps(process, at + 3), 20000);

    const Outcome refused = control({"hybrid-16", "checkpoint"});
    QVERIFY2(refused.exitCode == 2 && refused.err.contains("checkpoint"), qPrintable(refused.err));
    QCOMPARE(control({"hybrid-16", "recipe", "preset:e4m3-16"}).exitCode, 0);
    for (const char* run : {"hybrid-16", "e4m3-16", "baseline"})
        QVERIFY(control({run, "stop"}).out.contains("stop done"));
    QCOMPARE(control({"baseline", "stop"}).exitCode, 2);
    process.terminate();  // the hidden twin goes on
    QCOMPARE(outcomeOf(process).exitCode, 0);
    const Json shown = runEngine({"show", "hybrid-16", "--json", "--store", store}).json();
    QCOMPARE(shown["run"]["recipe_changes"].get<int>(), 1);
    QStringList kinds;
    for (const Json& event : shown["events"])
        kinds << QString::fromStdString(event["kind"].get<std::string>());
    for (const char* kind : {"paused", "resumed", "recipe_change", "stopped"})
        QVERIFY2(kinds.contains(kind), qPrintable(kinds.join(' ')));
}

void TstTrainCli::twoTrainingsShareAStore() {
    const QString store = inFolder("shared.octet");
    QProcess first, second;
    startTraining(first, tinyTraining(store, 300) + QStringList{"--recipe", "preset:hybrid-16"});
    QTRY_VERIFY_WITH_TIMEOUT(hasSteps(first, 1), 60000);
    startEngine(second, tinyTraining(store, 300) + QStringList{"--recipe", "preset:e4m3-16"});
    QCOMPARE(outcomeOf(first).exitCode, 0);
    QCOMPARE(outcomeOf(second).exitCode, 0);
    QCOMPARE(stepsAndValues(store, "hybrid-16").size(), 300);
    QCOMPARE(stepsAndValues(store, "e4m3-16").size(), 300);
}

/// A limit on the size of files, 1.5 MB, stands for the full disk. What was committed before stays whole.
void TstTrainCli::aFullDiskIsSaid() {
    const QString store = inFolder("full.octet");
    QProcess process;
    startEngineIn(process, "trap '' XFSZ; ulimit -f 3000; exec \"$@\"", tinyTraining(store, 600));
    const Outcome ended = outcomeOf(process);
    QCOMPARE(ended.exitCode, 1);
    QVERIFY2(ended.err.contains("octet-engine: Cannot write " + store), qPrintable(ended.err));
    const QStringList rows = stepsAndValues(store, "1");
    QVERIFY(rows.size() > 20);
    QCOMPARE(rows.last().section(' ', 0, 0), QString::number(rows.size() - 1));
}

QTEST_GUILESS_MAIN(TstTrainCli)
#include "tst_train_cli.moc"
