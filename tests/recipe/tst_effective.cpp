// SPDX-License-Identifier: Apache-2.0
// What runs of each field, by version, GPU and way of running.
#include <QTest>

#include "engine/recipe/effective.h"
#include "engine/recipe/library_versions.h"
#include "engine/recipe/recipe_json.h"
#include "engine/recipe/schema.h"
#include "tests/recipe/recipe_text.h"

using namespace octet;
using namespace octet::recipe;
using octet::tests::recipeOf;

class TstEffective : public QObject {
    Q_OBJECT

private slots:
    void aFieldHasItsFate_data();
    void aFieldHasItsFate();
    void theWholeRecipeIsReported_data();
    void theWholeRecipeIsReported();
    void everyFieldOfEveryPresetIsExplained();
    void versionsCompareByNumber();
    void everyVersionRuleHasItsBounds();
    void jsonHasLayersAndGemms();
    void runsKeepWhatTheTargetRuns();
};

void TstEffective::aFieldHasItsFate_data() {
    QTest::addColumn<QByteArray>("json");
    QTest::addColumn<QByteArray>("key");
    QTest::addColumn<QByteArray>("fate");
    QTest::addColumn<QByteArray>("passed");
    QTest::addColumn<QByteArray>("effective");
    QTest::addColumn<QByteArray>("says");
    const auto row = [](const char* name, const char* json, const char* key, const char* fate, const char* passed,
                        const char* effective, const char* says) {
        QTest::newRow(name) << QByteArray(json) << QByteArray(key) << QByteArray(fate) << QByteArray(passed)
                            << QByteArray(effective) << QByteArray(says);
    };
    row("a margin is passed on", R"({"te": {"margin": 2}})", "te.margin", "used", "2", "2", "");
    row("a margin of 0 is the default", R"({"te": {}})", "te.margin", "default", "", "0", "not passed on");
    row("most_recent is dropped and max runs", R"({"te": {}})", "te.amax_compute_algo", "dropped", "", "max",
        "never passed on");
    row("max is passed on", R"({"te": {"amax_compute_algo": "max"}})", "te.amax_compute_algo", "used", "max", "max",
        "");
    row("HYBRID is the default", R"({"te": {}})", "te.fp8_format", "default", "", "HYBRID", "");
    row("HYBRID with MXFP8 is dropped",
        R"({"target": {"compute_capability": "10.0"}, "te": {"use_mxfp8_block_scaling": true}})", "te.fp8_format",
        "dropped", "", "E4M3", "MXFP8 runs E4M3");
    row("MXFP8 has no history",
        R"({"target": {"compute_capability": "10.0"}, "te": {"use_mxfp8_block_scaling": true}})", "te.amax_history_len",
        "default", "", "", "");
    row("MXFP8 on Hopper", R"({"te": {"use_mxfp8_block_scaling": true}})", "te.use_mxfp8_block_scaling", "refused", "",
        "", "10.0 up to below 12.0");
    row("MXFP8 on a consumer Blackwell",
        R"({"target": {"compute_capability": "12.0"}, "te": {"use_mxfp8_block_scaling": true}})",
        "te.use_mxfp8_block_scaling", "refused", "", "", "12.0");
    row("MXFP8 with max",
        R"({"target": {"compute_capability": "10.0"}, "te": {"use_mxfp8_block_scaling": true, "amax_compute_algo": "max"}})",
        "te.amax_compute_algo", "refused", "", "", "together with");
    row("E5M2", R"({"te": {"fp8_format": "E5M2"}})", "te.fp8_format", "refused", "E5M2", "", "refuses fp8_format E5M2");
    row("an interval on TE 2.20", R"({"te": {"interval": 4}})", "te.interval", "ignored", "4", "1", "since 2.2");
    row("an interval on TE 2.1", R"({"target": {"transformer_engine": "2.1"}, "te": {"interval": 4}})", "te.interval",
        "ignored", "4", "1", "stores it, warns");
    row("an override", R"({"te": {"override_linear_precision": [false, false, true]}})", "te.override_linear_precision",
        "ignored", "false,false,true", "false,false,false", "wgrad too");
    row("FSDP2 runs nothing", R"({"target": {"parallel": "fsdp2"}, "te": {"margin": 2}})", "te.margin", "ignored", "",
        "", "never enters");
    row("DeepSpeed runs defaults", R"({"target": {"parallel": "deepspeed"}, "te": {"margin": 2}})", "te.margin",
        "overridden", "", "0", "FP8RecipeKwargs");
    row("DeepSpeed runs the default all the same", R"({"target": {"parallel": "deepspeed"}, "te": {}})", "te.margin",
        "default", "", "0", "");
    row("AO all-gather outside FSDP2", R"({"backend": "AO", "ao": {}})", "ao.enable_fsdp_float8_all_gather", "used",
        "true", "true", "optimizer does not hold");
    row("AO all-gather under FSDP2", R"({"backend": "AO", "target": {"parallel": "fsdp2"}, "ao": {}})",
        "ao.enable_fsdp_float8_all_gather", "used", "true", "true", "");
    row("AO switches beside a named config", R"({"backend": "AO", "ao": {"config": "rowwise"}})", "ao.pad_inner_dim",
        "ignored", "", "false", "without a config");
    row("rowwise rounds scales", R"({"backend": "AO", "ao": {"config": "rowwise"}})",
        "ao.float8.round_scales_to_power_of_2", "default", "", "true", "custom");
    row("a custom cast",
        R"({"backend": "AO", "ao": {"config": "custom", "float8": {"cast_config_grad_output": "dyn_ten_e4m3"}}})",
        "ao.float8.cast_config_grad_output_for_grad_weight", "default", "", "dyn_ten_e4m3", "");
    row("a refused cast",
        R"({"backend": "AO", "ao": {"config": "custom", "float8": {"cast_config_input": "disabled"}}})",
        "ao.float8.cast_config_input", "refused", "disabled", "disabled", "incompatible operand precision");
    row("native format default", R"({"backend": "native", "native": {"recipe": "Float8BlockScaling"}})",
        "native.fp8_format", "default", "", "E4M3", "");
    row("power-of-two scales by environment",
        R"({"backend": "native", "native": {"recipe": "Float8CurrentScaling", "use_power_2_scales": true}})",
        "native.use_power_2_scales", "used", "true", "true", "NVTE_FP8_CURRENT_SCALING_POWER_2_SCALES");
    row("a field of another class",
        R"({"backend": "native", "native": {"recipe": "Float8BlockScaling", "use_power_2_scales": true}})",
        "native.use_power_2_scales", "ignored", "", "", "no such field");
    row("torchao's MX rounding in TE",
        R"({"backend": "native", "native": {"recipe": "MXFP8BlockScaling", "mx_scale_mode": "rceil"}})",
        "native.mx_scale_mode", "overridden", "", "te", "rounds up exactly");
}

