// SPDX-License-Identifier: Apache-2.0
// The decision for every layer: base, ordered rules, shapes, and notes on rules that decide nothing.
#include <QtTest>

#include "engine/recipe/schema.h"
#include "tests/recipe/planned_recipes.h"

using namespace octet;
using namespace octet::recipe;
using namespace octet::tests;

namespace {

/// The four layers of case C101.
std::vector<Module> c101() {
    const std::string at = "model.layers.0.";
    return {linear(at + "mlp.gate", 32, 32), linear(at + "mlp.gate_up_proj", 64, 32),
            linear(at + "mlp.down_proj", 32, 32), linear(at + "self_attn.o_proj", 32, 32)};
}

}  // namespace

class TstLayerRules : public QObject {
    Q_OBJECT

private slots:
    void baseDecidesLayers();
    void firstRuleWins();
    void patternsMatch_data();
    void patternsMatch();
    void rulesWithoutEffectAreNoted_data();
    void rulesWithoutEffectAreNoted();
    void shapesThatTeCannotRunAreReported();
    void badPatternsNameTheirRule();
};

void TstLayerRules::baseDecidesLayers() {
    Recipe recipe = preset("hybrid-16");
    const std::vector<Module> modules{linear("block.a", 10, 64), linear("block.b"), linear("c")};
    QVERIFY((keptLayers(planned(recipe, modules)) == std::vector<std::string>{"block.a", "block.b"}));
    QVERIFY(layer(planned(recipe, modules), "block.b").reason.find("after block.a (10 x 64") != std::string::npos);
    recipe.layers.base = LayerBase::All;
    QVERIFY((keptLayers(planned(recipe, modules)) == std::vector<std::string>{"block.a"}));
    recipe.layers.base = LayerBase::None;
    recipe.layers.rules = {high("b", {false, false, true})};
    const TrainingPlan chosen = planned(recipe, modules);
    QVERIFY((keptLayers(chosen) == std::vector<std::string>{"block.a", "c"}));
    QVERIFY((layer(chosen, "block.b").fp8 == std::array{true, true, false}));
    recipe.layers = {};
    const auto failing = planTraining(recipe, {{"norm", ModuleKind::LayerNorm, {64}, false, false}, linear("b")});
    QVERIFY(!failing.ok() && said(failing.error()).contains("AttributeError") &&
            said(failing.error()).contains("norm"));
}

void TstLayerRules::firstRuleWins() {
    const TrainingPlan plan =
        planned(withRules({high("down_proj", {false, false, true}), keep("model.layers.0.*", "first block"),
                           keep("lm_head", "last layer")}));
    const LayerPlan& down = layer(plan, "model.layers.0.mlp.down_proj");
    QVERIFY((down.fp8 == std::array{true, true, false}));
    QCOMPARE(down.reason, std::string("FP8 in fprop and dgrad: rule 1 (down_proj) keeps wgrad in high precision."));
    QCOMPARE(layer(plan, "model.layers.0.mlp.up_proj").reason,
             std::string("High precision: rule 2 (model.layers.0.*) keeps it: first block."));
    QCOMPARE(layer(plan, "lm_head").reason, std::string("High precision: rule 3 (lm_head) keeps it: last layer."));
    QCOMPARE(layer(plan, "model.layers.1.mlp.up_proj").reason,
             std::string("FP8: Accelerate's convert_model takes it: 176 x 64, multiples of 16."));
    QCOMPARE(keptLayers(plan).size(), size_t{7});
    QVERIFY(plan.notes.empty());
}

void TstLayerRules::patternsMatch_data() {
    QTest::addColumn<QString>("match");
    QTest::addColumn<QStringList>("kept");
    const QString at = "model.layers.0.";
    QTest::newRow("a name without a dot is a module's last part (C101)") << "gate" << QStringList{at + "mlp.gate"};
    QTest::newRow("a whole name") << at + "mlp.gate" << QStringList{at + "mlp.gate"};
    QTest::newRow("a star over the parents (C101)") << "*.mlp.gate" << QStringList{at + "mlp.gate"};
    QTest::newRow("a star inside the last part")
        << "*_proj" << QStringList{at + "mlp.gate_up_proj", at + "mlp.down_proj", at + "self_attn.o_proj"};
    QTest::newRow("a question mark is one character") << "?_proj" << QStringList{at + "self_attn.o_proj"};
    QTest::newRow("re: searches, so it hits inside longer names (C101)")
        << "re:mlp\\.gate" << QStringList{at + "mlp.gate", at + "mlp.gate_up_proj"};
    QTest::newRow("re: with an end") << "re:mlp\\.gate$" << QStringList{at + "mlp.gate"};
    QTest::newRow("a dotted pattern is not searched (C101)") << "mlp.gate" << QStringList{};
}

void TstLayerRules::patternsMatch() {
    QFETCH(QString, match);
    QFETCH(QStringList, kept);
    QStringList names;
    for (const std::string& name : keptLayers(planned(withRules({keep(match.toStdString())}), c101()))) {
        names << QString::fromStdString(name);
    }
    QCOMPARE(names, kept);
}

void TstLayerRules::rulesWithoutEffectAreNoted_data() {
    QTest::addColumn<QString>("match");
    QTest::addColumn<QStringList>("facts");
    QTest::newRow("no hit at all") << "router" << QStringList{"Rule 2 (router)", "no Linear"};
    QTest::newRow("no hit, but with a star there would be one")
        << "mlp.gate" << QStringList{"Rule 2 (mlp.gate)", "*.mlp.gate matches 1"};
    QTest::newRow("a hit inside a longer name")
        << "re:mlp\\.gate" << QStringList{"1 of its 2", "longer name", "gate_up_proj"};
    QTest::newRow("all hits taken by an earlier rule")
        << "re:^model\\.layers\\.0\\.self_attn\\.o_proj$" << QStringList{"decides nothing", "layers (1)"};
}

void TstLayerRules::rulesWithoutEffectAreNoted() {
    QFETCH(QString, match);
    QFETCH(QStringList, facts);
    const TrainingPlan plan = planned(withRules({keep("o_proj"), keep(match.toStdString())}), c101());
    QCOMPARE(plan.notes.size(), size_t{1});
    for (const QString& fact : facts)
        QVERIFY2(joined(plan.notes).contains(fact), qPrintable(joined(plan.notes) + fact));
}

void TstLayerRules::shapesThatTeCannotRunAreReported() {
    Recipe recipe = preset("hybrid-16");
    recipe.layers.base = LayerBase::All;
    const TrainingPlan plan = planned(recipe, {linear("a", 8, 4096), linear("b", 1024, 712), linear("c", 4096, 144)});
    QVERIFY((keptLayers(plan) == std::vector<std::string>{"a", "b"}));
    QVERIFY(layer(plan, "a").reason.find("8 outputs are not a multiple of 16") != std::string::npos);
    QVERIFY(layer(plan, "b").reason.find("712 inputs are not a multiple of 16") != std::string::npos);
    QVERIFY(joined(plan.notes).contains("2 of 3 Linears"));
}

void TstLayerRules::badPatternsNameTheirRule() {
    const auto plan = planTraining(withRules({keep("lm_head"), keep("re:(")}), llama());
    QVERIFY(!plan.ok());
    QVERIFY2(said(plan.error()).contains("layers.rules[1].match") && said(plan.error()).contains("hybrid-16"),
             qPrintable(said(plan.error())));
}

QTEST_APPLESS_MAIN(TstLayerRules)
#include "tst_layer_rules.moc"
