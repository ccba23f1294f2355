// SPDX-License-Identifier: Apache-2.0
// Run specs: JSON round trip, flags from the same table, ranges and consistency with their sentences.
#include <QtTest>
#include <set>

#include "engine/recipe/run_spec.h"
#include "engine/recipe/run_spec_fields.h"

using namespace octet;
using namespace octet::recipe;

namespace {

RunSpec unlikeDefaults() {
    RunSpec spec;
    spec.recipes = {"preset:e4m3-16", "/home/a b/내 레시피.octet.json"};
    spec.seeds = {3, 1, 9'007'199'254'740'992};
    spec.model = "mlp:window=16,d=8,hidden=64,layers=1,vocab=256";
    spec.data = "text:/tmp/a b";
    spec.name = "it's named";
    spec.steps = 7;
    spec.batch = 3;
    spec.microBatches = 2;
    spec.optimizer = {3e-4, 5, Schedule::Constant, 1e-5, 0.25, 0.85, 0.999, 0.0};
    spec.activationDtype = ActivationDtype::Fp32;
    spec.reuseWeightCodes = true;
    spec.evalEvery = 0;
    spec.evalBatches = 2;
    spec.onNan = OnNan::Stop;
    spec.order = RunOrder::Sequential;
    spec.statisticsEvery = 4;
    spec.exponentsEvery = 0;
    spec.device = "cpu";
    spec.threads = 2;
    spec.barPercent = 1.5;
    return spec;
}

Result<RunSpec> read(const QString& text) {
    const auto json = parseJson(text.toStdString(), "run spec r.json");
    if (!json) return json.error();
    return runSpecFromJson(*json, "run spec r.json");
}

const RunField& fieldOfFlag(const std::string& flag) {
    const auto fields = runFields();
    return *std::ranges::find_if(fields, [&](const RunField& field) { return field.flag == flag; });
}

QString said(const Error& error) {
    return QString::fromStdString(error.message + " " + error.hint);
}

void verifyFacts(const Error& error, const QStringList& facts) {
    QCOMPARE(exitCodeFor(error.code), 2);
    for (const QString& fact : facts)
        QVERIFY2(said(error).contains(fact), qPrintable(said(error) + " lacks " + fact));
}

}  // namespace

class TstRunSpec : public QObject {
    Q_OBJECT

private slots:
    void writtenSpecsReadEqual();
    void defaultsAreThoseOfTheDesign();
    void everyFieldIsWrittenAndIsAFlag();
    void badFilesAreRefused_data();
    void badFilesAreRefused();
    void flagsSetFields_data();
    void flagsSetFields();
    void badFlagsAreRefused_data();
    void badFlagsAreRefused();
    void changedFieldsBecomeFlags();
};

void TstRunSpec::writtenSpecsReadEqual() {
    for (const RunSpec& spec : {RunSpec{}, unlikeDefaults()}) {
        const auto back = read(QString::fromStdString(prettyJson(runSpecToJson(spec))));
        QVERIFY2(back.ok(), back.ok() ? "" : back.error().message.c_str());
        QVERIFY(*back == spec);
    }
}

void TstRunSpec::defaultsAreThoseOfTheDesign() {
    const auto design =
        read(R"({ "octet_run": 1, "recipes": ["preset:hybrid-16", "preset:e4m3-16", "preset:baseline"], "seeds": [1],
      "model": "llama:d=128,layers=4,heads=4,ctx=128,vocab=256", "data": "sample", "steps": 300, "batch": 8, "micro_batches": 1,
      "optimizer": {"lr": 1e-3, "warmup_steps": 20, "schedule": "cosine", "min_lr": 1e-4, "weight_decay": 0.1,
                    "betas": [0.9, 0.95], "clip_norm": 1.0},
      "activation_dtype": "bf16", "reuse_weight_codes": false, "eval_every": 50, "eval_batches": 8, "on_nan": "continue",
      "record": {"statistics_every": 1, "exponents_every": 16}, "device": "auto", "threads": 0, "bar_percent": null })");
    QVERIFY2(design.ok(), design.ok() ? "" : design.error().message.c_str());
    QVERIFY(*design == RunSpec{});
    QVERIFY(read(R"({"octet_run": 1})").value() == RunSpec{});
}

