// SPDX-License-Identifier: Apache-2.0
// Export, and what Accelerate and Transformer Engine make of it, against golden runs of accelerate 1.15.0 with
// Transformer Engine 2.20.2.
#include <QtTest>

#include "engine/recipe/export.h"
#include "engine/recipe/recipe_json.h"
#include "engine/recipe/schema.h"
#include "engine/recipe/training_plan.h"
#include "tests/support/golden.h"

using namespace octet;
using namespace octet::recipe;

namespace {

std::vector<arch::Module> llama() {
    return arch::listModules(arch::parseModelSpec("llama:d=64,layers=2,heads=2").value());
}

QString joined(const std::vector<std::string>& lines) {
    QString text;
    for (const std::string& line : lines)
        text += QString::fromStdString(line) + "\n";
    return text;
}

QString said(const Error& error) {
    return QString::fromStdString(error.message + " " + error.hint);
}

/// The recipe that a golden row asks for; an error where Octet's own file refuses it.
Result<LoadedRecipe> askedRecipe(const Json& row) {
    Json json = {{"octet_recipe", 1}, {"backend", "TE"}, {"te", row["asked"]}};
    json["target"]["compute_capability"] = row["gpu"] == "blackwell" ? "10.0" : "9.0";
    return recipeFromJson(json, "row");
}

/// Rows that the libraries take and Octet refuses on purpose: values without a meaning, and texts for numbers.
bool isStricterHere(const Json& asked) {
    const Json strict[] = {{{"interval", 0}},
                           {{"interval", -1}},
                           {{"amax_history_len", 0}},
                           {{"amax_history_len", -5}},
                           {{"amax_history_len", 1'000'000}},
                           {{"amax_history_len", 16.0}},
                           {{"margin", "2"}},
                           {{"override_linear_precision", {false, false}}},
                           {{"override_linear_precision", nullptr}}};
    return std::ranges::any_of(strict, [&](const Json& row) { return row == asked && row.dump() == asked.dump(); });
}

Json goldenRows() {
    return tests::goldenJson("accelerate_effective.json")["python"];
}

/// TERecipeKwargs(**kwargs) as its dataclass holds it; the defaults are Accelerate's.
Json fieldsOfKwargs(const Json& kwargs) {
    Json fields = {{"use_autocast_during_eval", false},
                   {"margin", 0},
                   {"interval", 1},
                   {"fp8_format", "HYBRID"},
                   {"amax_history_len", 1024},
                   {"amax_compute_algo", "most_recent"},
                   {"override_linear_precision", {false, false, false}},
                   {"use_mxfp8_block_scaling", false}};
    for (const auto& [key, value] : kwargs.items()) {
        if (!fields.contains(key)) return "TypeError: " + key;
        fields[key] = value;
    }
    return fields;
}

}  // namespace

class TstAccelerateKwargs : public QObject {
    Q_OBJECT

private slots:
    void goldenRowsGiveTheSameRecipe_data();
    void goldenRowsGiveTheSameRecipe();
    void exportsSayWhatTheyLeaveOut_data();
    void exportsSayWhatTheyLeaveOut();
    void exportsAreRefused_data();
    void exportsAreRefused();
};

void TstAccelerateKwargs::goldenRowsGiveTheSameRecipe_data() {
    QTest::addColumn<QByteArray>("row");
    int index = 0;
    const Json rows = goldenRows();
    QCOMPARE(rows.size(), size_t{194});
    for (const Json& row : rows) {
        const std::string name =
            std::to_string(index++) + " " + row["gpu"].get<std::string>() + " " + row["asked"].dump();
        QTest::newRow(name.c_str()) << QByteArray::fromStdString(row.dump());
    }
}

void TstAccelerateKwargs::goldenRowsGiveTheSameRecipe() {
    QFETCH(QByteArray, row);
    const Json golden = parseJson(row.toStdString(), "row").value();
    const auto asked = askedRecipe(golden);
    if (golden.contains("error") && golden["stage"] == "construction") {
        QVERIFY(!asked.ok());
        return;
    }
    if (!asked) {
        QVERIFY2(golden.contains("error") || isStricterHere(golden["asked"]), asked.error().message.c_str());
        return;
    }
    QVERIFY(!isStricterHere(golden["asked"]));
    const auto plan = planTraining(asked->recipe, llama());
    const auto exported = exportRecipe(asked->recipe, "accelerate-kwargs");
    if (golden.contains("error")) {
        QVERIFY(!plan.ok() && !exported.ok());
        QCOMPARE(plan.error().message, exported.error().message);
        const std::string meaning = golden["meaning"];
        const QString fact = meaning.starts_with("TE refuses E5M2") ? "E5M2"
                             : meaning.starts_with("GPU cannot")    ? "compute capability 9.0"
                             : meaning.starts_with("amax algo")     ? "amax_compute_algo"
                                                                    : "amax_history_len";
        QVERIFY2(said(plan.error()).contains(fact), qPrintable(said(plan.error())));
        return;
    }
    QVERIFY2(exported.ok(), exported.ok() ? "" : exported.error().message.c_str());
    const Json kwargs = parseJson(exported->text, "export").value();
    const Json fields = fieldsOfKwargs(kwargs);
    QVERIFY2(fields == golden["fields"], fields.dump().c_str());
    QVERIFY2(plan.ok(), plan.ok() ? "" : plan.error().message.c_str());
    QCOMPARE(plan->fp8DuringEval, golden["autocast_eval"].get<bool>());
    if (golden["recipe"]["class"] != "DelayedScaling") {
        QCOMPARE(golden["recipe"]["fp8_format"].get<std::string>(), std::string("E4M3"));
        QCOMPARE(gemmText(plan->layers.front().gemms[1]), std::string("E4M3 1x32 by E4M3 1x32"));
        return;
    }
    const ScalingPlan& scaling = *plan->scaling;
    QCOMPARE(scaling.margin, golden["recipe"]["margin"].get<int>());
    QCOMPARE(scaling.historyLen, golden["recipe"]["amax_history_len"].get<int>());
    QCOMPARE(std::string(nameOf(scaling.algo)), golden["recipe"]["amax_compute_algo"].get<std::string>());
    QCOMPARE(scaling.forward, numerics::Fp8Format::E4M3);
    QCOMPARE(scaling.backward == numerics::Fp8Format::E5M2, golden["recipe"]["fp8_format"] == "HYBRID");
    QCOMPARE(scaling.interval, 1);
}

