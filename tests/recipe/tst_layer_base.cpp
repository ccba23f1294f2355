// SPDX-License-Identifier: Apache-2.0
// Filters that people know from torchtitan, torchao and Megatron, on models from config.json.
#include <QtTest>
#include <map>

#include "engine/arch/config_json.h"
#include "engine/recipe/layer_base.h"
#include "engine/recipe/layer_plan.h"
#include "engine/recipe/recipe_json.h"

using namespace octet;
using namespace octet::recipe;

namespace {

std::vector<arch::Module> llama8b() {
    return arch::modulesFromConfig(parseJson(R"({"model_type":"llama","hidden_size":4096,"intermediate_size":14336,
        "num_hidden_layers":4,"num_attention_heads":32,"num_key_value_heads":8,"vocab_size":128256})",
                                             "test")
                                       .value(),
                                   "test")
        .value()
        .modules;
}

Recipe preset(const char* name) {
    return loadRecipe(std::string("preset:") + name).value().recipe;
}

/// Reason of each Linear, by name.
std::map<std::string, BaseDecision> decided(const Recipe& recipe, const std::vector<arch::Module>& modules) {
    const auto linears = arch::linearsOf(modules);
    const auto all = baseDecisions(recipe, modules);
    std::map<std::string, BaseDecision> byName;
    for (size_t i = 0; i < linears.size(); ++i)
        byName[linears[i].name] = all.value()[i];
    return byName;
}

}  // namespace

class TstLayerBase : public QObject {
    Q_OBJECT

private slots:
    void aTextKeepsEveryNameThatHoldsIt();
    void aTextThatHitsNothingIsNoted();
    void megatronCountsWholeBlocks();
    void torchaoAutoFollowsTheRecipesThresholds();
    void torchaoHasNoThresholdsForGwHp();
    void filtersComeBeforeRules();
};

void TstLayerBase::aTextKeepsEveryNameThatHoldsIt() {
    // C101: `gate` is meant for a router and also keeps gate_proj.
    Recipe recipe = preset("hybrid-16");
    recipe.layers.filterFqns = {"gate"};
    const auto layers = decided(recipe, llama8b());
    QVERIFY(!layers.at("model.layers.0.mlp.gate_proj").fp8);
    QVERIFY(layers.at("model.layers.0.mlp.up_proj").fp8);
    QCOMPARE(layers.at("model.layers.0.mlp.gate_proj").reason,
             std::string("High precision: filter_fqns: its name holds \"gate\"."));
    const auto notes = filterNotes(recipe, llama8b());
    QCOMPARE(notes.size(), size_t(1));
    QVERIFY(notes[0].find("longer names, first model.layers.0.mlp.gate_proj") != std::string::npos);
}

void TstLayerBase::aTextThatHitsNothingIsNoted() {
    // torchtitan #4008: "output" is not the name of Hugging Face's head.
    Recipe recipe = preset("hybrid-16");
    recipe.layers.filterFqns = {"output", "lm_head"};
    QCOMPARE(filterNotes(recipe, llama8b()),
             std::vector<std::string>{"filter_fqns: \"output\" is in no Linear's name."});
    QVERIFY(!decided(recipe, llama8b()).at("lm_head").fp8);
}

void TstLayerBase::megatronCountsWholeBlocks() {
    Recipe recipe = preset("hybrid-16");
    recipe.layers.numLayersAtStartInBf16 = 1;
    recipe.layers.numLayersAtEndInBf16 = 1;
    const auto layers = decided(recipe, llama8b());
    QVERIFY(!layers.at("model.layers.0.self_attn.q_proj").fp8 && !layers.at("model.layers.0.mlp.down_proj").fp8);
    QVERIFY(layers.at("model.layers.1.self_attn.q_proj").fp8 && layers.at("model.layers.2.mlp.down_proj").fp8);
    QVERIFY(!layers.at("model.layers.3.self_attn.q_proj").fp8);
    QVERIFY(layers.at("lm_head").fp8);  // not a block
    recipe.layers.numLayersAtEndInBf16 = 3;
    QVERIFY(filterNotes(recipe, llama8b()).at(0).find("no block is left") != std::string::npos);
}

void TstLayerBase::torchaoAutoFollowsTheRecipesThresholds() {
    Recipe recipe = preset("ao-tensorwise");
    recipe.layers.base = LayerBase::TorchaoAuto;
    auto layers = decided(recipe, llama8b());
    QVERIFY(!layers.at("model.layers.0.self_attn.k_proj").fp8);  // 1024 x 4096
    QVERIFY(layers.at("model.layers.0.self_attn.q_proj").fp8);
    recipe = preset("ao-rowwise");
    recipe.layers.base = LayerBase::TorchaoAuto;
    recipe.layers.filterFqns = {"lm_head"};
    layers = decided(recipe, llama8b());
    QVERIFY(!layers.at("model.layers.0.self_attn.k_proj").fp8);
    QVERIFY(layers.at("model.layers.0.mlp.down_proj").fp8 && !layers.at("lm_head").fp8);
}

void TstLayerBase::torchaoHasNoThresholdsForGwHp() {
    Recipe recipe = preset("ao-rowwise-gw-hp");
    recipe.layers.base = LayerBase::TorchaoAuto;
    const auto refused = planLayers(recipe, llama8b());
    QVERIFY(!refused.ok() && refused.error().code == ErrorCode::Refused);
    QVERIFY(refused.error().message.find("rowwise_with_gw_hp") != std::string::npos);
}

void TstLayerBase::filtersComeBeforeRules() {
    Recipe recipe = preset("hybrid-16");
    recipe.layers.filterFqns = {"lm_head"};
    LayerRule rule;
    rule.match = "*";
    rule.high = {false, false, true};
    recipe.layers.rules = {rule};
    const auto plans = planLayers(recipe, llama8b()).value();
    QVERIFY(!plans.layers.back().converted);
    QVERIFY(plans.layers.front().fp8[0] && !plans.layers.front().fp8[2]);
}

QTEST_APPLESS_MAIN(TstLayerBase)
#include "tst_layer_base.moc"
