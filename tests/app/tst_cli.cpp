// SPDX-License-Identifier: Apache-2.0
// octet-engine as its users meet it: a process with arguments, output, sentences and exit codes. Trained runs are
// tested elsewhere; the store here is written by hand.
#include <QFile>
#include <QTemporaryDir>
#include <cmath>

#include "tests/app/engine_process.h"
#include "tests/app/sample_store.h"

using namespace octet;
using namespace octet::tests;

namespace {

bool isNear(const Json& value, double expected, double within = 1e-4) {
    return value.is_number() && std::fabs(value.get<double>() - expected) <= within;
}

Json runWithId(const Json& runs, store::RunId id) {
    for (const Json& run : runs)
        if (run["id"] == id.value) return run;
    qFatal("no run %lld", static_cast<long long>(id.value));
}

QString idText(store::RunId id) {
    return QString::number(id.value);
}

}  // namespace

class TstCli final : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void helpTeaches_data();
    void helpTeaches();
    void versionIsPrinted();
    void outputThatIsLostIsAFailure();
    void badInputIsOneSentence_data();
    void badInputIsOneSentence();
    void runsAreListed();
    void aRunIsShown();
    void aSeriesIsRows();
    void aComparisonHasItsFigures();
    void aComparisonReadsWell();
    void namedRunsBringTheirBaseline();
    void unlikeRunsGetNoVerdict();
    void aBarNeedsSeeds();
    void anotherBaselineCanBeNamed();
    void aCommandIsSentAndAnswered_data();
    void aCommandIsSentAndAnswered();
    void aCommandWithoutAWaitIsOnlySent();
    void theNewestProjectIsTheDefault();

private:
    QStringList onStore(QStringList arguments) const { return arguments << "--store" << m_store; }
    QString inFolder(const QString& name) const { return m_folder.path() + "/" + name; }

    QTemporaryDir m_folder{QDir::tempPath() + "/octet 시험 XXXXXX"};
    QString m_store;
    std::unique_ptr<SampleStore> m_sample;
    store::RunId m_hybrid, m_e4m3, m_baseline, m_alone, m_live;
};

/// Experiment 1: the usual three and the twin. 2: other data. 3: a bar and two seeds. 4: a run that this process
/// trains.
void TstCli::initTestCase() {
    QVERIFY(m_folder.isValid());
    m_store = inFolder("내 자료 하나.octet");
    m_sample = std::make_unique<SampleStore>(m_store.toStdString());
    const auto first = m_sample->addExperiment("first");
    m_hybrid = m_sample->addRun(first, {"hybrid-16", 2.02f});
    m_e4m3 = m_sample->addRun(first, {"e4m3-16", 2.06f});
    m_baseline = m_sample->addRun(first, {"baseline", 2});
    m_sample->addRun(first, {"baseline", 2.04f, 1, true});
    m_alone = m_sample->addRun(m_sample->addExperiment("other data"), {"te-default", 2.02f, 1, false, "77ff"});
    const auto barred = m_sample->addExperiment("two seeds", 1.0);
    for (const int64_t seed : {1, 2}) {
        m_sample->addRun(barred, {"hybrid-16", seed == 1 ? 2.008f : 2.0084f, seed});
        m_sample->addRun(barred, {"e4m3-16", seed == 1 ? 2.01f : 2.03f, seed});
        m_sample->addRun(barred, {"baseline", 2, seed});
    }
    m_live = m_sample->startRun(m_sample->addExperiment("live"), {"accelerate-default", 2}).first;
}

void TstCli::helpTeaches_data() {
    QTest::addColumn<QStringList>("command");
    for (const char* command :
         {"train", "runs", "show", "control", "compare", "recipe", "recipe check", "recipe export", "recipe presets",
          "recipe diff", "recipe fields", "layers", "cast", "bench"})
        QTest::newRow(command) << QString(command).split(' ');
    QTest::newRow("the program itself") << QStringList();
}

void TstCli::helpTeaches() {
    QFETCH(QStringList, command);
    const Outcome outcome = runEngine(command + QStringList{"--help"});
    QCOMPARE(outcome.exitCode, 0);
    QVERIFY2(outcome.out.contains("Examples:\n  octet-engine " + command.join(' ')), qPrintable(outcome.out));
    QVERIFY2(outcome.out.contains(QStringList{"Usage: octet-engine", command.join(' ')}.join(' ').trimmed()),
             qPrintable(outcome.out));
    QVERIFY(outcome.err.isEmpty());
}