void TstAccelerateKwargs::exportsSayWhatTheyLeaveOut_data() {
    QTest::addColumn<QByteArray>("json");
    QTest::addColumn<QStringList>("facts");
    const auto row = [](const char* name, const char* json, const QStringList& facts) {
        QTest::newRow(name) << QByteArray(json) << facts;
    };
    row("nothing to say", R"({"te": {"amax_compute_algo": "max"}})", {});
    row("most_recent is written and has no effect", R"({"te": {}})", {"most_recent has no effect"});
    row("layer rules",
        R"({"te": {"amax_compute_algo": "max"}, "layers": {"rules": [{"match": "lm_head", "keep": true}]}})",
        {"Layer rules (1)"});
    row("another base", R"({"te": {"amax_compute_algo": "max"}, "layers": {"base": "all"}})", {"layers.base all"});
    row("documented semantics with an interval",
        R"({"semantics": "documented", "te": {"amax_compute_algo": "max", "interval": 4}})",
        {"semantics documented", "interval 4"});
    row("FSDP2", R"({"target": {"parallel": "fsdp2"}, "te": {"amax_compute_algo": "max"}})", {"FSDP2"});
}

void TstAccelerateKwargs::exportsSayWhatTheyLeaveOut() {
    QFETCH(QByteArray, json);
    QFETCH(QStringList, facts);
    Json text = parseJson(json.toStdString(), "row").value();
    text["octet_recipe"] = 1;
    const Recipe recipe = recipeFromJson(text, "row").value().recipe;
    const auto kwargs = exportRecipe(recipe, "accelerate-kwargs");
    QVERIFY(kwargs.ok());
    QCOMPARE(qsizetype(kwargs->leftOut.size()), facts.size());
    for (const QString& fact : facts)
        QVERIFY2(joined(kwargs->leftOut).contains(fact), qPrintable(joined(kwargs->leftOut) + fact));
    const auto whole = exportRecipe(recipe, "octet-json");
    QVERIFY(whole.ok() && whole->leftOut.empty());
    QVERIFY(recipeFromJson(parseJson(whole->text, "x").value(), "x").value().recipe == recipe);
}

void TstAccelerateKwargs::exportsAreRefused_data() {
    QTest::addColumn<QByteArray>("json");
    QTest::addColumn<QString>("target");
    QTest::addColumn<QStringList>("facts");
    const auto row = [](const char* name, const char* json, const char* target, const QStringList& facts) {
        QTest::newRow(name) << QByteArray(json) << target << facts;
    };
    row("an unknown target names the nearest", "{}", "accelerate-kwarg",
        {"accelerate-kwarg", "octet-json", "Did you mean \"accelerate-kwargs\""});
    row("a baseline has no kwargs", R"({"backend": "none"})", "accelerate-kwargs", {"baseline", "octet-json"});
    row("a torchao recipe by name", R"({"backend": "AO", "ao": {"config": "rowwise"}})", "accelerate-kwargs",
        {"rowwise"});
    row("native recipes are out of reach", R"({"backend": "native"})", "accelerate-kwargs", {"cannot reach"});
    row("E5M2", R"({"te": {"fp8_format": "E5M2"}})", "accelerate-kwargs", {"Transformer Engine refuses", "E5M2"});
    row("E5M2 as documented", R"({"semantics": "documented", "te": {"fp8_format": "E5M2"}})", "accelerate-kwargs",
        {"E5M2"});
}

void TstAccelerateKwargs::exportsAreRefused() {
    QFETCH(QByteArray, json);
    QFETCH(QString, target);
    QFETCH(QStringList, facts);
    Json text = parseJson(json.toStdString(), "row").value();
    text["octet_recipe"] = 1;
    const auto exported = exportRecipe(recipeFromJson(text, "row").value().recipe, target.toStdString());
    QVERIFY(!exported.ok());
    QCOMPARE(exitCodeFor(exported.error().code), 2);
    for (const QString& fact : facts) {
        QVERIFY2(said(exported.error()).contains(fact), qPrintable(said(exported.error()) + " lacks " + fact));
    }
}

QTEST_APPLESS_MAIN(TstAccelerateKwargs)
#include "tst_accelerate_kwargs.moc"
