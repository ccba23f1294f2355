// SPDX-License-Identifier: Apache-2.0
// What octet-engine train refuses before it works: one sentence with a hint, exit code 2, and nothing half written.
#include <QCryptographicHash>
#include <QDir>
#include <QTemporaryDir>

#include "tests/app/engine_process.h"
#include "tests/app/sample_store.h"

using namespace octet;
using namespace octet::tests;

class TstTrainRefusals final : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void badInputIsOneSentence_data();
    void badInputIsOneSentence();
    void badStoresAreLeftAlone_data();
    void badStoresAreLeftAlone();

private:
    QString inFolder(const QString& name) const { return m_folder.path() + "/" + name; }
    QStringList recipe(const QByteArray& fields);
    void checkRefusals(const QStringList& arguments, const QStringList& forMachine, const QString& sentence,
                       const QString& hint) const;
    QMap<QString, QByteArray> filesNow() const;

    QTemporaryDir m_folder{QDir::tempPath() + "/octet 시험 XXXXXX"};
    QString m_store;
    int m_recipes = 0;
};

void TstTrainRefusals::initTestCase() {
    QVERIFY(m_folder.isValid());
    m_store = inFolder("있는 것.octet");
    SampleStore sample(m_store.toStdString());
    sample.addRun(sample.addExperiment("was here"), {"hybrid-16", 2});
}

/// --recipe with a new file that holds these TE fields.
QStringList TstTrainRefusals::recipe(const QByteArray& fields) {
    const QString path = inFolder(QString("recipe %1.octet.json").arg(++m_recipes));
    writeFile(path, "{\"octet_recipe\": 1, \"backend\": \"TE\", " + fields + "}");
    return {"--recipe", path};
}

/// Name and content hash of every file in the folder.
QMap<QString, QByteArray> TstTrainRefusals::filesNow() const {
    QMap<QString, QByteArray> files;
    for (const QString& name : QDir(m_folder.path()).entryList(QDir::Files | QDir::Hidden)) {
        QFile file(inFolder(name));
        const bool isReadable = file.open(QIODevice::ReadOnly);
        files[name] = isReadable ? QCryptographicHash::hash(file.readAll(), QCryptographicHash::Sha256) : QByteArray();
    }
    return files;
}

/// Once for people and once for a machine, side by side.
void TstTrainRefusals::checkRefusals(const QStringList& arguments, const QStringList& forMachine,
                                     const QString& sentence, const QString& hint) const {
    QProcess people, machine;
    for (QProcess* process : {&people, &machine})
        obeyFileRights(*process);
    startEngine(people, arguments);
    startEngine(machine, forMachine + QStringList{"--json"});
    const Outcome plain = outcomeOf(people), parsed = outcomeOf(machine);
    for (const Outcome& outcome : {plain, parsed}) {
        QVERIFY2(outcome.exitCode == 2, qPrintable(QString::number(outcome.exitCode) + outcome.err));
        QVERIFY2(outcome.err.startsWith("octet-engine: ") && outcome.err.contains(sentence), qPrintable(outcome.err));
        QVERIFY2(outcome.err.contains(hint) && outcome.err.count('\n') <= 2, qPrintable(outcome.err));
    }
    QVERIFY(plain.out.isEmpty());
    const Json error = parsed.json()["error"];
    QVERIFY(!error["message"].get<std::string>().empty() && !error["code"].get<std::string>().empty());
    QVERIFY(parsed.err.contains(QString::fromStdString(error["hint"].get<std::string>())));
}

