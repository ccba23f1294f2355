// SPDX-License-Identifier: Apache-2.0
// Export to every form, and back: the same recipe where the form is Octet's or carries it, the same effective recipe
// where it is Accelerate's.
#include <QTest>

#include "engine/core/yaml.h"
#include "engine/recipe/effective.h"
#include "engine/recipe/export.h"
#include "engine/recipe/import.h"
#include "engine/recipe/lint.h"
#include "engine/recipe/schema.h"
#include "tests/recipe/recipe_text.h"

using namespace octet;
using namespace octet::recipe;
using octet::tests::recipeOf;

namespace {

QString textOf(const Recipe& recipe, const char* target) {
    const auto exported = exportRecipe(recipe, target);
    return exported ? QString::fromStdString(exported->text)
                    : QString::fromStdString(exported.error().message + " " + exported.error().hint);
}

/// What runs, field by field, whatever was passed on the way.
QString running(Recipe recipe, const Target& target) {
    recipe.target = target;
    QString text;
    const EffectiveRecipe effective = effectiveRecipe(recipe);
    text += QString::fromStdString(effective.runs) + "\n";
    for (const EffectiveField& field : effective.fields) {
        if (field.key != "ao.config") text += QString::fromStdString(field.key + "=" + field.effective) + "\n";
    }
    return text;
}

const std::pair<const char*, const char*> kRecipes[] = {
    {"te with everything", R"({"backend": "TE", "name": "all", "te": {"fp8_format": "E4M3", "margin": 2, "interval": 4,
      "amax_history_len": 32, "amax_compute_algo": "max", "override_linear_precision": [false, false, true],
      "use_autocast_during_eval": true}})"},
    {"te defaults", R"({"backend": "TE", "name": "plain", "te": {}})"},
    {"mxfp8", R"({"backend": "TE", "name": "mx", "target": {"compute_capability": "10.0"},
      "te": {"use_mxfp8_block_scaling": true, "margin": 1}})"},
    {"te with rules", R"({"backend": "TE", "name": "ruled", "te": {"margin": 1}, "layers": {"rules": [
      {"match": "lm_head", "keep": true, "why": "the last"}, {"match": "re:layers\\.(0|3)\\.", "gemms": {"wgrad": "high"}},
      {"match": "*.mlp.*", "gemms": {"dgrad": "high", "wgrad": "high"}}]}})"},
    {"ao by its switches",
     R"({"backend": "AO", "name": "ao", "ao": {"pad_inner_dim": true, "enable_fsdp_float8_all_gather": false}})"},
    {"ao tensorwise by name", R"({"backend": "AO", "name": "ten", "ao": {"config": "tensorwise"}})"},
    {"ao rowwise", R"({"backend": "AO", "name": "row", "ao": {"config": "rowwise"}})"},
    {"ao of its own", R"({"backend": "AO", "name": "own", "ao": {"config": "custom", "float8": {
      "cast_config_input": "dyn_axs_e4m3", "cast_config_weight": "dyn_axs_e4m3", "cast_config_grad_output": "dyn_axs_e5m2",
      "cast_config_input_for_grad_weight": "disabled", "cast_config_grad_output_for_grad_weight": "disabled",
      "use_fast_accum": [true, true, false], "round_scales_to_power_of_2": true}}})"},
    {"ao with a filter", R"({"backend": "AO", "name": "filtered", "ao": {"enable_fsdp_float8_all_gather": false},
      "layers": {"base": "torchao_auto", "filter_fqns": ["output"], "num_layers_at_start_in_bf16": 1,
      "rules": [{"match": "*.gate", "keep": true}]}})"},
    {"current scaling", R"({"backend": "native", "name": "cur", "native": {"recipe": "Float8CurrentScaling",
      "use_power_2_scales": true, "amax_epsilon": 1e-6, "use_fast_accum": [true, true, false]}})"},
    {"block scaling",
     R"({"backend": "native", "name": "blk", "native": {"recipe": "Float8BlockScaling", "use_f32_scales": true}})"},
    {"mx natively", R"({"backend": "native", "name": "mxn", "native": {"recipe": "MXFP8BlockScaling",
      "enable_2d_quantization": true, "backward_override": "dequantized"}})"},
    {"the baseline", R"({"backend": "none", "name": "base"})"},
};

}  // namespace

class TstExchange : public QObject {
    Q_OBJECT

private slots:
    void exportThenImportGivesTheSame_data();
    void exportThenImportGivesTheSame();
    void formsAreRefusedWhereTheyCannotSayIt_data();
    void formsAreRefusedWhereTheyCannotSayIt();
    void textsHoldWhatTheLibraryReads_data();
    void textsHoldWhatTheLibraryReads();
    void writtenFilesHaveNoErrors();
    void anEditedPythonFileIsRefused();
    void namesCannotBreakOut();
    void otherFilesAreRefused_data();
    void otherFilesAreRefused();
};

void TstExchange::exportThenImportGivesTheSame_data() {
    QTest::addColumn<QByteArray>("json");
    QTest::addColumn<QByteArray>("target");
    for (const auto& [name, json] : kRecipes) {
        for (const ExportTarget& target : exportTargets())
            QTest::addRow("%s to %s", name, target.name) << QByteArray(json) << QByteArray(target.name);
    }
}

