// SPDX-License-Identifier: Apache-2.0
// From recipe to training: refusals, notes, and how the operands of every GEMM are cast.
#include <QtTest>

#include "engine/recipe/recipe_json.h"
#include "engine/recipe/schema.h"
#include "engine/recipe/training_plan.h"
#include "tests/recipe/planned_recipes.h"

using namespace octet;
using namespace octet::recipe;
using namespace octet::tests;

class TstTrainingPlan : public QObject {
    Q_OBJECT

private slots:
    void recipesAreRefused_data();
    void recipesAreRefused();
    void notesSayWhatDoesNotHappen_data();
    void notesSayWhatDoesNotHappen();
    void presetsTrainWithoutNotes();
    void presetsPlanTheirCasts_data();
    void presetsPlanTheirCasts();
    void accelerateReachesMxfp8();
    void customTorchaoConfigIsPlanned();
    void nativeSettingsReachTheCasts();
    void backwardOverrideKeepsBackwardOutOfFp8();
    void rulesChangeFormatAndScaling();
    void torchaoSkipsFirstAndLast();
    void mxNeedsMultiplesOf32();
    void documentedFieldsTakeEffect();
    void e5m2TrainsAsDocumented();
    void baselineKeepsEveryLayer();
};

void TstTrainingPlan::recipesAreRefused_data() {
    QTest::addColumn<QByteArray>("json");
    QTest::addColumn<QStringList>("facts");
    const auto row = [](const char* name, const char* json, const QStringList& facts) {
        QTest::newRow(name) << QByteArray(json) << facts;
    };
    row("E5M2 under library names Transformer Engine and documented (C216 e)", R"({"te": {"fp8_format": "E5M2"}})",
        {"Transformer Engine refuses", "E5M2", "documented"});
    row("MXFP8 on Hopper is refused by Accelerate (C216 f)", R"({"te": {"use_mxfp8_block_scaling": true}})",
        {"Accelerate refuses", "9.0", "10.0"});
    row("MXFP8 on consumer Blackwell",
        R"({"target": {"compute_capability": "12.0"}, "te": {"use_mxfp8_block_scaling": true}})",
        {"Accelerate refuses", "12.0"});
    row("MXFP8 with max on Blackwell",
        R"({"target": {"compute_capability": "10.0"}, "te": {"use_mxfp8_block_scaling": true, "amax_compute_algo": "max"}})",
        {"Accelerate refuses", "amax_compute_algo"});
    row("MXFP8 with a short history on Blackwell",
        R"({"target": {"compute_capability": "10.0"}, "te": {"use_mxfp8_block_scaling": true, "amax_history_len": 16}})",
        {"Accelerate refuses", "amax_history_len 16", "1024"});
    row("E5M2 in a native recipe", R"({"backend": "native", "native": {"fp8_format": "E5M2"}})",
        {"Transformer Engine refuses", "E5M2"});
    row("all-gather with rowwise weights (C216)",
        R"({"backend": "AO", "ao": {"config": "custom", "float8": {"cast_config_weight": "dyn_axs_e4m3",
            "enable_fsdp_float8_all_gather": true}}})",
        {"torchao refuses", "all_gather", "dyn_axs_e4m3", "tensorwise"});
    row("one operand of a GEMM disabled",
        R"({"backend": "AO", "ao": {"config": "custom", "float8": {"cast_config_input": "disabled"}}})",
        {"torchao refuses", "output GEMM", "cast_config_input is disabled", "cast_config_weight is dyn_ten_e4m3"});
    row("one operand of grad_weight disabled",
        R"({"backend": "AO", "ao": {"config": "custom",
            "float8": {"cast_config_grad_output_for_grad_weight": "disabled"}}})",
        {"torchao refuses", "grad_weight GEMM"});
    row("two types for one operand",
        R"({"backend": "AO", "ao": {"config": "custom", "float8": {"cast_config_input": "dyn_axs_e4m3",
            "cast_config_input_for_grad_weight": "dyn_axs_e5m2"}}})",
        {"torchao refuses", "two types", "dyn_axs_e5m2"});
    row("an old Transformer Engine", R"({"target": {"transformer_engine": "1.13"}})", {"1.13", "2.0"});
}