void TstTrainRefusals::badInputIsOneSentence_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("sentence");
    QTest::addColumn<QString>("hint");
    const auto row = [](const char* name, const QStringList& arguments, const QString& sentence, const QString& hint) {
        QTest::newRow(name) << arguments << sentence << hint;
    };
    row("an unknown key of a recipe", recipe(R"("te": {"amax_history_length": 16})"), "te.amax_history_length",
        "Did you mean \"amax_history_len\"?");
    row("history 0", recipe(R"("te": {"amax_history_len": 0})"), "a whole number from 1 to 65,536, found 0", "");
    row("a margin above its range", recipe(R"("te": {"margin": 65})"), "from -64 to 64, found 65", "");
    row("a margin below its range", recipe(R"("te": {"margin": -65})"), "from -64 to 64, found -65", "");
    row("E5M2, which TE refuses", recipe(R"("te": {"fp8_format": "E5M2"})"), "Transformer Engine", "documented");
    row("a recipe of a newer version", {"--recipe", inFolder("newer.octet.json")}, "written by a newer Octet", "");
    writeFile(inFolder("newer.octet.json"), R"({"octet_recipe": 2, "backend": "TE"})");
    row("an unknown preset", {"--recipe", "preset:hybird-16"}, "hybird-16", "Did you mean \"preset:hybrid-16\"?");
    row("a preset by half of its name", {"--recipe", "preset:hybird"}, "hybird", "Did you mean \"preset:hybrid-16\"?");
    row("a preset without preset:", {"--recipe", "hybrid-16"}, "hybrid-16", "Did you mean \"preset:hybrid-16\"?");
    row("a format for a recipe", {"--recipe", "E4M3"}, "E4M3", "Did you mean \"preset:e4m3-16\"?");
    row("a file that is not there", {"--recipe", inFolder("fehlt.octet.json")}, "fehlt.octet.json", "");
    row("two recipes of one name", {"--recipe", "preset:hybrid-16", "--recipe", "preset:hybrid-16"},
        "called \"hybrid-16\"", "another name");
    row("equal seeds", {"--seeds", "1,1"}, "same seed", "once");
    row("a seed that is no number", {"--seeds", "1,x"}, "--seeds: expected a list of whole numbers", "");
    row("no steps", {"--steps", "0"}, "--steps: expected a whole number from 1", "");
    row("steps in words", {"--steps", "many"}, "found the text \"many\"", "");
    row("dimensions that do not divide", {"--model", "llama:d=30,heads=4"}, "d 30 is not a multiple of heads 4",
        "d=32");
    row("a head of odd size", {"--model", "llama:d=12,heads=4"}, "odd", "even");
    row("an unknown model", {"--model", "lama"}, "unknown kind \"lama\"", "llama");
    row("an unknown key of a model", {"--model", "llama:dim=32"}, "\"dim\"", "\"d\"");
    row("a vocab below the text's bytes", {"--model", "llama:vocab=64"}, "vocab 64 is below 256", "");
    row("a device that is not there", {"--device", "cuda"}, "cuda", "--device cpu");
    row("an unknown flag", {"--stepps", "3"}, "does not know the option --stepps", "Did you mean --steps?");

    writeFile(inFolder("empty.txt"), {});
    writeFile(inFolder("short.txt"), "too short for a batch of 8 sequences");
    writeFile(inFolder("secret.txt"), QByteArray(100'000, 'x'));
    QVERIFY(QFile::setPermissions(inFolder("secret.txt"), {}));
    QVERIFY(QDir(m_folder.path()).mkpath("leer"));
    row("an empty data file", {"--data", "text:" + inFolder("empty.txt")}, "holds no bytes", "--data sample");
    row("an empty data folder", {"--data", "text:" + inFolder("leer")}, "holds no bytes", "--data sample");
    row("data shorter than a batch", {"--data", "text:" + inFolder("short.txt")}, "at least one batch", "--batch");
    row("data that may not be read", {"--data", "text:" + inFolder("secret.txt")}, "Permission denied", "");
    row("data that is not there", {"--data", "text:" + inFolder("fehlt.txt")}, "fehlt.txt", "");
    row("data without its kind", {"--data", inFolder("short.txt")}, "text:PATH", "Did you mean text:");
    row("a made text without a number", {"--data", "synthetic:x"}, "whole number", "synthetic:1");

    writeFile(inFolder("bad.json"), R"({"octet_run": 1, "stepps": 3})");
    writeFile(inFolder("list.json"), "[1, 2]");
    writeFile(inFolder("cut.json"), R"({"octet_run": 1,)");
    row("an unknown key of a spec", {"--spec", inFolder("bad.json")}, "stepps", "\"steps\"");
    row("a spec that is a list", {"--spec", inFolder("list.json")}, "list.json", "");
    row("a spec that is cut off", {"--spec", inFolder("cut.json")}, "cut.json", "");
    row("a spec that is not there", {"--spec", inFolder("fehlt.json")}, "fehlt.json", "");
}

/// Into a store that is not there yet, and into one that is.
void TstTrainRefusals::badInputIsOneSentence() {
    QFETCH(QStringList, arguments);
    QFETCH(QString, sentence);
    QFETCH(QString, hint);
    arguments.prepend("train");
    const auto before = filesNow();
    checkRefusals(arguments + QStringList{"--store", inFolder("neu.octet")},
                  arguments + QStringList{"--store", m_store}, sentence, hint);
    QCOMPARE(filesNow(), before);
}

void TstTrainRefusals::badStoresAreLeftAlone_data() {
    QTest::addColumn<QString>("store");
    QTest::addColumn<QString>("sentence");
    QTest::addColumn<QString>("hint");
    writeFile(inFolder("noten.octet"), QByteArray(5000, 'n'));
    writeFile(inFolder("kurz.octet"), "short");
    writeFile(inFolder("leer.octet"), {});
    QByteArray newer = readBytes(m_store);
    newer[63] = 99;  // the last byte of SQLite's user_version
    writeFile(inFolder("neuer.octet"), newer);
    writeFile(inFolder("fremd.octet"), readBytes(OCTET_TEST_DATA "/cases/c116_b_empty.sqlite"));
    writeFile(inFolder("fest.octet"), readBytes(m_store));
    QVERIFY(QFile::setPermissions(inFolder("fest.octet"), QFile::ReadOwner));
    QTest::newRow("notes") << inFolder("noten.octet") << "not a SQLite database"
                           << "Name a file";
    QTest::newRow("five bytes") << inFolder("kurz.octet") << "kurz.octet"
                                << "";
    QTest::newRow("an empty file") << inFolder("leer.octet") << "leer.octet"
                                   << "--create";
    QTest::newRow("a store of a newer version") << inFolder("neuer.octet") << "newer"
                                                << "";
    QTest::newRow("somebody else's database") << inFolder("fremd.octet") << "fremd.octet"
                                              << "";
    QTest::newRow("a store that may only be read") << inFolder("fest.octet") << "fest.octet"
                                                   << "";
    QTest::newRow("a folder") << m_folder.path() << "is a folder"
                              << "Name a file";
    QTest::newRow("no such folder") << inFolder("fehlt/neu.octet") << "no folder"
                                    << "Make the folder first";
}

void TstTrainRefusals::badStoresAreLeftAlone() {
    QFETCH(QString, store);
    QFETCH(QString, sentence);
    QFETCH(QString, hint);
    const auto before = filesNow();
    checkRefusals(tinyTraining(store, 2), tinyTraining(store, 2), sentence, hint);
    QCOMPARE(filesNow(), before);
    QVERIFY(!QDir(inFolder("fehlt")).exists());
}

QTEST_GUILESS_MAIN(TstTrainRefusals)
#include "tst_train_refusals.moc"