void TstCli::versionIsPrinted() {
    const Outcome outcome = runEngine({"--version"});
    QCOMPARE(outcome.exitCode, 0);
    QVERIFY(QRegularExpression("^octet-engine \\d+\\.\\d+\\.\\d+\n$").match(outcome.out).hasMatch());
}

void TstCli::outputThatIsLostIsAFailure() {
    QProcess process;
    process.setStandardOutputFile("/dev/full");
    startEngine(process, {"recipe", "presets"});
    const Outcome outcome = outcomeOf(process);
    QCOMPARE(outcome.exitCode, 1);
    QVERIFY2(outcome.err.contains("could not be written"), qPrintable(outcome.err));
}

void TstCli::badInputIsOneSentence_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("sentence");
    QTest::addColumn<QString>("hint");
    writeFile(inFolder("noten.octet"),
              "these are notes, not a store, and they are longer than a hundred bytes so that "
              "the header can be read in full by whoever looks at it.");
    const QString store = m_store, id = idText(m_hybrid), notes = inFolder("noten.octet");
    const auto row = [](const char* name, const QStringList& arguments, const QString& sentence, const QString& hint) {
        QTest::newRow(name) << arguments << sentence << hint;
    };
    row("no command", {}, "needs one of its commands", "--help");
    row("a mistyped command", {"comprae"}, "no command \"comprae\"", "Did you mean compare?");
    row("a mistyped command of a group", {"recipe", "chek"}, "no command \"chek\"", "Did you mean check?");
    row("a mistyped flag", {"runs", "--stoer", store}, "does not know the option --stoer", "Did you mean --store?");
    row("a mistyped flag that was required", {"layers", "--recipee", "preset:baseline"}, "--recipee", "--recipe?");
    row("a flag without its value", {"runs", "--store"}, "--store", "--help");
    row("a word too many", {"show", id, "loss", "--store", store}, "one word too many: \"loss\"", "--help");
    row("a missing argument", {"show", "--store", store}, "run is required", "--help");
    row("a store that is not there", {"runs", "--store", inFolder("fehlt.octet")}, "fehlt.octet", "");
    row("a file that is no store", {"runs", "--store", notes}, "noten.octet", "");
    row("an unknown run", {"show", "hybrid-61", "--store", store}, "no run \"hybrid-61\"",
        "Did you mean \"hybrid-16\"?");
    row("an unknown run in compare", {"compare", "999", "--store", store}, "no run \"999\"", "octet-engine runs");
    row("an unknown series", {"show", id, "--series", "los", "--store", store}, "no series \"los\"",
        "Did you mean \"loss\"?");
    row("an unknown statistic of a layer", {"show", id, "--series", "layers.0/grad_output/amx", "--store", store},
        "layers.0/grad_output/amx", "Did you mean \"layers.0/grad_output/amax\"?");
    row("csv of nothing", {"show", id, "--csv", "--store", store}, "--csv needs a series", "--series loss");
    row("an unknown verb", {"control", id, "pauze", "--store", store}, "\"pauze\" is not a command",
        "Did you mean \"pause\"?");
    row("recipe without a recipe", {"control", id, "recipe", "--store", store}, "needs the recipe", "preset:NAME");
    row("a word after pause", {"control", id, "pause", "preset:baseline", "--store", store}, "takes nothing after it",
        "");
    row("a command to a finished run", {"control", id, "pause", "--store", store}, "hybrid-16", "");
    row("an unknown preset", {"recipe", "check", "preset:hybrid16"}, "hybrid16", "hybrid-16");
    row("an unknown export target", {"recipe", "export", "--recipe", "preset:hybrid-16", "--to", "octet-jsn"},
        "octet-jsn", "Did you mean \"octet-json\"?");
    row("dimensions that do not divide", {"layers", "--recipe", "preset:hybrid-16", "--model", "llama:d=100,heads=3"},
        "not a multiple of heads", "");
}

void TstCli::badInputIsOneSentence() {
    QFETCH(QStringList, arguments);
    QFETCH(QString, sentence);
    QFETCH(QString, hint);
    const Outcome plain = runEngine(arguments);
    QCOMPARE(plain.exitCode, 2);
    QVERIFY2(plain.err.startsWith("octet-engine: ") && plain.err.contains(sentence), qPrintable(plain.err));
    QVERIFY2(plain.err.contains(hint), qPrintable(plain.err));
    QVERIFY(plain.out.isEmpty());
    QVERIFY(plain.err.count('\n') <= 2);
    if (arguments.isEmpty()) return;  // --json belongs to a command

    arguments.insert(arguments[0] == "recipe" ? 2 : 1, "--json");
    const Outcome machine = runEngine(arguments);
    const Json error = machine.json()["error"];
    QCOMPARE(machine.exitCode, 2);
    QVERIFY(!error["code"].get<std::string>().empty());
    QVERIFY(error.contains("hint") && !error["message"].get<std::string>().empty());
}