void TstTrainingPlan::recipesAreRefused() {
    QFETCH(QByteArray, json);
    QFETCH(QStringList, facts);
    Json text = parseJson(json.toStdString(), "row").value();
    text["octet_recipe"] = 1;
    const auto plan = planTraining(recipeFromJson(text, "row").value().recipe, llama());
    QVERIFY(!plan.ok());
    QCOMPARE(plan.error().code, ErrorCode::Refused);
    for (const QString& fact : facts)
        QVERIFY2(said(plan.error()).contains(fact), qPrintable(said(plan.error()) + " lacks " + fact));
}

void TstTrainingPlan::notesSayWhatDoesNotHappen_data() {
    QTest::addColumn<QByteArray>("json");
    QTest::addColumn<QStringList>("facts");
    const auto row = [](const char* name, const char* json, const QStringList& facts) {
        QTest::newRow(name) << QByteArray(json) << facts;
    };
    row("most_recent never arrives (C216 a)", R"({"te": {"amax_history_len": 16}})", {"most_recent", "max"});
    row("interval is ignored (C216 d)", R"({"te": {"amax_compute_algo": "max", "interval": 16}})",
        {"interval 16", "2.2"});
    row("interval is stored by an older version",
        R"({"target": {"transformer_engine": "2.1"}, "te": {"amax_compute_algo": "max", "interval": 16}})",
        {"2.1 stores it"});
    row("the override is ignored (C216 d)",
        R"({"te": {"amax_compute_algo": "max", "override_linear_precision": [false, true, true]}})",
        {"override_linear_precision", "dgrad and wgrad", "layer rule"});
    row("documented says what the library would do",
        R"({"semantics": "documented", "te": {"amax_compute_algo": "max", "interval": 4}})",
        {"Trains as documented", "interval 4"});
    row("FSDP2 stops FP8 on the target", R"({"target": {"parallel": "fsdp2"}, "te": {"amax_compute_algo": "max"}})",
        {"FSDP2"});
    row("DeepSpeed ignores the settings",
        R"({"target": {"parallel": "deepspeed"}, "te": {"amax_compute_algo": "max"}})", {"DeepSpeed"});
    row("an old GPU trains in fp16", R"({"target": {"compute_capability": "8.0"}, "te": {"amax_compute_algo": "max"}})",
        {"8.0", "fp16"});
    row("all-gather outside FSDP2 loses the weights", R"({"backend": "AO"})", {"all_gather", "optimizer"});
    row("MXFP8 as documented on Hopper says what the library would do",
        R"({"semantics": "documented", "te": {"use_mxfp8_block_scaling": true, "fp8_format": "E4M3"}})",
        {"Trains as documented", "Accelerate refuses", "9.0"});
    row("MXFP8 on Hopper is emulated", R"({"backend": "native", "native": {"recipe": "MXFP8BlockScaling"}})",
        {"9.0", "10.0 up to below 12.0", "emulates"});
    row("block scaling on Ada",
        R"({"backend": "native", "target": {"compute_capability": "8.9"}, "native": {"recipe": "Float8BlockScaling"}})",
        {"8.9", "Float8BlockScaling needs 9.0"});
    row("a field of another native recipe",
        R"({"backend": "native", "native": {"recipe": "Float8BlockScaling", "use_power_2_scales": true}})",
        {"use_power_2_scales has no effect", "Float8BlockScaling"});
    row("a torchao scale mode is not Transformer Engine's",
        R"({"backend": "native", "target": {"compute_capability": "10.0"},
            "native": {"recipe": "MXFP8BlockScaling", "mx_scale_mode": "rceil"}})",
        {"mx_scale_mode rceil"});
    row("no layer at all", R"({"te": {"amax_compute_algo": "max"}, "layers": {"base": "none"}})",
        {"No Linear runs in FP8"});
}