void TstEffective::aFieldHasItsFate() {
    QFETCH(QByteArray, json);
    QFETCH(QByteArray, key);
    QFETCH(QByteArray, fate);
    QFETCH(QByteArray, passed);
    QFETCH(QByteArray, effective);
    QFETCH(QByteArray, says);
    const EffectiveRecipe resolved = effectiveRecipe(recipeOf(json));
    const EffectiveField* field = fieldIn(resolved, key.toStdString());
    QVERIFY(field);
    QCOMPARE(QByteArray(fateName(field->fate)), fate);
    QCOMPARE(QByteArray::fromStdString(field->passed), passed);
    QCOMPARE(QByteArray::fromStdString(field->effective), effective);
    QVERIFY2(QByteArray::fromStdString(field->reason).contains(says), field->reason.c_str());
    const bool lost = fate == "dropped" || fate == "ignored" || fate == "overridden";
    QCOMPARE(noEffectSentence(*field).empty(), !lost);
}

void TstEffective::theWholeRecipeIsReported_data() {
    QTest::addColumn<QByteArray>("json");
    QTest::addColumn<QByteArray>("runs");
    QTest::addColumn<QByteArray>("report");
    const auto row = [](const char* name, const char* json, const char* runs, const char* report) {
        QTest::newRow(name) << QByteArray(json) << QByteArray(runs) << QByteArray(report);
    };
    row("delayed scaling", R"({"te": {"amax_history_len": 16}})",
        "DelayedScaling(margin=0, fp8_format=HYBRID, amax_history_len=16, amax_compute_algo=max", "");
    row("TE 1.13", R"({"target": {"transformer_engine": "1.13"}})", "", "");
    row("no FP8 below 8.9", R"({"target": {"compute_capability": "8.0"}})", "DelayedScaling", "fp16");
    row("FSDP2", R"({"target": {"parallel": "fsdp2"}})", "no FP8", "FSDP2 swaps the layers");
    row("Accelerate before MXFP8",
        R"({"target": {"accelerate": "1.10.0", "compute_capability": "10.0"}, "te": {"use_mxfp8_block_scaling": true}})",
        "MXFP8BlockScaling", "since 1.11");
    row("torchao under FSDP", R"({"backend": "AO", "target": {"parallel": "fsdp2"}, "ao": {}})", "Float8LinearConfig",
        "fsdp_cpu_ram_efficient_loading");
    row("torchao rowwise before 0.9",
        R"({"backend": "AO", "target": {"torchao": "0.8.0"}, "ao": {"config": "rowwise"}})", "Float8LinearConfig",
        "powers of two");
    row("block scaling before 2.3",
        R"({"backend": "native", "target": {"transformer_engine": "2.2"}, "native": {"recipe": "Float8BlockScaling"}})",
        "Float8BlockScaling", "since 2.3");
    row("native is out of Accelerate's reach", R"({"backend": "native"})", "Float8CurrentScaling",
        "te.autocast itself");
    row("the baseline", R"({"backend": "none"})", "BF16", "");
}