void TstCli::runsAreListed() {
    const Outcome outcome = runEngine(onStore({"runs", "--json"}));
    QCOMPARE(outcome.exitCode, 0);
    const Json runs = outcome.json()["runs"];
    QCOMPARE(runs.size(), size_t{11});  // the hidden twin is not among them
    const Json hybrid = runWithId(runs, m_hybrid);
    for (const char* key : {"id", "name", "state", "recipe", "seed", "steps", "final_loss"})
        QVERIFY2(hybrid.contains(key), key);
    QCOMPARE(hybrid["name"].get<std::string>(), std::string("hybrid-16"));
    QCOMPARE(hybrid["state"].get<std::string>(), std::string("done"));
    QCOMPARE(hybrid["steps"].get<int>(), kSampleSteps);
    QVERIFY(isNear(hybrid["final_loss"], 2.02));
    QCOMPARE(runWithId(runs, m_live)["state"].get<std::string>(), std::string("running"));

    const QString table = runEngine(onStore({"runs"})).out;
    QVERIFY2(table.contains("Experiment 1 \"first\"") && table.contains("2.0200"), qPrintable(table));
}

void TstCli::aRunIsShown() {
    const Outcome outcome = runEngine(onStore({"show", idText(m_hybrid)}));
    QCOMPARE(outcome.exitCode, 0);
    for (const char* part :
         {"\"hybrid-16\": done", "40 of 40 steps", "layers.1", "E5M2 x E4M3", "Cold start: 6 operands", "step_ms",
          "data_hash", "2 layers, input, weight, grad_output; amax"})
        QVERIFY2(outcome.out.contains(part), qPrintable(QString(part) + " in\n" + outcome.out));
    const Json json = runEngine(onStore({"show", idText(m_hybrid), "--json"})).json();
    QCOMPARE(json["layers"].size(), size_t{2});
    QCOMPARE(json["series"].size(), size_t{4 + 18});
    QCOMPARE(json["events"][0]["kind"].get<std::string>(), std::string("cold_start"));
    QVERIFY(isNear(json["last"]["loss"], 2.02));
    // Of several runs with one name the newest is meant.
    const Json newest = runEngine(onStore({"show", "hybrid-16", "--json"})).json();
    QVERIFY(newest["run"]["id"].get<int64_t>() > m_hybrid.value);
}

void TstCli::aSeriesIsRows() {
    const QStringList amax{"show", idText(m_hybrid), "--series", "layers.0/input/amax"};
    const Outcome outcome = runEngine(onStore(amax + QStringList{"--csv"}), {{"LC_ALL", "de_DE.UTF-8"}});
    QCOMPARE(outcome.exitCode, 0);
    const QStringList lines = outcome.out.split('\n');
    QCOMPARE(lines.size(), kSampleSteps + 2);  // header, rows, the end of the last line
    QCOMPARE(lines[0], QString("step,tokens,wall_time,value"));
    QCOMPARE(lines[1], QString("0,20,0.5,nan"));
    QCOMPARE(lines[2], QString("1,40,1,inf"));
    QCOMPARE(lines[3], QString("2,60,1.5,-inf"));
    QCOMPARE(lines[40], QString("39,800,20,0.1"));
    const Json json = runEngine(onStore(amax + QStringList{"--json"})).json();
    QCOMPARE(json["value"][0].get<std::string>(), std::string("NaN"));
    QCOMPARE(json["value"][39].get<double>(), 0.1);
    QCOMPARE(json["step"][39].get<double>(), 39.0);
    const QString loss = runEngine(onStore({"show", idText(m_e4m3), "--series", "loss"})).out;
    QVERIFY2(loss.startsWith("step  tokens  time s  nats\n") && loss.count('\n') == kSampleSteps + 1, qPrintable(loss));
}