void TstTrainingPlan::notesSayWhatDoesNotHappen() {
    QFETCH(QByteArray, json);
    QFETCH(QStringList, facts);
    Json text = parseJson(json.toStdString(), "row").value();
    text["octet_recipe"] = 1;
    const TrainingPlan plan = planned(recipeFromJson(text, "row").value().recipe,
                                      arch::listModules(arch::parseModelSpec("llama:d=128,layers=2,heads=2").value()));
    QCOMPARE(plan.notes.size(), size_t{1});
    for (const QString& fact : facts)
        QVERIFY2(joined(plan.notes).contains(fact), qPrintable(joined(plan.notes) + fact));
    QVERIFY(!plan.scaling || plan.scaling->algo == AmaxAlgo::Max || text.contains("semantics"));
}

void TstTrainingPlan::presetsTrainWithoutNotes() {
    const auto modules = arch::listModules(arch::parseModelSpec("llama:d=128").value());
    for (const Preset& each : presets()) {
        if (each.name == "accelerate-default") continue;
        const TrainingPlan plan = planned(each.recipe, modules);
        QVERIFY2(plan.notes.empty(), (each.name + joined(plan.notes).toStdString()).c_str());
    }
    QCOMPARE(planned(preset("accelerate-default")).notes.size(), size_t{1});
}

void TstTrainingPlan::presetsPlanTheirCasts_data() {
    QTest::addColumn<QStringList>("gemms");
    QTest::addColumn<int>("scaling");
    QTest::addColumn<bool>("powerOfTwo");
    QTest::addColumn<QList<bool>>("fast");
    const QList<bool> fpropOnly{true, false, false};
    const auto row = [](const char* name, const QStringList& gemms, ScalingKind scaling, bool po2,
                        const QList<bool>& fast) { QTest::newRow(name) << gemms << int(scaling) << po2 << fast; };
    const QStringList hybrid{"E4M3 x E4M3", "E5M2 x E4M3", "E5M2 x E4M3"};
    const QStringList rows{"E4M3 a row by E4M3 a row", "E4M3 a row by E4M3 a row", "E4M3 a row by E4M3 a row"};
    const QString block = "E4M3 1x128 by E4M3 128x128", mx = "E4M3 1x32 by E4M3 1x32";
    row("hybrid-16", hybrid, ScalingKind::Delayed, false, fpropOnly);
    row("e4m3-16", {"E4M3 x E4M3", "E4M3 x E4M3", "E4M3 x E4M3"}, ScalingKind::Delayed, false, fpropOnly);
    row("te-current", hybrid, ScalingKind::TeCurrent, false, fpropOnly);
    row("te-current-po2", hybrid, ScalingKind::TeCurrent, true, fpropOnly);
    row("te-block", {block, block, "E4M3 1x128 by E4M3 1x128"}, ScalingKind::TeBlock, true, {false, false, false});
    row("mxfp8", {mx, mx, mx}, ScalingKind::Mx, true, fpropOnly);
    row("ao-tensorwise", hybrid, ScalingKind::Torchao, false, fpropOnly);
    row("ao-rowwise", rows, ScalingKind::Torchao, true, fpropOnly);
    row("ao-rowwise-gw-hp", {rows[0], "E4M3 a row by E4M3", ""}, ScalingKind::Torchao, true, fpropOnly);
}

