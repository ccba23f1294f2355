// SPDX-License-Identifier: GPL-3.0-or-later
// What the form says will happen with each field, what the layer table says of each Linear, what a menu makes of the
// rules, and what a run will about cost.
#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

#include "engine/recipe/recipe_json.h"
#include "ui/recipe/field_outlook.h"
#include "ui/recipe/layer_model.h"
#include "ui/recipe/rule_edits.h"
#include "ui/recipe/rule_model.h"
#include "ui/recipe/run_estimate.h"

using namespace octet;
using namespace octet::ui;
using recipe::FieldValue;
using recipe::Recipe;

Q_DECLARE_METATYPE(octet::recipe::FieldValue)
Q_DECLARE_METATYPE(octet::recipe::Semantics)

namespace {

constexpr const char* kModel = "llama:d=64,layers=2,heads=2,ctx=32,vocab=256";

Recipe teDefault() {
    return recipe::loadRecipe("preset:te-default")->recipe;
}

int rowOf(const LayerModel& model, const QString& name) {
    for (int row = 0; row < model.rowCount(); ++row) {
        if (model.index(row, LayerModel::Name).data(Qt::ToolTipRole).toString() == name) return row;  // the whole name
    }
    return -1;
}

QString gemms(const LayerModel& model, int row) {
    QStringList texts;
    for (int column = LayerModel::Fprop; column <= LayerModel::Wgrad; ++column)
        texts << model.index(row, column).data().toString();
    return texts.join(u' ');
}

}  // namespace

class TstRecipeOutlook final : public QObject {
    Q_OBJECT

private slots:
    void outlookOfAField_data() {
        QTest::addColumn<QString>("key");
        QTest::addColumn<FieldValue>("value");
        QTest::addColumn<recipe::Semantics>("semantics");
        QTest::addColumn<QString>("status");
        QTest::addColumn<QString>("says");
        const auto library = recipe::Semantics::Library, documented = recipe::Semantics::Documented;
        const auto row = [](const char* name, const char* key, const FieldValue& value, recipe::Semantics semantics,
                            const char* status, const char* says) {
            QTest::newRow(name) << QString::fromUtf8(key) << value << semantics << QString::fromUtf8(status)
                                << QString::fromUtf8(says);
        };
        row("HYBRID is the default", "te.fp8_format", std::string("HYBRID"), library, "default", "HYBRID runs");
        row("E4M3 is used", "te.fp8_format", std::string("E4M3"), library, "used", "E4M3 for gradients");
        row("E5M2 is refused by the library", "te.fp8_format", std::string("E5M2"), library, "refused", "refuses");
        row("E5M2 trains as documented", "te.fp8_format", std::string("E5M2"), documented, "used", "both directions");
        row("a margin divides the scale", "te.margin", int64_t{3}, library, "used", "448 / amax / 8: 3 octaves");
        row("a negative margin warns", "te.margin", int64_t{-1}, library, "used", "saturate");
        row("a history remembers", "te.amax_history_len", int64_t{16}, library, "used", "16 updates");
        row("most_recent is dropped", "te.amax_compute_algo", std::string("most_recent"), library, "dropped", "max");
        row("most_recent runs as documented", "te.amax_compute_algo", std::string("most_recent"), documented, "default",
            "newest");
        row("interval is ignored", "te.interval", int64_t{4}, library, "ignored", "since 2.2");
        row("interval counts as documented", "te.interval", int64_t{4}, documented, "used", "once in 4");
        row("an override is ignored", "te.override_linear_precision", std::array{false, false, true}, library,
            "ignored", "layer rule");
        row("an override counts as documented", "te.override_linear_precision", std::array{false, false, true},
            documented, "used", "wgrad stays");
        row("MXFP8 on Hopper is refused", "te.use_mxfp8_block_scaling", true, library, "refused", "10.0");
        row("evaluation inside FP8 is used", "te.use_autocast_during_eval", true, library, "used", "history");
        row("a Transformer Engine below 2.0 is refused", "target.transformer_engine", std::string("1.13"), library,
            "refused", "since 2.0");
        row("torchao trains", "backend", std::string("AO"), library, "used", "torchao tensorwise");
    }