void TstCli::aComparisonHasItsFigures() {
    const Json json = runEngine(onStore({"compare", idText(m_hybrid), idText(m_e4m3), "--json"})).json();
    QCOMPARE(json["baseline"].get<int64_t>(), m_baseline.value);
    QCOMPARE(json["runs"].size(), size_t{3});
    const Json hybrid = runWithId(json["runs"], m_hybrid), e4m3 = runWithId(json["runs"], m_e4m3),
               baseline = runWithId(json["runs"], m_baseline);
    for (const char* key : {"id", "final_loss", "gap_percent", "noise_percent", "tokens_per_s", "dy_underflow_percent",
                            "saturated_percent", "verdict"})
        QVERIFY2(hybrid.contains(key) && baseline.contains(key), key);
    QVERIFY(isNear(hybrid["final_loss"], 2.02));
    QVERIFY(isNear(hybrid["gap_percent"], 1));
    QVERIFY(isNear(e4m3["gap_percent"], 3));
    QVERIFY(isNear(hybrid["noise_percent"], 2));
    QVERIFY(isNear(hybrid["tokens_per_s"], 4000));
    QVERIFY(isNear(hybrid["dy_underflow_percent"], 18));
    QVERIFY(isNear(hybrid["saturated_percent"], 80.0 / 520));
    QVERIFY(baseline["dy_underflow_percent"].is_null());
    QCOMPARE(hybrid["verdict"].get<std::string>(), std::string("within noise"));
    QCOMPARE(e4m3["verdict"].get<std::string>(), std::string("beyond noise"));
    QCOMPARE(baseline["verdict"].get<std::string>(), std::string("baseline"));
}

void TstCli::aComparisonReadsWell() {
    const Outcome outcome = runEngine(onStore({"compare", idText(m_hybrid), idText(m_e4m3)}));
    QCOMPARE(outcome.exitCode, 0);
    const QString text = outcome.out.simplified();  // sentences are wrapped
    for (const char* part : {"final loss", "+1.00", "+3.00", "4,000", "within noise", "beyond noise",
                             "Compared at step 39", "Like for like", "up to 2.000 % apart over the last 10 steps",
                             "hybrid-16 differs from e4m3-16 in: te.fp8_format HYBRID against E4M3.", "Cold start",
                             "What a short run can show"})
        QVERIFY2(text.contains(part), qPrintable(QString(part) + " in\n" + outcome.out));
}

void TstCli::namedRunsBringTheirBaseline() {
    const Json json = runEngine(onStore({"compare", idText(m_e4m3), "--json"})).json();
    QCOMPARE(json["runs"].size(), size_t{2});
    QCOMPARE(runWithId(json["runs"], m_e4m3)["verdict"].get<std::string>(), std::string("beyond noise"));
    // Without names it is the newest experiment: the live one, which has no baseline.
    const Outcome newest = runEngine(onStore({"compare"}));
    QCOMPARE(newest.exitCode, 0);
    QVERIFY2(newest.out.contains("\"live\"") && newest.out.contains("no baseline among these runs") &&
                 newest.out.contains("Not finished yet: accelerate-default."),
             qPrintable(newest.out));
}

void TstCli::unlikeRunsGetNoVerdict() {
    const Json json = runEngine(onStore({"compare", idText(m_hybrid), idText(m_alone), "--json"})).json();
    const Json alone = runWithId(json["runs"], m_alone);
    QCOMPARE(alone["verdict"].get<std::string>(), std::string("not like for like: data hash 51aa against 77ff"));
    QVERIFY(alone["gap_percent"].is_null());
    QCOMPARE(runWithId(json["runs"], m_hybrid)["verdict"].get<std::string>(), std::string("within noise"));
}

void TstCli::aBarNeedsSeeds() {
    // Experiment 3, bar 1 %: hybrid 0.40 and 0.42 % (interval 0.28 to 0.54), e4m3 0.5 and 1.5 % (interval -5.4 to 7.4).
    const Json runs = runEngine(onStore({"runs", "--json"})).json()["runs"];
    QStringList ids;
    for (const Json& run : runs)
        if (run["experiment"] == 3) ids << QString::number(run["id"].get<int64_t>());
    const Json json = runEngine(onStore(QStringList{"compare"} + ids + QStringList{"--json"})).json();
    QCOMPARE(json["runs"].size(), size_t{6});
    QVERIFY(isNear(json["bar_percent"], 1));
    QCOMPARE(json["groups"][0]["recipe"].get<std::string>(), std::string("hybrid-16"));
    QVERIFY(isNear(json["groups"][0]["gap_percent"], 0.41, 1e-3));
    QVERIFY(isNear(json["groups"][0]["interval_percent"][1], 0.41 + 12.7062 * 0.01, 2e-3));
    QCOMPARE(json["groups"][0]["verdict"].get<std::string>(), std::string("PASS"));
    QCOMPARE(json["groups"][1]["verdict"].get<std::string>(), std::string("NOT ENOUGH DATA"));
    const QString text = runEngine(onStore(QStringList{"compare"} + ids)).out.simplified();
    QVERIFY2(text.contains("hybrid-16 over 2 seeds: mean gap +0.41 %") && text.contains("there are 2"),
             qPrintable(text));
    // The same as one Markdown table: a line for each recipe.
    const QStringList lines = runEngine(onStore(QStringList{"compare", "--table"} + ids)).out.split('\n');
    QVERIFY2(lines[0].startsWith("| recipe | seeds | final loss | gap % |") && lines[1].startsWith("| --- |"),
             qPrintable(lines.join('\n')));
    QCOMPARE(lines.size(), 2 + 3 + 1);
    const QString hybrid = lines.filter("| hybrid-16 |").value(0);
    QVERIFY2(hybrid.startsWith("| hybrid-16 | 2 |") && hybrid.contains("| +0.41 | +0.40, +0.42 |") &&
                 hybrid.endsWith("| PASS |"),
             qPrintable(hybrid));
    QVERIFY2(lines.filter("| baseline |").value(0).contains("| - | - |"), qPrintable(lines.join('\n')));
}