void TstTrainingPlan::presetsPlanTheirCasts() {
    QFETCH(QStringList, gemms);
    QFETCH(int, scaling);
    QFETCH(bool, powerOfTwo);
    QFETCH(QList<bool>, fast);
    const TrainingPlan plan =
        planned(preset(QTest::currentDataTag()), arch::listModules(arch::parseModelSpec("llama:d=128").value()));
    const LayerPlan& down = layer(plan, "model.layers.1.mlp.down_proj");
    for (int g = 0; g < 3; ++g) {
        const GemmPlan& gemm = down.gemms[size_t(g)];
        QCOMPARE(QString::fromStdString(gemmText(gemm)), gemms[g]);
        QCOMPARE(gemm.fp8, down.fp8[size_t(g)]);
        QCOMPARE(gemm.fastAccumulation, fast[g]);
        if (!gemm.fp8) continue;
        QCOMPARE(int(gemm.a.scaling), scaling);
        QCOMPARE(int(gemm.b.scaling), scaling);
        QVERIFY(gemm.a.powerOfTwo == powerOfTwo && gemm.b.powerOfTwo == powerOfTwo);
    }
    QCOMPARE(plan.scaling.has_value(), scaling == int(ScalingKind::Delayed));
    QCOMPARE(plan.fp8DuringEval, scaling == int(ScalingKind::Torchao));
}

void TstTrainingPlan::accelerateReachesMxfp8() {
    Recipe recipe;
    recipe.te.useMxfp8BlockScaling = true;
    recipe.target.computeCapability = "10.0";
    const auto modules = arch::listModules(arch::parseModelSpec("llama:d=128").value());
    const TrainingPlan plan = planned(recipe, modules);
    QVERIFY(!plan.scaling);
    QCOMPARE(gemmText(layer(plan, "lm_head").gemms[1]), std::string("E4M3 1x32 by E4M3 1x32"));
    QVERIFY(joined(plan.notes).contains("HYBRID has no effect"));
    recipe.semantics = Semantics::Documented;
    QCOMPARE(gemmText(layer(planned(recipe, modules), "lm_head").gemms[1]), std::string("E5M2 1x32 by E4M3 1x32"));
}

void TstTrainingPlan::customTorchaoConfigIsPlanned() {
    Recipe recipe = preset("ao-rowwise");
    recipe.ao.config = AoConfig::Custom;
    recipe.ao.float8.input = AoCast::DynAxsE5M2;
    recipe.ao.float8.inputForGradWeight = recipe.ao.float8.gradOutputForGradWeight = AoCast::Disabled;
    recipe.ao.float8.useFastAccum = {false, true, true};
    const LayerPlan plan = layer(planned(recipe), "model.layers.1.mlp.down_proj");
    QCOMPARE(gemmText(plan.gemms[0]), std::string("E5M2 a row by E4M3"));
    QCOMPARE(gemmText(plan.gemms[1]), std::string("E5M2 x E4M3"));
    QVERIFY((plan.fp8 == std::array{true, true, false}) && plan.gemms[2] == GemmPlan{});
    QVERIFY(!plan.gemms[0].fastAccumulation && plan.gemms[1].fastAccumulation);
    QVERIFY(!plan.gemms[0].a.powerOfTwo);
    QCOMPARE(plan.reason, std::string("FP8: torchao takes it: 64 x 176. The recipe keeps wgrad in high precision."));
}

void TstTrainingPlan::nativeSettingsReachTheCasts() {
    Recipe recipe = preset("te-block");
    recipe.native.useF32Scales = true;
    recipe.native.amaxEpsilon = 0.25;
    const GemmPlan block = layer(planned(recipe), "lm_head").gemms[0];
    QVERIFY(!block.a.powerOfTwo && !block.b.powerOfTwo && block.a.amaxEpsilon == 0.25f);
    recipe = preset("mxfp8");
    recipe.native.enable2dQuantization = true;
    recipe.native.mxScaleMode = MxScaleMode::Even;
    recipe.native.fp8Format = NativeFormat::Hybrid;
    const LayerPlan mx = layer(planned(recipe), "lm_head");
    QCOMPARE(gemmText(mx.gemms[0]), std::string("E4M3 1x32 by E4M3 32x32"));
    QCOMPARE(gemmText(mx.gemms[2]), std::string("E5M2 1x32 by E4M3 1x32"));
    QCOMPARE(mx.gemms[0].a.mxMode, MxScaleMode::Even);
    recipe = preset("te-current");
    recipe.native.useFastAccum = {false, true, false};
    QVERIFY(layer(planned(recipe), "lm_head").gemms[1].fastAccumulation);
}

