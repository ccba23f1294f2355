// SPDX-License-Identifier: Apache-2.0
// octet-engine recipe and layers: what is said before anything trains.
#include <QTemporaryDir>

#include "engine/recipe/recipe_json.h"
#include "tests/app/engine_process.h"

using namespace octet;
using namespace octet::tests;

namespace {

QString readText(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) qFatal("can't read %s", qPrintable(path));
    return QString::fromUtf8(file.readAll());
}

}  // namespace

class TstCliRecipes final : public QObject {
    Q_OBJECT

private slots:
    void recipesAreChecked_data();
    void recipesAreChecked();
    void recipesAreExported();
    void configsAreCheckedAndRepaired();
    void effectiveRecipesAreShown();
    void configsAreRecipesToo();
    void recipesAreDiffedAndListed();
    void layersAreListed();

private:
    QString inFolder(const QString& name) const { return m_folder.path() + "/" + name; }

    QTemporaryDir m_folder{QDir::tempPath() + "/octet 시험 XXXXXX"};
};

void TstCliRecipes::recipesAreChecked_data() {
    QTest::addColumn<QByteArray>("recipe");
    QTest::addColumn<int>("exitCode");
    QTest::addColumn<QString>("words");
    const QByteArray start = R"({"octet_recipe": 1, "name": "mine", "backend": "TE", )";
    QTest::newRow("a good one") << start + R"("te": {"fp8_format": "E4M3"}})" << 0 << "valid";
    QTest::newRow("an unknown key names the nearest")
        << start + R"("te": {"amax_history_length": 16}})" << 2 << "amax_history_len";
    QTest::newRow("history 0") << start + R"("te": {"amax_history_len": 0}})" << 2 << "1 to 65";
    QTest::newRow("a margin outside its range") << start + R"("te": {"margin": 65}})" << 2 << "-64";
    QTest::newRow("a negative margin is warned of") << start + R"("te": {"margin": -1}})" << 0 << "warning: ";
    QTest::newRow("E5M2 under library is refused") << start + R"("te": {"fp8_format": "E5M2"}})" << 2 << "E5M2";
    QTest::newRow("E5M2 under documented trains")
        << start + R"("semantics": "documented", "te": {"fp8_format": "E5M2"}})" << 0 << "valid";
    QTest::newRow("what the library ignores is said") << start + R"("te": {"interval": 4}})" << 0 << "interval";
    QTest::newRow("not JSON") << QByteArray("fp8_format: HYBRID") << 2 << "레시피.octet.json";
}

void TstCliRecipes::recipesAreChecked() {
    QFETCH(QByteArray, recipe);
    QFETCH(int, exitCode);
    QFETCH(QString, words);
    const QString path = inFolder("내 레시피.octet.json");
    writeFile(path, recipe);
    const Outcome outcome = runEngine({"recipe", "check", path});
    QVERIFY2((outcome.out + outcome.err).contains(words), qPrintable(outcome.out + outcome.err));
    QCOMPARE(outcome.exitCode, exitCode);
}

void TstCliRecipes::recipesAreExported() {
    const QString out = inFolder("내보낸 것.json");
    const Outcome written = runEngine(
        {"recipe", "export", "--recipe", "preset:accelerate-default", "--to", "accelerate-kwargs", "--out", out});
    QCOMPARE(written.exitCode, 0);
    const Json kwargs = Json::parse(readText(out).toStdString());
    QCOMPARE(kwargs["amax_history_len"].get<int>(), 1024);
    QVERIFY(!kwargs.contains("octet_recipe"));
    QVERIFY2(written.err.contains("most_recent"), qPrintable(written.err));

    const Outcome printed = runEngine({"recipe", "export", "--recipe", "preset:hybrid-16", "--to", "octet-json"});
    QCOMPARE(printed.json()["octet_recipe"].get<int>(), 1);
    const Outcome nowhere = runEngine({"recipe", "export", "--recipe", "preset:hybrid-16", "--to", "octet-json",
                                       "--out", inFolder("missing/x.json")});
    QVERIFY(nowhere.exitCode != 0 && nowhere.err.contains("missing"));
    const Outcome baseline = runEngine({"recipe", "export", "--recipe", "preset:baseline", "--to", "accelerate-kwargs",
                                        "--out", inFolder("none.json")});
    QCOMPARE(baseline.exitCode, 2);
    QVERIFY(!QFile::exists(inFolder("none.json")));
}