void TstRunSpec::everyFieldIsWrittenAndIsAFlag() {
    std::set<std::string> flags;
    for (const RunField& field : runFields()) {
        QVERIFY2(field.get(RunSpec{}) != field.get(unlikeDefaults()), field.key);
        QVERIFY2(std::string_view(field.flag).starts_with("--") && flags.insert(field.flag).second, field.key);
        QVERIFY2(*field.help, field.key);
    }
    for (const char* flag : {"--recipe", "--seeds", "--model", "--data", "--steps", "--batch", "--lr", "--device",
                             "--name", "--order", "--bar-percent"}) {
        QVERIFY2(flags.contains(flag), flag);
    }
}

void TstRunSpec::badFilesAreRefused_data() {
    QTest::addColumn<QString>("inside");
    QTest::addColumn<QStringList>("facts");
    const auto row = [](const char* name, const char* inside, const QStringList& facts) {
        QTest::newRow(name) << inside << facts;
    };
    row("an unknown key names the nearest", R"("stepz": 3)", {"r.json", "stepz", "steps"});
    row("an optimizer key at the top", R"("lr": 0.1)", {"\"lr\"", "inside \"optimizer\""});
    row("an unknown optimizer key", R"("optimizer": {"beta": [0.9, 0.9]})", {"optimizer.beta", "betas"});
    row("no step", R"("steps": 0)", {"steps", "from 1", "0"});
    row("steps as text", R"("steps": "300")", {"steps", "whole number", "text"});
    row("a batch of zero", R"("batch": 0)", {"batch", "1 to 65,536"});
    row("a negative learning rate", R"("optimizer": {"lr": -1})", {"optimizer.lr", "0 to 100", "-1"});
    row("a learning rate that is not a number", R"("optimizer": {"lr": "NaN"})", {"optimizer.lr", "number"});
    row("min_lr above lr", R"("optimizer": {"lr": 1e-5})", {"min_lr 1e-04", "lr 1e-05", "--min-lr"});
    row("a beta of one", R"("optimizer": {"betas": [0.9, 1.0]})", {"optimizer.betas", "below 1"});
    row("one beta", R"("optimizer": {"betas": [0.9]})", {"two numbers", "a list of 1"});
    row("an unknown schedule", R"("optimizer": {"schedule": "cosin"})", {"cosine, constant", "\"cosine\""});
    row("no seed", R"("seeds": [])", {"seeds", "empty"});
    row("a negative seed", R"("seeds": [-1])", {"seeds", "-1"});
    row("a seed twice", R"("seeds": [1, 2, 1])", {"seeds", "twice"});
    row("no recipe", R"("recipes": [])", {"recipes", "empty"});
    row("a recipe that is no text", R"("recipes": [1])", {"recipes", "list of texts"});
    row("an empty recipe", R"("recipes": [""])", {"recipes", "empty"});
    row("a bad model", R"("model": "llama:d=100,heads=3")", {"r.json", "heads 3"});
    row("a vocabulary smaller than bytes", R"("model": "llama:vocab=100")", {"vocab 100", "256"});
    row("a model beyond any machine", R"("model": "llama:d=16384,layers=512")", {"billion", "10"});
    row("no data", R"("data": "")", {"data", "sample"});
    row("an unknown device", R"("device": "gpu")", {"device", "cuda", "gpu"});
    row("an unknown order", R"("order": "mixed")", {"interleaved, sequential"});
    row("statistics never", R"("record": {"statistics_every": 0})", {"record.statistics_every", "from 1"});
    row("a bar below zero", R"("bar_percent": -1)", {"bar_percent", "or null"});
    row("too many runs",
        R"("seeds": [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,
        35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61,62,63,64,65,66,67,68,69,70,71,72,73,
        74,75,76,77,78,79,80,81,82,83,84,85,86])",
        {"258 runs", "256"});
}

void TstRunSpec::badFilesAreRefused() {
    QFETCH(QString, inside);
    QFETCH(QStringList, facts);
    const auto spec = read("{\"octet_run\": 1, " + inside + "}");
    QVERIFY(!spec.ok());
    verifyFacts(spec.error(), facts);
    QCOMPARE(read(R"({"octet_run": 2})").error().code, ErrorCode::NewerVersion);
    verifyFacts(read(R"({"steps": 3})").error(), {"octet_run", "missing"});
}