void TstTrainingPlan::backwardOverrideKeepsBackwardOutOfFp8() {
    Recipe recipe = preset("te-block");
    recipe.native.backwardOverride = BackwardOverride::HighPrecision;
    const LayerPlan high = layer(planned(recipe), "lm_head");
    QVERIFY((high.fp8 == std::array{true, false, false}) && high.gemms[1] == GemmPlan{});
    QVERIFY(high.reason.find("keeps dgrad and wgrad in high precision") != std::string::npos);
    recipe.native.backwardOverride = BackwardOverride::Dequantized;
    const LayerPlan dequantised = layer(planned(recipe), "lm_head");
    QVERIFY((dequantised.fp8 == std::array{true, false, false}));
    QVERIFY(dequantised.gemms[1].dequantised && !dequantised.gemms[1].fp8 && !dequantised.gemms[1].a.fp8);
    QVERIFY(dequantised.gemms[1].b == dequantised.gemms[0].b && dequantised.gemms[2].b == dequantised.gemms[0].a);
}

void TstTrainingPlan::rulesChangeFormatAndScaling() {
    LayerRule rowwise{"down_proj", false, {}, "long rows", RuleFormat::Inherit, RuleScaling::Rowwise};
    LayerRule e4m3{"up_proj", false, {false, false, true}, "", RuleFormat::E4M3, RuleScaling::Inherit};
    LayerRule current{"gate_proj", false, {}, "", RuleFormat::E4M3, RuleScaling::Current};
    const TrainingPlan plan = planned(withRules({rowwise, e4m3, current}));
    const LayerPlan& down = layer(plan, "model.layers.0.mlp.down_proj");
    QCOMPARE(gemmText(down.gemms[1]), std::string("E4M3 a row by E4M3 a row"));
    QCOMPARE(down.reason, std::string("FP8: rule 1 (down_proj) sets scaling rowwise: long rows."));
    const LayerPlan& up = layer(plan, "model.layers.0.mlp.up_proj");
    QCOMPARE(gemmText(up.gemms[1]), std::string("E4M3 x E4M3"));
    QVERIFY((up.fp8 == std::array{true, true, false}) && up.gemms[1].a.scaling == ScalingKind::Delayed);
    const LayerPlan& gate = layer(plan, "model.layers.0.mlp.gate_proj");
    QVERIFY(gate.gemms[1].a.scaling == ScalingKind::TeCurrent && gemmText(gate.gemms[1]) == "E4M3 x E4M3");
    QCOMPARE(gate.reason, std::string("FP8: rule 3 (gate_proj) sets scaling current and fp8_format E4M3."));
    QCOMPARE(gemmText(layer(plan, "lm_head").gemms[1]), std::string("E5M2 x E4M3"));
    Recipe ao = preset("ao-rowwise");
    ao.layers.rules = {{"o_proj", false, {}, "", RuleFormat::Inherit, RuleScaling::Delayed}};
    const TrainingPlan mixed = planned(ao);
    QVERIFY(mixed.scaling && mixed.scaling->historyLen == 1024);
    QCOMPARE(gemmText(layer(mixed, "model.layers.0.self_attn.o_proj").gemms[1]), std::string("E5M2 x E4M3"));
}

