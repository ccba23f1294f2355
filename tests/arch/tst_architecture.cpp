// SPDX-License-Identifier: Apache-2.0
// Model SPECs, the module lists made from them, and Accelerate's conversion decision against golden runs.
#include <QtTest>

#include "engine/arch/model_spec.h"
#include "engine/arch/module_list.h"
#include "engine/arch/te_conversion.h"
#include "engine/core/json.h"
#include "tests/support/golden_modules.h"

using namespace octet;
using namespace octet::arch;

namespace {

std::vector<std::string> namesOf(const std::vector<Module>& modules) {
    std::vector<std::string> names;
    for (const Module& module : modules)
        names.push_back(module.name);
    return names;
}

}  // namespace

class TstArchitecture : public QObject {
    Q_OBJECT

private slots:
    void specsReadAndWriteTheSame_data();
    void specsReadAndWriteTheSame();
    void badSpecsAreRefused_data();
    void badSpecsAreRefused();
    void feedForwardIsRoundedUpTo16();
    void llamaModulesHaveHuggingFaceNames();
    void mlpModulesHaveBiases();
    void otherModelsHaveHuggingFaceNames();
    void aNarrowRouterKeepsItsExpertsInHighPrecision();
    void parametersAreCounted();
    void conversionEqualsAccelerate_data();
    void conversionEqualsAccelerate();
    void conversionGivesReasons();
};

void TstArchitecture::specsReadAndWriteTheSame_data() {
    QTest::addColumn<QString>("spec");
    QTest::addColumn<QString>("whole");
    QTest::newRow("llama alone has defaults") << "llama"
                                              << "llama:d=128,layers=4,heads=4,ctx=128,vocab=256";
    QTest::newRow("mlp alone has its own defaults") << "mlp"
                                                    << "mlp:window=32,d=32,hidden=256,layers=2,vocab=256";
    QTest::newRow("gpt") << "gpt"
                         << "gpt:d=128,layers=4,heads=4,ctx=128,vocab=256";
    QTest::newRow("bert") << "bert:d=64"
                          << "bert:d=64,layers=4,heads=4,ctx=128,vocab=256";
    QTest::newRow("moe has experts") << "moe:experts=16"
                                     << "moe:d=128,layers=2,heads=4,experts=16,ctx=128,vocab=256";
    QTest::newRow("gpt heads may be odd in size") << "gpt:d=12,heads=4"
                                                  << "gpt:d=12,layers=4,heads=4,ctx=128,vocab=256";
    QTest::newRow("some keys, any order") << "llama:heads=8,d=256"
                                          << "llama:d=256,layers=4,heads=8,ctx=128,vocab=256";
    QTest::newRow("blanks around parts") << " mlp : hidden = 64 , d=16 "
                                         << "mlp:window=32,d=16,hidden=64,layers=2,vocab=256";
    QTest::newRow("a whole mlp") << "mlp:window=8,d=4,hidden=48,layers=1,vocab=300"
                                 << "mlp:window=8,d=4,hidden=48,layers=1,vocab=300";
}

void TstArchitecture::specsReadAndWriteTheSame() {
    QFETCH(QString, spec);
    QFETCH(QString, whole);
    const auto parsed = parseModelSpec(spec.toStdString());
    QVERIFY2(parsed.ok(), parsed.ok() ? "" : parsed.error().message.c_str());
    QCOMPARE(QString::fromStdString(modelSpecText(*parsed)), whole);
    QVERIFY(parseModelSpec(whole.toStdString()).value() == *parsed);
}

void TstArchitecture::badSpecsAreRefused_data() {
    QTest::addColumn<QString>("spec");
    QTest::addColumn<QStringList>("facts");
    QTest::newRow("an unknown kind names the nearest") << "lama:d=64" << QStringList{"lama", "kind", "llama"};
    QTest::newRow("a kind that is nothing like one")
        << "resnet-50" << QStringList{"resnet-50", "llama, gpt, bert, moe, mlp"};
    QTest::newRow("an empty spec") << "" << QStringList{"kind", "llama, gpt, bert, moe, mlp"};
    QTest::newRow("an unknown key names the nearest") << "llama:layer=2" << QStringList{"\"layer\"", "layers"};
    QTest::newRow("a key of the other kind") << "mlp:heads=2" << QStringList{"heads", "window"};
    QTest::newRow("experts of a model without") << "gpt:experts=4" << QStringList{"experts"};
    QTest::newRow("one expert") << "moe:experts=1" << QStringList{"two experts", "experts=2"};
    QTest::newRow("heads that do not divide") << "bert:d=100,heads=3" << QStringList{"multiple of heads", "d=102"};
    QTest::newRow("an odd head size of a moe") << "moe:d=12,heads=4" << QStringList{"odd", "rotary"};
    QTest::newRow("a dimension of zero") << "llama:d=0" << QStringList{"d must be", "from 1", "\"0\""};
    QTest::newRow("a negative dimension") << "mlp:hidden=-4" << QStringList{"hidden", "from 1", "-4"};
    QTest::newRow("a dimension with a fraction") << "llama:d=1.5" << QStringList{"whole number", "1.5"};
    QTest::newRow("a dimension above its limit") << "llama:d=1000000" << QStringList{"65,536", "1000000"};
    QTest::newRow("a number that overflows") << "llama:d=99999999999999999999" << QStringList{"65,536"};
    QTest::newRow("a key given twice") << "llama:d=64,d=128" << QStringList{"\"d\"", "twice"};
    QTest::newRow("a part without a value") << "llama:d" << QStringList{"key=value", "\"d\""};
    QTest::newRow("nothing after the colon") << "llama:" << QStringList{"key=value"};
    QTest::newRow("heads that do not divide d") << "llama:d=100,heads=3" << QStringList{"100", "heads 3", "d=102"};
    QTest::newRow("an odd head size") << "llama:d=12,heads=4" << QStringList{"odd", "3"};
}