void TstRunSpec::flagsSetFields_data() {
    QTest::addColumn<QString>("flag");
    QTest::addColumn<QStringList>("texts");
    QTest::addColumn<QString>("value");
    QTest::newRow("a whole number") << "--batch" << QStringList{"16"} << "16";
    QTest::newRow("a number in scientific form") << "--lr" << QStringList{"3e-4"} << "3e-04";
    QTest::newRow("a whole number where any is taken") << "--clip-norm" << QStringList{"2"} << "2";
    QTest::newRow("a choice") << "--schedule" << QStringList{"constant"} << "constant";
    QTest::newRow("a switch alone") << "--reuse-weight-codes" << QStringList{} << "true";
    QTest::newRow("a switch with a value") << "--reuse-weight-codes" << QStringList{"false"} << "false";
    QTest::newRow("seeds with commas") << "--seeds" << QStringList{"1,2", "5"} << "1,2,5";
    QTest::newRow("recipes, one a flag") << "--recipe" << QStringList{"preset:baseline", "a,b.json"}
                                         << "preset:baseline a,b.json";
    QTest::newRow("a pair") << "--betas" << QStringList{"0.9,0.99"} << "0.9,0.99";
    QTest::newRow("a bar") << "--bar-percent" << QStringList{"1.5"} << "1.5";
    QTest::newRow("no bar") << "--bar-percent" << QStringList{"none"} << "";
    QTest::newRow("text that looks like a number") << "--name" << QStringList{"300"} << "300";
}

void TstRunSpec::flagsSetFields() {
    QFETCH(QString, flag);
    QFETCH(QStringList, texts);
    QFETCH(QString, value);
    std::vector<std::string> plain;
    for (const QString& text : texts)
        plain.push_back(text.toStdString());
    const RunField& field = fieldOfFlag(flag.toStdString());
    RunSpec spec;
    const auto done = setFromTexts(spec, field, plain);
    QVERIFY2(done.ok(), done.ok() ? "" : done.error().message.c_str());
    QCOMPARE(QString::fromStdString(fieldText(field.get(spec))), value);
}

void TstRunSpec::badFlagsAreRefused_data() {
    QTest::addColumn<QString>("flag");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QStringList>("facts");
    QTest::newRow("a word for a number") << "--batch"
                                         << "many" << QStringList{"--batch", "whole number", "many"};
    QTest::newRow("a number with a tail") << "--lr"
                                          << "1e-3x" << QStringList{"--lr", "1e-3x"};
    QTest::newRow("a number that is not finite") << "--lr"
                                                 << "nan" << QStringList{"--lr", "number", "nan"};
    QTest::newRow("a value out of range") << "--threads"
                                          << "-1" << QStringList{"--threads", "0 to 1,024", "-1"};
    QTest::newRow("an unknown choice") << "--on-nan"
                                       << "halt" << QStringList{"--on-nan", "continue, pause, stop"};
    QTest::newRow("an empty part of a list") << "--seeds"
                                             << "1,,2" << QStringList{"--seeds", "whole numbers"};
    QTest::newRow("a switch with a word") << "--reuse-weight-codes"
                                          << "maybe" << QStringList{"true or false", "maybe"};
}

void TstRunSpec::badFlagsAreRefused() {
    QFETCH(QString, flag);
    QFETCH(QString, text);
    QFETCH(QStringList, facts);
    RunSpec spec;
    const std::vector<std::string> texts{text.toStdString()};
    const auto done = setFromTexts(spec, fieldOfFlag(flag.toStdString()), texts);
    QVERIFY(!done.ok());
    verifyFacts(done.error(), facts);
    QVERIFY(spec == RunSpec{});
    const std::vector<std::string> noUtf8{"\xB0\xA1"};
    QVERIFY(!setFromTexts(spec, fieldOfFlag("--batch"), noUtf8).ok());
}

void TstRunSpec::changedFieldsBecomeFlags() {
    QCOMPARE(runSpecFlags(RunSpec{}), std::string());
    RunSpec spec;
    spec.recipes = {"preset:hybrid-16", "a b.json"};
    spec.name = "it's";
    spec.optimizer.lr = 0.002;
    spec.reuseWeightCodes = true;
    QCOMPARE(
        runSpecFlags(spec),
        std::string(
            "--recipe preset:hybrid-16 --recipe 'a b.json' --name 'it'\\''s' --lr 0.002 --reuse-weight-codes true"));
}

QTEST_APPLESS_MAIN(TstRunSpec)
#include "tst_run_spec.moc"