void TstExchange::exportThenImportGivesTheSame() {
    QFETCH(QByteArray, json);
    QFETCH(QByteArray, target);
    const Recipe recipe = recipeOf(json);
    const auto exported = exportRecipe(recipe, target.toStdString());
    if (!exported) {
        QCOMPARE(exported.error().code, ErrorCode::Refused);
        QVERIFY(!exported.error().hint.empty());
        return;
    }
    const auto back = importRecipe(exported->text, "file");
    QVERIFY2(back.ok(), back.ok() ? "" : (back.error().message + "\n" + exported->text).c_str());
    Recipe same = back->recipe;
    const bool whole =
        target == "octet-json" || target == "python" || target == "torchao" || target == "te" || target == "nvdlfw";
    if (whole) {
        QVERIFY(same == recipe);
        return;
    }
    same.layers = recipe.layers;
    QCOMPARE(running(same, recipe.target), running(recipe, recipe.target));
}

void TstExchange::formsAreRefusedWhereTheyCannotSayIt_data() {
    QTest::addColumn<QByteArray>("json");
    QTest::addColumn<QByteArray>("target");
    QTest::addColumn<QStringList>("facts");
    const auto row = [](const char* name, const char* json, const char* target, const QStringList& facts) {
        QTest::newRow(name) << QByteArray(json) << QByteArray(target) << facts;
    };
    row("rowwise in a file", R"({"backend": "AO", "ao": {"config": "rowwise"}})", "accelerate-yaml",
        {"cannot carry ao.config rowwise", "--to python"});
    row("native in a file", R"({"backend": "native"})", "accelerate-json", {"cannot reach", "--to te"});
    row("E5M2", R"({"te": {"fp8_format": "E5M2"}})", "python", {"refuses fp8_format E5M2"});
    row("torchao for TE", R"({"te": {}})", "torchao", {"backend is TE", "--to te"});
    row("TE for torchao", R"({"backend": "AO"})", "te", {"backend is AO", "--to torchao"});
    row("inspect without rules", R"({"te": {}})", "nvdlfw", {"No layer rule", "--to te"});
    row("inspect for torchao", R"({"backend": "AO"})", "nvdlfw", {"Transformer Engine's layers only"});
    row("rowwise all-gather",
        R"({"backend": "AO", "ao": {"config": "custom", "float8": {"cast_config_weight": "dyn_axs_e4m3",
        "enable_fsdp_float8_all_gather": true}}})",
        "torchao", {"tensorwise weights"});
}

void TstExchange::formsAreRefusedWhereTheyCannotSayIt() {
    QFETCH(QByteArray, json);
    QFETCH(QByteArray, target);
    QFETCH(QStringList, facts);
    const auto exported = exportRecipe(recipeOf(json), target.toStdString());
    QVERIFY(!exported.ok());
    QCOMPARE(exitCodeFor(exported.error().code), 2);
    const QString said = QString::fromStdString(exported.error().message + " " + exported.error().hint);
    for (const QString& fact : facts)
        QVERIFY2(said.contains(fact), qPrintable(said + " lacks " + fact));
}

void TstExchange::textsHoldWhatTheLibraryReads_data() {
    QTest::addColumn<QByteArray>("json");
    QTest::addColumn<QByteArray>("target");
    QTest::addColumn<QStringList>("facts");
    const auto row = [](const char* name, const char* json, const char* target, const QStringList& facts) {
        QTest::newRow(name) << QByteArray(json) << QByteArray(target) << facts;
    };
    row("YAML", R"({"te": {"override_linear_precision": [false, false, true]}})", "accelerate-yaml",
        {"distributed_type: \"NO\"\n", "num_processes: 1\n", "mixed_precision: fp8\n", "  backend: TE\n",
         "  override_linear_precision: [false, false, true]\n"});
    row("FSDP2", R"({"backend": "AO", "target": {"parallel": "fsdp2"}, "ao": {}})", "accelerate-yaml",
        {"distributed_type: FSDP\n", "  fsdp_version: 2\n", "  fsdp_cpu_ram_efficient_loading: false\n", "INDUCTOR"});
    row("Python", R"({"te": {"margin": 2}})", "python",
        {"TERecipeKwargs(margin=2)", "mixed_precision=\"fp8\", kwargs_handlers=", "has_transformer_engine_layers"});
    row("a tuple in Python", R"({"te": {"override_linear_precision": [false, false, true]}})", "python",
        {"override_linear_precision=(False, False, True)"});
    row("rowwise in Python", R"({"backend": "AO", "ao": {"config": "rowwise"}})", "python",
        {"AORecipeKwargs(config=float8_config())", "from_recipe_name(\"rowwise\")", "has_ao_layers"});
    row("a rule in Python",
        R"({"backend": "AO", "ao": {"enable_fsdp_float8_all_gather": false}, "layers": {"rules": [{"match": "lm_head", "keep": true}]}})",
        "python", {"module_filter_func=make_filter(model)", "(\"lm_head\", \"high\")"});
    row("current scaling",
        R"({"backend": "native", "native": {"recipe": "Float8CurrentScaling", "use_power_2_scales": true}})", "te",
        {"recipe.fp8_quant_fwd_inp = QParams(power_2_scale=True, amax_epsilon=0.0)"});
    row("delayed scaling", R"({"te": {"amax_history_len": 16}})", "te",
        {"DelayedScaling(margin=0, fp8_format=Format.HYBRID, amax_history_len=16, amax_compute_algo=\"max\")"});
    row("inspect excludes what an earlier rule took",
        R"({"te": {}, "layers": {"rules": [{"match": "lm_head", "keep": true}, {"match": "*.mlp.*", "gemms": {"wgrad": "high"}}]}})",
        "nvdlfw",
        {"DisableQuantizationLayer", "layer_name_regex_pattern: '(?:.*\\.)?lm_head'",
         "'(?!(?:(?:.*\\.)?lm_head)$)(?:.*\\.)?.*\\.mlp\\..*'", "gemms: [wgrad]"});
    row("inspect before 2.14",
        R"({"target": {"transformer_engine": "2.10"}, "te": {}, "layers": {"rules": [{"match": "lm_head", "keep": true}]}})",
        "nvdlfw", {"DisableFP8Layer"});
}