void TstArchitecture::badSpecsAreRefused() {
    QFETCH(QString, spec);
    QFETCH(QStringList, facts);
    const auto parsed = parseModelSpec(spec.toStdString());
    QVERIFY(!parsed.ok());
    QCOMPARE(parsed.error().code, ErrorCode::Usage);
    const QString said = QString::fromStdString(parsed.error().message + " " + parsed.error().hint);
    for (const QString& fact : facts)
        QVERIFY2(said.contains(fact), qPrintable(said + " lacks " + fact));
}

void TstArchitecture::feedForwardIsRoundedUpTo16() {
    QCOMPARE(parseModelSpec("llama:d=128").value().feedForward(), 352);  // 341.3
    QCOMPARE(parseModelSpec("llama:d=256").value().feedForward(), 688);  // 682.7
    QCOMPARE(parseModelSpec("llama:d=96").value().feedForward(), 256);   // 256 exactly
}

void TstArchitecture::llamaModulesHaveHuggingFaceNames() {
    const auto modules = listModules(parseModelSpec("llama:d=64,layers=2,heads=2,vocab=300").value());
    const std::string b = "model.layers.1.";
    const std::vector<std::string> second{b + "self_attn.q_proj",
                                          b + "self_attn.k_proj",
                                          b + "self_attn.v_proj",
                                          b + "self_attn.o_proj",
                                          b + "mlp.gate_proj",
                                          b + "mlp.up_proj",
                                          b + "mlp.down_proj",
                                          b + "input_layernorm",
                                          b + "post_attention_layernorm",
                                          "model.norm",
                                          "lm_head"};
    const auto names = namesOf(modules);
    QCOMPARE(names.size(), size_t{1 + 9 + 9 + 2});
    QCOMPARE(names.front(), std::string("model.embed_tokens"));
    QVERIFY(std::vector<std::string>(names.end() - 11, names.end()) == second);
    const auto linears = linearsOf(modules);
    QCOMPARE(linears.size(), size_t{15});
    QCOMPARE(linears[4].outFeatures(), 176);  // gate_proj of d = 64
    QCOMPARE(linears[4].inFeatures(), 64);
    QCOMPARE(linears[6].inFeatures(), 176);
    QCOMPARE(linears.back().outFeatures(), 300);
    QVERIFY(std::ranges::none_of(linears, &Module::bias));
}

void TstArchitecture::mlpModulesHaveBiases() {
    const auto modules = listModules(parseModelSpec("mlp:window=8,d=4,hidden=48,layers=2").value());
    QVERIFY((namesOf(modules) == std::vector<std::string>{"embed", "layers.0", "layers.1", "head"}));
    QVERIFY((modules[1].dims == std::vector<int64_t>{48, 32}));
    QVERIFY((modules[2].dims == std::vector<int64_t>{48, 48}));
    QVERIFY((modules[3].dims == std::vector<int64_t>{256, 48}));
    QVERIFY(modules[1].bias && modules[3].bias);
}