void TstTrainingPlan::torchaoSkipsFirstAndLast() {
    QVERIFY((keptLayers(planned(preset("ao-tensorwise"))) ==
             std::vector<std::string>{"model.layers.0.self_attn.q_proj", "lm_head"}));
    // The last Linear is found before its shape is looked at, so 10 classes are last and 30 inputs stay too.
    const std::vector<Module> modules{linear("a", 64, 30), linear("b"), linear("c"), linear("d", 10, 64)};
    QVERIFY((keptLayers(planned(preset("ao-tensorwise"), modules)) == std::vector<std::string>{"a", "d"}));
    Recipe all = preset("ao-tensorwise");
    all.layers.base = LayerBase::All;
    QVERIFY((keptLayers(planned(all, modules)) == std::vector<std::string>{"a", "d"}));
    QVERIFY(layer(planned(all, modules), "a").reason.find("torch._scaled_mm cannot run it") != std::string::npos);
    all.ao.config = AoConfig::Custom;
    all.ao.float8.emulate = true;
    QVERIFY(keptLayers(planned(all, modules)).empty());
}

void TstTrainingPlan::mxNeedsMultiplesOf32() {
    const TrainingPlan plan = planned(preset("mxfp8"));  // feed-forward width 176
    QCOMPARE(keptLayers(plan).size(), size_t{6});
    QCOMPARE(layer(plan, "model.layers.0.mlp.down_proj").reason,
             std::string("High precision: te.Linear cannot run it in MXFP8, 176 inputs are not a multiple of 32."));
    QVERIFY(joined(plan.notes).contains("6 of 15 Linears"));
    QVERIFY(keptLayers(planned(preset("te-block"))).empty());  // its kernels take partial blocks
}

void TstTrainingPlan::documentedFieldsTakeEffect() {
    Recipe recipe = preset("accelerate-default");
    recipe.te.interval = 5;
    recipe.te.overrideLinearPrecision = {false, false, true};
    recipe.te.useAutocastDuringEval = true;
    const TrainingPlan library = planned(recipe);
    QCOMPARE(library.scaling->algo, AmaxAlgo::Max);
    QCOMPARE(library.scaling->interval, 1);
    QVERIFY((layer(library, "lm_head").fp8 == std::array{true, true, true}));
    recipe.semantics = Semantics::Documented;
    const TrainingPlan documented = planned(recipe);
    QCOMPARE(documented.scaling->algo, AmaxAlgo::MostRecent);
    QCOMPARE(documented.scaling->interval, 5);
    QVERIFY(library.fp8DuringEval && documented.fp8DuringEval);
    QVERIFY((layer(documented, "lm_head").fp8 == std::array{true, true, false}));
    QVERIFY(layer(documented, "lm_head").reason.find("wgrad") != std::string::npos);
    recipe.te.overrideLinearPrecision = {true, true, true};
    QVERIFY(!layer(planned(recipe), "lm_head").converted);
}

void TstTrainingPlan::e5m2TrainsAsDocumented() {
    Recipe recipe = preset("hybrid-16");
    recipe.te.fp8Format = TeFormat::E5M2;
    recipe.semantics = Semantics::Documented;
    const TrainingPlan plan = planned(recipe);
    QCOMPARE(plan.scaling->forward, numerics::Fp8Format::E5M2);
    QCOMPARE(plan.scaling->backward, numerics::Fp8Format::E5M2);
    QVERIFY(joined(plan.notes).contains("Transformer Engine refuses"));
}

void TstTrainingPlan::baselineKeepsEveryLayer() {
    const TrainingPlan plan = planned(preset("baseline"));
    QVERIFY(!plan.fp8 && !plan.scaling);
    QCOMPARE(plan.layers.size(), size_t{15});
    QCOMPARE(keptLayers(plan).size(), size_t{15});
    QVERIFY(plan.layers[0].reason.find("baseline") != std::string::npos);
}

QTEST_APPLESS_MAIN(TstTrainingPlan)
#include "tst_training_plan.moc"