void TstCliRecipes::configsAreCheckedAndRepaired() {
    const QString path = inFolder("기본 설정.yaml"), out = inFolder("고친 것.yaml");
    const QByteArray text =
        "# mine\r\ndistributed_type: NO  # one process\r\nnum_processes: 1\r\nmixed_precision: fp8\r\nfp8_config:\r\n"
        "  backend: te\r\n  amax_history_length: 1e3\r\n";
    writeFile(path, text);
    const Outcome found = runEngine({"recipe", "check", path});
    QCOMPARE(found.exitCode, 2);
    QVERIFY2(found.out.contains(path + ":2:19: warning: ") && found.out.contains("--fix repairs 4"),
             qPrintable(found.out));
    QVERIFY2(found.err.contains("2 errors"), qPrintable(found.err));
    const Json json = runEngine({"recipe", "check", path, "--json"}).json();
    QCOMPARE(json["findings"].size(), size_t{4});
    QCOMPARE(json["findings"][0]["line"].get<int>(), 2);
    QVERIFY(json["valid"] == false && json["error"]["code"] == "usage");
    const Outcome repaired = runEngine({"recipe", "check", path, "--fix", "--out", out});
    QCOMPARE(repaired.exitCode, 0);
    QVERIFY2(repaired.out.contains("fixed: line 6: te becomes TE"), qPrintable(repaired.out));
    QCOMPARE(readText(out).toUtf8(),
             QByteArray(text).replace("NO ", "\"NO\" ").replace("te\r", "TE\r").replace("length: 1e3", "len: 1000"));
    QCOMPARE(readText(path).toUtf8(), text);
    QVERIFY(runEngine({"recipe", "check", out}).out.contains("amax_history_len=1000"));
    QCOMPARE(runEngine({"recipe", "check", path, "--fix"}).exitCode, 0);
    QCOMPARE(readText(path), readText(out));
    QCOMPARE(runEngine({"recipe", "check", path, "--out", out}).exitCode, 2);
}

void TstCliRecipes::effectiveRecipesAreShown() {
    const Outcome text = runEngine({"recipe", "effective", "preset:accelerate-default"});
    QCOMPARE(text.exitCode, 0);
    QVERIFY2(text.out.contains("amax_compute_algo=max") && text.out.contains("dropped"), qPrintable(text.out));
    const Json json =
        runEngine({"recipe", "effective", "preset:ao-rowwise", "--parallel", "fsdp2", "--model", "mlp", "--json"})
            .json();
    QCOMPARE(json["target"]["parallel"].get<std::string>(), std::string("fsdp2"));
    QCOMPARE(json["layers"].size(), size_t{3});
    QVERIFY(json["runs"].get<std::string>().starts_with("Float8LinearConfig("));
    QCOMPARE(runEngine({"recipe", "effective", "preset:mxfp8", "--capability", "9.0"}).exitCode, 0);
    QCOMPARE(runEngine({"recipe", "effective", "preset:mxfp8", "--capability", "Hopper"}).exitCode, 2);
}

void TstCliRecipes::configsAreRecipesToo() {
    const QString yaml = inFolder("fp8 설정.yaml");
    QCOMPARE(runEngine({"recipe", "export", "--recipe", "preset:e4m3-16", "--to", "accelerate-yaml", "--out", yaml})
                 .exitCode,
             0);
    QVERIFY(readText(yaml).contains("backend: TE"));
    const Json back = runEngine({"recipe", "export", "--recipe", yaml, "--to", "octet-json"}).json();
    QCOMPARE(back["te"]["amax_history_len"].get<int>(), 16);
    QCOMPARE(back["te"]["fp8_format"].get<std::string>(), std::string("E4M3"));
}

void TstCliRecipes::recipesAreDiffedAndListed() {
    const Json diff =
        runEngine({"recipe", "diff", "preset:hybrid-16", "preset:e4m3-16", "--json"}).json()["differences"];
    bool found = false;
    for (const Json& field : diff)
        found = found || (field["key"] == "te.fp8_format" && field["a"] == "HYBRID" && field["b"] == "E4M3");
    QVERIFY(found);
    QCOMPARE(runEngine({"recipe", "diff", "preset:hybrid-16", "preset:hybrid-16"}).out,
             QString("The recipes are equal.\n"));
    QCOMPARE(runEngine({"recipe", "presets", "--json"}).json()["presets"].size(), octet::recipe::presets().size());
    QVERIFY(runEngine({"recipe", "fields"}).out.contains("te.amax_history_len"));
}

void TstCliRecipes::layersAreListed() {
    const Json json = runEngine({"layers", "--recipe", "preset:hybrid-16", "--model", "mlp", "--json"}).json();
    QCOMPARE(json["layers"].size(), size_t{3});
    QCOMPARE(json["layers"][0]["gemms"]["dgrad"].get<std::string>(), std::string("E5M2 x E4M3"));
    QVERIFY(!json["layers"][0]["reason"].get<std::string>().empty());
    const QString table = runEngine({"layers", "--recipe", "preset:baseline", "--model", "mlp"}).out;
    QVERIFY2(table.contains("0 of 3 Linears run in FP8"), qPrintable(table));
}

QTEST_GUILESS_MAIN(TstCliRecipes)
#include "tst_cli_recipes.moc"