void TstCli::anotherBaselineCanBeNamed() {
    const Json json = runEngine(onStore({"compare", idText(m_e4m3), "--baseline", idText(m_hybrid), "--json"})).json();
    QCOMPARE(json["baseline"].get<int64_t>(), m_hybrid.value);
    QVERIFY(isNear(runWithId(json["runs"], m_e4m3)["gap_percent"], 100 * 0.04 / 2.02));
    QVERIFY(json["noise_percent"].is_null());
    QCOMPARE(runWithId(json["runs"], m_e4m3)["verdict"].get<std::string>(), std::string("NOT ENOUGH DATA"));
}

void TstCli::aCommandIsSentAndAnswered_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<bool>("refuse");
    QTest::newRow("pause is done") << QStringList{"pause"} << false;
    QTest::newRow("a checkpoint is refused by the worker") << QStringList{"checkpoint"} << true;
    QTest::newRow("a recipe travels with its command") << QStringList{"recipe", "preset:e4m3-16"} << false;
}

/// This process is the worker: it takes the command and answers.
void TstCli::aCommandIsSentAndAnswered() {
    QFETCH(QStringList, words);
    QFETCH(bool, refuse);
    QProcess process;
    startEngine(process, onStore(QStringList{"control", idText(m_live)} + words));
    std::vector<store::Command> taken;
    const auto isTaken = [&] {
        if (taken.empty()) taken = take(m_sample->writer().takeCommands());
        return taken.size() == 1;
    };
    QTRY_VERIFY_WITH_TIMEOUT(isTaken(), 20000);
    QVERIFY(taken[0].run == m_live);
    QCOMPARE(QString(store::commandVerbName(taken[0].verb)), words[0]);
    if (words.size() > 1) QCOMPARE(taken[0].argument["name"].get<std::string>(), std::string("e4m3-16"));
    if (refuse)
        take(m_sample->writer().refuseCommand(taken[0].id, "This version writes no checkpoints yet."));
    else
        take(m_sample->writer().finishCommand(taken[0].id));
    const Outcome outcome = outcomeOf(process);
    QCOMPARE(outcome.exitCode, refuse ? 2 : 0);
    if (refuse)
        QVERIFY2(outcome.err.contains("refused \"checkpoint\": This version writes"), qPrintable(outcome.err));
    else
        QVERIFY2(outcome.out.contains(words[0] + " done"), qPrintable(outcome.out));
}

void TstCli::aCommandWithoutAWaitIsOnlySent() {
    const Outcome sent = runEngine(onStore({"control", idText(m_live), "resume", "--no-wait", "--json"}));
    QCOMPARE(sent.exitCode, 0);
    QCOMPARE(sent.json()["status"].get<std::string>(), std::string("sent"));
    QCOMPARE(take(m_sample->writer().takeCommands()).size(), size_t{1});
    const Outcome waited = runEngine(onStore({"control", idText(m_live), "pause", "--wait", "0.2"}));
    QCOMPARE(waited.exitCode, 0);
    QVERIFY2(waited.out.contains("no answer yet"), qPrintable(waited.out));
}

void TstCli::theNewestProjectIsTheDefault() {
    const QString home = inFolder("home");
    QVERIFY(!runEngine({"runs"}, {{"HOME", home}}).exitCode == 0);
    QVERIFY(QDir().mkpath(home + "/Octet"));
    {
        SampleStore store((home + "/Octet/2026-12-01.octet").toStdString());
        store.addRun(store.addExperiment("in the home folder"), {"baseline", 2});
    }
    const Outcome outcome = runEngine({"runs"}, {{"HOME", home}});
    QCOMPARE(outcome.exitCode, 0);
    QVERIFY2(outcome.out.contains("in the home folder"), qPrintable(outcome.out + outcome.err));
}

QTEST_GUILESS_MAIN(TstCli)
#include "tst_cli.moc"