    void outlookOfAField() {
        QFETCH(QString, key);
        QFETCH(FieldValue, value);
        QFETCH(recipe::Semantics, semantics);
        QFETCH(QString, status);
        QFETCH(QString, says);
        Recipe asked = teDefault();
        asked.semantics = semantics;
        const recipe::RecipeField& field = recipe::recipeField(key.toStdString());
        field.set(asked, value);
        const FieldOutlook outlook = fieldOutlook(asked, field);
        QCOMPARE(statusText(outlook.status), status);
        QVERIFY2(outlook.sentence.contains(says), qPrintable(outlook.sentence));
    }

    void aFamilyIsShownForItsBackend() {
        Recipe asked = teDefault();
        const auto shown = [&](const char* key) { return belongsToForm(asked, recipe::recipeField(key)); };
        QVERIFY(shown("te.margin") && !shown("ao.config") && !shown("native.recipe") && !shown("target.parallel"));
        asked.backend = recipe::Backend::Ao;
        QVERIFY(shown("ao.config") && shown("ao.pad_inner_dim") && !shown("te.margin"));
        QVERIFY(!shown("ao.float8.emulate"));
        asked.ao.config = recipe::AoConfig::Custom;
        QVERIFY(shown("ao.float8.emulate"));
        asked.backend = recipe::Backend::Native;
        QVERIFY(shown("native.recipe") && !shown("ao.config"));
        asked.backend = recipe::Backend::None;
        QVERIFY(shown("te.margin"));
    }

    void otherFamiliesAreResolvedToo() {
        Recipe asked = recipe::loadRecipe("preset:ao-rowwise")->recipe;
        FieldOutlook outlook = fieldOutlook(asked, recipe::recipeField("ao.pad_inner_dim"));
        QCOMPARE(outlook.status, FieldStatus::Ignored);
        QVERIFY2(outlook.sentence.contains(QStringLiteral("only without a config")), qPrintable(outlook.sentence));
        QVERIFY2(outlook.details.contains(QStringLiteral("runs: false")), qPrintable(outlook.details));
        QVERIFY2(outlook.details.contains(QStringLiteral("Source: ")), qPrintable(outlook.details));
        asked = recipe::loadRecipe("preset:mxfp8")->recipe;
        if (asked.backend == recipe::Backend::Native) {
            asked.native.mxScaleMode = recipe::MxScaleMode::Rceil;
            outlook = fieldOutlook(asked, recipe::recipeField("native.mx_scale_mode"));
            QCOMPARE(outlook.status, FieldStatus::Overridden);
        }
        asked = teDefault();
        asked.target.parallel = "deepspeed";
        asked.te.margin = 2;
        outlook = fieldOutlook(asked, recipe::recipeField("te.margin"));
        QCOMPARE(outlook.status, FieldStatus::Overridden);
        QVERIFY2(outlook.sentence.contains(QStringLiteral("FP8RecipeKwargs")), qPrintable(outlook.sentence));
    }