void TstEffective::theWholeRecipeIsReported() {
    QFETCH(QByteArray, json);
    QFETCH(QByteArray, runs);
    QFETCH(QByteArray, report);
    const EffectiveRecipe resolved = effectiveRecipe(recipeOf(json));
    QCOMPARE(resolved.refusal.has_value(), runs.isEmpty());
    QVERIFY2(QByteArray::fromStdString(resolved.runs).contains(runs), resolved.runs.c_str());
    QByteArray reports;
    for (const TargetReport& one : resolved.reports) {
        reports += QByteArray::fromStdString(one.sentence) + "\n";
        QVERIFY2(!one.source.empty(), one.sentence.c_str());
        QVERIFY2(one.sentence.ends_with("."), one.sentence.c_str());
    }
    QVERIFY2(reports.contains(report), reports.constData());
}

void TstEffective::everyFieldOfEveryPresetIsExplained() {
    for (const Preset& preset : presets()) {
        const EffectiveRecipe resolved = effectiveRecipe(preset.recipe);
        QVERIFY2(!resolved.runs.empty() || resolved.refusal, preset.name.c_str());
        for (const EffectiveField& field : resolved.fields) {
            const std::string where = preset.name + ": " + field.key;
            QVERIFY2(field.fate == FieldFate::Used || !field.reason.empty(), where.c_str());
            QVERIFY2(!field.reason.ends_with("."), where.c_str());
            const bool lost = !noEffectSentence(field).empty();
            QVERIFY2(!lost || !field.source.empty(), where.c_str());
        }
    }
}

void TstEffective::versionsCompareByNumber() {
    QVERIFY(isBefore("2.2", "2.18"));
    QVERIFY(isBefore("1.9.0", "1.15.0"));
    QVERIFY(!isBefore("2.2.0", "2.2"));
    QVERIFY(!isBefore("1.15.0.dev0", "1.15.0"));
    QVERIFY(isBefore("0.6", "0.6.1"));
}

void TstEffective::everyVersionRuleHasItsBounds() {
    for (const VersionRule& rule : versionRules()) {
        QVERIFY(&ruleFor(rule.fact) == &rule);
        QVERIFY(*rule.what && *rule.source && (*rule.from || *rule.before));
        Target target;
        std::string& version = rule.library == Library::Accelerate          ? target.accelerate
                               : rule.library == Library::TransformerEngine ? target.transformerEngine
                                                                            : target.torchao;
        if (*rule.from) {
            version = rule.from;
            QVERIFY2(holds(rule.fact, target), rule.what);
            version = "0.1";
            QVERIFY2(!holds(rule.fact, target), rule.what);
        }
        if (*rule.before) {
            version = rule.before;
            QVERIFY2(!holds(rule.fact, target), rule.what);
        }
    }
}

void TstEffective::jsonHasLayersAndGemms() {
    const Recipe recipe = recipeOf(R"({"backend": "AO", "ao": {"config": "none"}})");
    const auto plan = planTraining(recipe, arch::listModules(arch::parseModelSpec("mlp").value()));
    QVERIFY(plan.ok());
    const Json json = effectiveJson(recipe, effectiveRecipe(recipe), &*plan);
    QVERIFY(json["layers"].size() >= 3);
    const Json& middle = json["layers"][1];
    QCOMPARE(middle["gemms"]["fprop"]["a"]["format"].get<std::string>(), std::string("E4M3"));
    QCOMPARE(middle["gemms"]["wgrad"]["a"]["format"].get<std::string>(), std::string("E5M2"));
    QCOMPARE(middle["gemms"]["fprop"]["accumulation"].get<std::string>(), std::string("fast"));
    QVERIFY(middle["gemms"]["wgrad"]["padding"].get<std::string>().find("multiple of 16") != std::string::npos);
    QVERIFY(json["target"]["accelerate"] == "1.15.0");
    QVERIFY(json["refusal"].is_null());
}

void TstEffective::runsKeepWhatTheTargetRuns() {
    const Json kept = onTargetJson(recipeOf(R"({"te": {"interval": 4}})"));
    QVERIFY(kept["runs"].get<std::string>().starts_with("DelayedScaling("));
    QVERIFY(kept["te.interval"] == "1");
    QVERIFY(kept["te.amax_compute_algo"] == "max");
}

QTEST_APPLESS_MAIN(TstEffective)
#include "tst_effective.moc"