void TstArchitecture::otherModelsHaveHuggingFaceNames() {
    const auto gpt = listModules(parseModelSpec("gpt:d=32,layers=1,heads=2,ctx=8").value());
    QCOMPARE(namesOf(gpt), (std::vector<std::string>{"transformer.wte", "transformer.wpe", "transformer.h.0.ln_1",
                                                     "transformer.h.0.attn.c_attn", "transformer.h.0.attn.c_proj",
                                                     "transformer.h.0.ln_2", "transformer.h.0.mlp.c_fc",
                                                     "transformer.h.0.mlp.c_proj", "transformer.ln_f", "lm_head"}));
    QVERIFY((gpt[3].dims == std::vector<int64_t>{96, 32}) && gpt[3].bias && gpt[2].bias && !gpt.back().bias);
    QCOMPARE(parameterCount(gpt), 256.0 * 32 + 8 * 32 + 3 * 64 + (96 * 32 + 96) + (32 * 32 + 32) + (128 * 32 + 128) +
                                      (32 * 128 + 32) + 256 * 32);
    const auto bert = namesOf(linearsOf(listModules(parseModelSpec("bert:layers=1").value())));
    QCOMPARE(bert, (std::vector<std::string>{
                       "bert.encoder.layer.0.attention.self.query", "bert.encoder.layer.0.attention.self.key",
                       "bert.encoder.layer.0.attention.self.value", "bert.encoder.layer.0.attention.output.dense",
                       "bert.encoder.layer.0.intermediate.dense", "bert.encoder.layer.0.output.dense",
                       "cls.predictions.transform.dense", "cls.predictions.decoder"}));
    const auto moe = namesOf(linearsOf(listModules(parseModelSpec("moe:layers=1,experts=2").value())));
    QCOMPARE(moe.size(), size_t{4 + 1 + 6 + 1});
    QCOMPARE(moe[4], std::string("model.layers.0.block_sparse_moe.gate"));
    QCOMPARE(moe[6], std::string("model.layers.0.block_sparse_moe.experts.0.w2"));
}

/// The router stands before the experts: Accelerate's conversion leaves the block where it is not a multiple of 16.
void TstArchitecture::aNarrowRouterKeepsItsExpertsInHighPrecision() {
    const auto convertedExperts = [](const char* spec) {
        const auto modules = listModules(parseModelSpec(spec).value());
        const TeConversion conversion = convertForTe(modules);
        int converted = 0;
        for (size_t i = 0; i < modules.size(); ++i)
            converted += conversion.decisions[i].converted && modules[i].name.find("experts") != std::string::npos;
        return converted;
    };
    QCOMPARE(convertedExperts("moe:layers=2,experts=8"), 0);
    QCOMPARE(convertedExperts("moe:layers=2,experts=16"), 2 * 16 * 3);
}

void TstArchitecture::parametersAreCounted() {
    const auto modules = listModules(parseModelSpec("mlp:window=8,d=4,hidden=48,layers=1").value());
    QCOMPARE(parameterCount(modules), 256.0 * 4 + 48 * 32 + 48 + 256 * 48 + 256);
}

void TstArchitecture::conversionEqualsAccelerate_data() {
    QTest::addColumn<QByteArray>("model");
    const Json all = tests::goldenJson("layer_conversion.json");
    for (const Json& model : all["models"]) {
        QTest::newRow(model["model"].get<std::string>().c_str()) << QByteArray::fromStdString(model.dump());
    }
    qInfo("layer_conversion.json: %zu models x 3 conversions for Transformer Engine", all["models"].size());
}

void TstArchitecture::conversionEqualsAccelerate() {
    QFETCH(QByteArray, model);
    const Json json = parseJson(model.toStdString(), "row").value();
    const auto modules = tests::modulesOf(json);
    const std::map<std::string, TeConversionOptions> options{
        {"te", {true, true}}, {"te, linear only", {true, false}}, {"te, layernorm only", {false, true}}};
    for (const auto& [name, option] : options) {
        const Json& expected = json["results"][name];
        const TeConversion conversion = convertForTe(modules, option);
        std::vector<std::string> converted;
        QCOMPARE(conversion.decisions.size(), modules.size());
        for (size_t i = 0; i < modules.size(); ++i) {
            if (conversion.decisions[i].converted) converted.push_back(modules[i].name);
            QVERIFY(conversion.decisions[i].reason.ends_with('.'));
        }
        QVERIFY2(converted == expected["converted"].get<std::vector<std::string>>(), name.c_str());
        QCOMPARE(conversion.failure ? conversion.failure->type : std::string(), expected.value("error", std::string()));
    }
}

void TstArchitecture::conversionGivesReasons() {
    const auto linear = [](const char* name, int64_t out, int64_t in) {
        return Module{name, ModuleKind::Linear, {out, in}, false, true};
    };
    const auto result =
        convertForTe({linear("moe.gate", 8, 64), linear("moe.experts.0.w1", 64, 64), linear("head", 64, 64)});
    QVERIFY(!result.decisions[0].converted && !result.decisions[1].converted && result.decisions[2].converted);
    QVERIFY(result.decisions[0].reason.find("8 outputs") != std::string::npos);
    QVERIFY(result.decisions[1].reason.find("after moe.gate (8 x 64") != std::string::npos);
    QVERIFY(result.decisions[2].reason.find("64 x 64") != std::string::npos);
}

QTEST_APPLESS_MAIN(TstArchitecture)
#include "tst_architecture.moc"