    void familiesSayWhatTheirValuesDo_data() {
        QTest::addColumn<QString>("preset");
        QTest::addColumn<QString>("key");
        QTest::addColumn<FieldValue>("value");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* preset, const char* key, const FieldValue& value, const char* says) {
            QTest::addRow("%s in %s: %s", key, preset, says)
                << QString::fromUtf8(preset) << QString::fromUtf8(key) << value << QString::fromUtf8(says);
        };
        row("ao-tensorwise", "ao.config", std::string("rowwise"), "power-of-two scale a row");
        row("ao-tensorwise", "ao.config", std::string("rowwise_with_gw_hp"), "weight gradient in high precision");
        row("ao-tensorwise", "ao.pad_inner_dim", false, "fail in backward");
        row("ao-tensorwise", "ao.pad_inner_dim", true, "padded with zeros");
        row("te-current", "native.recipe", std::string("Float8BlockScaling"), "1 x 128");
        row("te-current", "native.use_power_2_scales", true, "power of two");
        row("te-current", "native.use_f32_scales", false, "Only Float8BlockScaling");
        row("te-block", "native.use_f32_scales", true, "keep their mantissa");
        row("te-block", "native.use_power_2_scales", false, "Only Float8CurrentScaling");
        row("mxfp8", "native.enable_2d_quantization", true, "32 x 32");
    }

    void familiesSayWhatTheirValuesDo() {
        QFETCH(QString, preset);
        QFETCH(QString, key);
        QFETCH(FieldValue, value);
        QFETCH(QString, says);
        Recipe asked = recipe::loadRecipe("preset:" + preset.toStdString())->recipe;
        const recipe::RecipeField& field = recipe::recipeField(key.toStdString());
        field.set(asked, value);
        const QString sentence = fieldOutlook(asked, field).sentence;
        QVERIFY2(sentence.contains(says), qPrintable(sentence));
    }

    void everyFieldHasASentence() {
        for (const recipe::Preset& preset : recipe::presets()) {
            for (const recipe::RecipeField& field : recipe::recipeFields())
                QVERIFY2(!fieldOutlook(preset.recipe, field).sentence.isEmpty(), field.key);
        }
    }

    void aRefusalIsOnlyAtTheFieldThatCausesIt() {
        Recipe asked = teDefault();
        asked.te.fp8Format = recipe::TeFormat::E5M2;
        asked.te.margin = 1;
        QCOMPARE(fieldOutlook(asked, recipe::recipeField("te.margin")).status, FieldStatus::Used);
        const auto findings = findingsOf(asked, {});
        QCOMPARE(findings.front().kind, Finding::Kind::Refused);
    }

    void theBaselineReadsNoTeField() {
        const Recipe baseline = recipe::loadRecipe("preset:baseline")->recipe;
        QCOMPARE(fieldOutlook(baseline, recipe::recipeField("te.margin")).status, FieldStatus::Ignored);
    }

    void fsdp2StopsFp8OnTheTarget() {
        Recipe asked = teDefault();
        asked.target.parallel = "fsdp2";
        const auto findings = findingsOf(asked, {"Rule 1 (x) matches no Linear of this model."});
        QCOMPARE(findings.size(), size_t{2});
        QCOMPARE(findings[0].kind, Finding::Kind::StopsFp8);
        QCOMPARE(findings[1].kind, Finding::Kind::Note);
    }

    void layerTableShowsShapesAndPrecision() {
        LayerModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        Recipe asked = teDefault();
        model.setOutlook(layerOutlook(asked, kModel));
        QCOMPARE(model.rowCount(), 15);
        const int down = rowOf(model, QStringLiteral("model.layers.0.mlp.down_proj"));
        QCOMPARE(model.index(down, LayerModel::In).data().toString(), QStringLiteral("176"));
        QCOMPARE(model.index(down, LayerModel::Out).data().toString(), QStringLiteral("64"));
        QCOMPARE(gemms(model, down), QStringLiteral("E4M3 E5M2 E5M2"));
        const QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
        const QSignalSpy changes(&model, &QAbstractItemModel::dataChanged);
        asked.layers.rules = {{"down_proj", false, {false, false, true}, "few bits"}};
        model.setOutlook(layerOutlook(asked, kModel));
        QCOMPARE(resets.size(), 0);
        QCOMPARE(changes.size(), 1);
        QCOMPARE(gemms(model, down), QStringLiteral("E4M3 E5M2 BF16"));
        QVERIFY(model.index(down, LayerModel::Why).data().toString().contains(QStringLiteral("few bits")));
        asked.te.fp8Format = recipe::TeFormat::E4M3;
        asked.layers.rules.clear();
        model.setOutlook(layerOutlook(asked, kModel));
        QCOMPARE(gemms(model, down), QStringLiteral("E4M3 E4M3 E4M3"));
        model.setOutlook(layerOutlook(asked, "mlp"));
        QCOMPARE(resets.size(), 1);
    }

    void theBaselineHasNoFp8Layer() {
        const LayerOutlook outlook = layerOutlook(recipe::loadRecipe("preset:baseline")->recipe, kModel);
        QCOMPARE(outlook.layers.size(), size_t{15});
        QCOMPARE(outlook.share.layersInFp8, size_t(0));
    }

    void aWrongModelIsASentence() {
        const LayerOutlook outlook = layerOutlook(teDefault(), "lama:d=64");
        QVERIFY(outlook.problem.contains(QStringLiteral("llama")));
        QVERIFY(outlook.layers.empty());
    }

    void rulesSayWhatTheyMetBeforeAnythingRuns() {
        Recipe asked = teDefault();
        asked.layers.rules = {
            {"lm_head", true, {}, ""}, {"re:mlp", true, {}, ""}, {"*_proj", true, {}, ""}, {"nobody", true, {}, ""}};
        const LayerOutlook outlook = layerOutlook(asked, kModel);
        QCOMPARE(outlook.rules[0].hits, 1);
        QCOMPARE(outlook.rules[1].decided, 6);
        QCOMPARE(outlook.rules[2].hits, 14);
        QCOMPARE(outlook.rules[2].decided, 8);
        QCOMPARE(outlook.rules[3].hits, 0);
        QVERIFY(!outlook.notes.empty());
    }

    void aMenuKeepsOneLayerAndLetsItGo() {
        recipe::Layers layers;
        layers.rules = withKept(layers, "lm_head", true);
        QCOMPARE(layers.rules, (Rules{{"lm_head", true, {}, ""}}));
        layers.rules = withKept(layers, "lm_head", false);
        QVERIFY(layers.rules.empty());
    }

    void oneGemmOfAKeptLayerIsLetGo() {
        recipe::Layers layers;
        layers.rules = {{"lm_head", true, {}, ""}};
        layers.rules = withGemmHigh(layers, "lm_head", recipe::Gemm::Fprop, false);
        QCOMPARE(layers.rules, (Rules{{"lm_head", false, {false, true, true}, ""}}));
    }

    void aNewRuleStandsBeforeTheOneThatTookItsLayer() {
        recipe::Layers layers;
        layers.rules = {{"down_proj", false, {false, false, true}, "few bits"}};
        layers.rules = withGemmHigh(layers, "model.layers.0.mlp.down_proj", recipe::Gemm::Dgrad, true);
        QCOMPARE(layers.rules.size(), size_t{2});
        QCOMPARE(layers.rules[0].match, std::string("model.layers.0.mlp.down_proj"));
        QCOMPARE(layers.rules[0].high, (std::array{false, true, true}));
    }

    void aRuleWithoutWishesStaysWhereALaterOneWouldTakeItsLayer() {
        recipe::Layers layers;
        layers.rules = {{"down_proj", true, {}, ""}};
        layers.rules = withKept(layers, "model.layers.0.mlp.down_proj", false);
        QCOMPARE(layers.rules.size(), size_t{2});
        QVERIFY(!layers.rules[0].keep);
        Recipe asked = teDefault();
        asked.layers = layers;
        LayerModel model;
        model.setOutlook(layerOutlook(asked, kModel));
        QCOMPARE(gemms(model, rowOf(model, QStringLiteral("model.layers.0.mlp.down_proj"))),
                 QStringLiteral("E4M3 E5M2 E5M2"));
        QCOMPARE(gemms(model, rowOf(model, QStringLiteral("model.layers.1.mlp.down_proj"))),
                 QStringLiteral("BF16 BF16 BF16"));
    }

    void withBaseNoneLettingGoTakesALayerIntoFp8() {
        Recipe asked = teDefault();
        asked.layers.base = recipe::LayerBase::None;
        asked.layers.rules = withKept(asked.layers, "lm_head", false);
        QCOMPARE(layerOutlook(asked, kModel).share.layersInFp8, size_t(1));
    }

    void rulesTableEditsThroughTheDocument() {
        RecipeDocument document;
        document.open(teDefault(), QStringLiteral("preset:te-default"));
        RuleModel model(&document);
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(model.addRule({"lm_head", true, {}, ""}), 0);
        QCOMPARE(model.addRule({"down_proj", false, {false, false, true}, ""}), 1);
        QVERIFY(model.setData(model.index(0, RuleModel::Why), QStringLiteral("last layer"), Qt::EditRole));
        QVERIFY(model.setData(model.index(1, RuleModel::Dgrad), Qt::Checked, Qt::CheckStateRole));
        QVERIFY(!model.setData(model.index(0, RuleModel::Met), 3, Qt::EditRole));
        model.moveRule(1, 0);
        const Rules expected{{"down_proj", false, {false, true, true}, ""}, {"lm_head", true, {}, "last layer"}};
        QCOMPARE(document.recipe().layers.rules, expected);
        model.removeRule(0);
        QCOMPARE(model.rowCount(), 1);
        while (document.canUndo())
            document.undo();
        QCOMPARE(model.rowCount(), 0);
        while (document.canRedo())
            document.redo();
        QCOMPARE(model.rowCount(), 1);
    }

    void aPatternThatIsNoneStaysAndSaysWhy() {
        RecipeDocument document;
        document.open(teDefault(), QStringLiteral("preset:te-default"));
        RuleModel model(&document);
        model.addRule({"lm_head", true, {}, ""});
        const QModelIndex match = model.index(0, RuleModel::Match);
        QVERIFY(model.setData(match, QStringLiteral("re:(["), Qt::EditRole));
        model.setOutlook(layerOutlook(document.recipe(), kModel).rules);
        QCOMPARE(match.data().toString(), QStringLiteral("re:(["));
        QVERIFY(match.data(RuleModel::IsWrongRole).toBool());
        QVERIFY(!match.data(Qt::ToolTipRole).toString().isEmpty());
        QVERIFY(document.firstProblem().has_value());
    }

    void estimateFollowsFromTheSpec() {
        recipe::RunSpec spec;  // llama d=128, 4 layers, 300 steps of 8 x 128 tokens
        spec.recipes = {"preset:hybrid-16", "preset:baseline"};
        const auto estimate = runEstimate(spec, true, {100, true});
        QVERIFY(estimate.ok());
        QCOMPARE(estimate->runs, 2);
        QCOMPARE(estimate->twins, 1);
        // 4 x (4 x 128 x 128 + 3 x 128 x 352) + 128 x 256 weights in Linears, 4 x 128 x 128 x 4 a token in attention.
        const double forward = (2.0 * 835'584 + 4 * 128 * 128 * 4) * 1'024;
        QCOMPARE(estimate->flopsPerStep, 3 * forward);
        QCOMPARE(estimate->seconds, 3 * (300 * 3 * forward + 6 * 8 * forward) / 100e9);
        const QString text = estimateText(*estimate);
        QVERIFY2(text.startsWith(QStringLiteral("About ")) && text.contains(QStringLiteral("measured here")),
                 qPrintable(text));
        spec.steps *= 2;
        QVERIFY(runEstimate(spec, true, {100, true})->seconds > 1.9 * estimate->seconds);
        spec.device = "cuda:0";
        QVERIFY(estimateText(*runEstimate(spec, true, {100, true})).contains(QStringLiteral("not estimated")));
        spec.model = "lama";
        QVERIFY(!runEstimate(spec, true, {100, true}));
    }
};

QTEST_GUILESS_MAIN(TstRecipeOutlook)
#include "tst_recipe_outlook.moc"