void TstExchange::textsHoldWhatTheLibraryReads() {
    QFETCH(QByteArray, json);
    QFETCH(QByteArray, target);
    QFETCH(QStringList, facts);
    const QString text = textOf(recipeOf(json), target.constData());
    for (const QString& fact : facts)
        QVERIFY2(text.contains(fact), qPrintable(text + " lacks " + fact));
}

void TstExchange::writtenFilesHaveNoErrors() {
    for (const auto& [name, json] : kRecipes) {
        const Recipe recipe = recipeOf(json);
        for (const char* target : {"accelerate-yaml", "accelerate-json", "nvdlfw"}) {
            const auto exported = exportRecipe(recipe, target);
            if (!exported) continue;
            const LintReport report = lintText(exported->text, "file", recipe.target);
            std::string why = exported->text;
            for (const LintFinding& finding : report.findings)
                why += finding.message + "\n";
            QVERIFY2(!report.hasErrors(), why.c_str());
        }
    }
}

void TstExchange::anEditedPythonFileIsRefused() {
    const std::string text = exportRecipe(recipeOf(kRecipes[0].second), "python")->text;
    std::string crlf = text;
    for (size_t at = 0; (at = crlf.find('\n', at)) != std::string::npos; at += 2)
        crlf.insert(at, "\r");
    QVERIFY(importRecipe(crlf, "file").ok());
    std::string edited = text;
    edited.replace(edited.find("margin=2"), 8, "margin=3");
    const auto back = importRecipe(edited, "a.py");
    QVERIFY(!back.ok());
    QVERIFY(back.error().message.find("changed after Octet wrote it") != std::string::npos);
}

void TstExchange::namesCannotBreakOut() {
    Recipe recipe = recipeOf(R"({"te": {}, "layers": {"rules": [{"match": "a", "keep": true, "why": "x"}]}})");
    recipe.name = "a\"\"\"\nimport os\n# b: \xEC\x98\xA5\xED\x85\x9F";
    recipe.layers.rules[0].why = "line\nimport os";
    for (const ExportTarget& target : exportTargets()) {
        const auto exported = exportRecipe(recipe, target.name);
        QVERIFY2(!exported || exported->text.find("\nimport os") == std::string::npos, target.name);
        if (!exported) continue;
        const auto back = importRecipe(exported->text, "file");
        QVERIFY2(back.ok(), back.ok() ? "" : back.error().message.c_str());
    }
}

void TstExchange::otherFilesAreRefused_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QStringList>("facts");
    const auto row = [](const char* name, const QByteArray& text, const QStringList& facts) {
        QTest::newRow(name) << text << facts;
    };
    row("some YAML", "a: 1\n", {"is no recipe", "fp8_config"});
    row("nothing", "", {"is no recipe"});
    row("MS-AMP", "distributed_type: \"NO\"\nmixed_precision: fp8\nfp8_config:\n  backend: MSAMP\n", {"unmaintained"});
    row("a lower-case backend", "distributed_type: \"NO\"\nmixed_precision: fp8\nfp8_config:\n  backend: te\n",
        {"capital letters"});
    row("an inspect file", "a:\n  layers:\n    layer_types: [x]\n", {"nvdlfw_inspect"});
    row("unknown arguments", R"({"margin": 1, "amax_history_length": 3})", {"amax_history_len"});
}

void TstExchange::otherFilesAreRefused() {
    QFETCH(QByteArray, text);
    QFETCH(QStringList, facts);
    const auto imported = importRecipe(text.toStdString(), "file");
    QVERIFY(!imported.ok());
    const QString said = QString::fromStdString(imported.error().message + " " + imported.error().hint);
    for (const QString& fact : facts)
        QVERIFY2(said.contains(fact), qPrintable(said + " lacks " + fact));
}

QTEST_APPLESS_MAIN(TstExchange)
#include "tst_exchange.moc"
