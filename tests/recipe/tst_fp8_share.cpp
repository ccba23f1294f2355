// SPDX-License-Identifier: Apache-2.0
// How much of a model runs in FP8, on models from config.json that nobody has to load.
#include <QtTest>

#include "engine/arch/config_json.h"
#include "engine/recipe/fp8_share.h"
#include "engine/recipe/recipe_json.h"

using namespace octet;
using namespace octet::recipe;

namespace {

struct Planned {
    TrainingPlan plan;
    std::vector<arch::Module> modules;
};

Planned planned(const char* config, const char* preset) {
    const auto model = arch::modulesFromConfig(parseJson(config, "test").value(), "test");
    const auto recipe = loadRecipe(preset);
    auto plan = planTraining(recipe.value().recipe, model.value().modules);
    return {std::move(plan).value(), model.value().modules};
}

}  // namespace

class TstFp8Share : public QObject {
    Q_OBJECT

private slots:
    void everyLinearOfLlama8bIsTaken();
    void gpt2HasNoLinearThatTransformerEngineTakes();
    void oneGemmCountsAThird();
    void aBaselineHasNothingInFp8();
};

void TstFp8Share::everyLinearOfLlama8bIsTaken() {
    const Planned llama = planned(R"({"model_type":"llama","hidden_size":4096,"intermediate_size":14336,
        "num_hidden_layers":32,"num_attention_heads":32,"num_key_value_heads":8,"vocab_size":128256})",
                                  "preset:hybrid-16");
    const Fp8Share share = fp8Share(llama.plan.layers, llama.modules);
    QCOMPARE(share.layers, size_t(225));
    QCOMPARE(share.layersInFp8, size_t(225));
    QCOMPARE(share.parameters, 8030261248.0);  // Llama 3.1 8B
    QCOMPARE(share.parametersInFp8, 8030261248.0 - 128256.0 * 4096 - 65 * 4096.0);
    QCOMPARE(share.flopsInFp8, share.flops);
    QCOMPARE(share.flops, 6 * share.parametersInFp8);
}

void TstFp8Share::gpt2HasNoLinearThatTransformerEngineTakes() {
    const Planned gpt2 = planned(R"({"model_type":"gpt2"})", "preset:hybrid-16");
    const Fp8Share share = fp8Share(gpt2.plan.layers, gpt2.modules);
    QCOMPARE(share.layers, size_t(1));  // lm_head; the rest is Conv1D
    QCOMPARE(share.layersInFp8, size_t(0));
    QCOMPARE(share.parametersInFp8, 0.0);
}

void TstFp8Share::oneGemmCountsAThird() {
    const auto modules = arch::modulesFromSpecOrConfig("mlp").value().modules;
    auto recipe = loadRecipe("preset:hybrid-16").value().recipe;
    LayerRule rule;
    rule.match = "*";
    rule.high = {true, true, false};
    recipe.layers.rules.push_back(rule);
    const Fp8Share share = fp8Share(planTraining(recipe, modules).value().layers, modules);
    QCOMPARE(share.layersInFp8, share.layers);
    QCOMPARE(share.flopsInFp8 * 3, share.flops);
}

void TstFp8Share::aBaselineHasNothingInFp8() {
    const Planned llama = planned(R"({"model_type":"llama"})", "preset:baseline");
    const Fp8Share share = fp8Share(llama.plan.layers, llama.modules);
    QCOMPARE(share.layersInFp8, size_t(0));
    QCOMPARE(share.flopsInFp8, 0.0);
    QVERIFY(share.parameters > 6.7e9);
}

QTEST_APPLESS_MAIN(TstFp8Share)
#include "tst_fp8_share.moc"
