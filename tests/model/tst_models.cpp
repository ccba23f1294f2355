// SPDX-License-Identifier: Apache-2.0
// The built models: names and shapes of arch's list, sensible first losses, gradients everywhere, and the fused
// pointwise functions against plain torch.
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/outer.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/zeros.h>

#include <QtTest>
#include <cmath>
#include <map>

#include "engine/arch/module_list.h"
#include "engine/model/bert_torch.h"
#include "engine/model/model_torch.h"
#include "engine/model/pointwise_torch.h"
#include "engine/recipe/recipe_json.h"
#include "engine/recipe/training_plan.h"

using namespace octet;

namespace {

arch::ModelSpec specOf(const char* text) {
    return arch::parseModelSpec(text).value();
}

recipe::TrainingPlan planOf(const char* preset, const arch::ModelSpec& spec) {
    const auto loaded = recipe::loadRecipe(preset);
    return recipe::planTraining(loaded->recipe, arch::listModules(spec)).value();
}

at::Tensor tokensFor(const arch::ModelSpec& spec) {
    return at::randint(0, spec.vocab, {4, spec.bytesPerSequence()}, at::kLong);
}

/// The models written plainly on torch's own operators, over the built model's parameters.
class Plain {
public:
    Plain(const arch::ModelSpec& spec, const model::Model& model) : m_spec(spec) {
        for (const auto& parameter : model.parameters())
            m_values[parameter.name] = parameter.value;
    }

    at::Tensor loss(const at::Tensor& tokens) {
        switch (m_spec.kind) {
            case arch::ModelKind::Gpt:
                return gpt(tokens);
            case arch::ModelKind::Bert:
                return bert(tokens);
            case arch::ModelKind::Mlp:
                return mlp(tokens);
            case arch::ModelKind::Llama:
            case arch::ModelKind::Moe:
                break;
        }
        return llama(tokens);
    }

private:
    at::Tensor p(const std::string& name) { return m_values.at(name); }
    at::Tensor linear(const std::string& name, const at::Tensor& x) {
        const auto bias = m_values.find(name + ".bias");
        const at::Tensor y = x.matmul(p(name + ".weight").t());
        return bias == m_values.end() ? y : y.add(bias->second);
    }
    at::Tensor layerNorm(const std::string& name, const at::Tensor& x) {
        const at::Tensor centred = x.sub(x.mean(-1, true));
        const at::Tensor scaled = centred.mul(centred.pow(2).mean(-1, true).add(1e-5).rsqrt());
        return scaled.mul(p(name + ".weight")).add(p(name + ".bias"));
    }
    at::Tensor rms(const std::string& name, const at::Tensor& x) {
        return x.mul(x.pow(2).mean(-1, true).add(1e-6).rsqrt()).mul(p(name + ".weight"));
    }
    at::Tensor attend(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, bool causal) {
        const int64_t length = q.size(1), headSize = m_spec.d / m_spec.heads;
        const auto byHead = [&](const at::Tensor& t) {
            return t.reshape({t.size(0), length, m_spec.heads, headSize}).transpose(1, 2);
        };
        at::Tensor scores = byHead(q).matmul(byHead(k).transpose(-1, -2)).div(std::sqrt(double(headSize)));
        if (causal) {
            const at::Tensor row = at::arange(length).view({length, 1}), column = at::arange(length);
            scores = scores.masked_fill(column.gt(row), -INFINITY);
        }
        return scores.softmax(-1).matmul(byHead(v)).transpose(1, 2).reshape(q.sizes());
    }
    at::Tensor rotated(const at::Tensor& t) {
        const int64_t size = m_spec.d / m_spec.heads, length = t.size(1);
        const at::Tensor rates = at::pow(10000.0, at::arange(0, size, 2, at::kFloat).div(double(size)).neg());
        const at::Tensor angles = at::outer(at::arange(length, at::kFloat), rates);
        const at::Tensor c = at::cat({angles.cos(), angles.cos()}, -1).view({1, length, 1, size});
        const at::Tensor s = at::cat({angles.sin(), angles.sin()}, -1).view({1, length, 1, size});
        const at::Tensor x = t.reshape({t.size(0), length, m_spec.heads, size});
        const at::Tensor turned = at::cat({x.narrow(-1, size / 2, size / 2).neg(), x.narrow(-1, 0, size / 2)}, -1);
        return x.mul(c).add(turned.mul(s)).reshape(t.sizes());
    }
    at::Tensor swiglu(const std::string& gate, const std::string& up, const std::string& down, const at::Tensor& x) {
        const at::Tensor g = linear(gate, x);
        return linear(down, g.mul(g.sigmoid()).mul(linear(up, x)));
    }
    /// Every expert on every token, weighed by zero where it was not chosen.
    at::Tensor experts(const std::string& at, const at::Tensor& x, at::Tensor& balance) {
        const at::Tensor probability = linear(at + "gate", x).softmax(-1);
        const at::Tensor second = std::get<0>(probability.topk(2, -1)).narrow(-1, 1, 1);
        const at::Tensor chosen = probability.ge(second).to(at::kFloat);
        const at::Tensor weights = probability.mul(chosen).div(probability.mul(chosen).sum(-1, true));
        at::Tensor mixed = x.mul(0);
        for (int64_t e = 0; e < m_spec.experts; ++e) {
            const std::string name = at + "experts." + std::to_string(e);
            mixed = mixed.add(swiglu(name + ".w1", name + ".w3", name + ".w2", x).mul(weights.narrow(-1, e, 1)));
        }
        const at::Tensor share = chosen.flatten(0, 1).mean(0), mean = probability.flatten(0, 1).mean(0);
        balance = balance.add(share.mul(mean).sum().mul(double(m_spec.experts)));
        return mixed;
    }
    at::Tensor nextToken(const at::Tensor& logits, const at::Tensor& tokens) {
        return at::cross_entropy_loss(logits.flatten(0, 1), tokens.narrow(1, 1, tokens.size(1) - 1).flatten());
    }
    at::Tensor llama(const at::Tensor& tokens) {
        at::Tensor x = at::embedding(p("model.embed_tokens.weight"), tokens.narrow(1, 0, tokens.size(1) - 1));
        at::Tensor balance = at::zeros({}, at::kFloat);
        for (int64_t i = 0; i < m_spec.layers; ++i) {
            const std::string at = "model.layers." + std::to_string(i) + ".";
            const at::Tensor n = rms(at + "input_layernorm", x);
            const auto q = rotated(linear(at + "self_attn.q_proj", n)), k = rotated(linear(at + "self_attn.k_proj", n));
            x = x.add(linear(at + "self_attn.o_proj", attend(q, k, linear(at + "self_attn.v_proj", n), true)));
            const at::Tensor m = rms(at + "post_attention_layernorm", x);
            x = x.add(m_spec.kind == arch::ModelKind::Moe
                          ? experts(at + "block_sparse_moe.", m, balance)
                          : swiglu(at + "mlp.gate_proj", at + "mlp.up_proj", at + "mlp.down_proj", m));
        }
        const at::Tensor loss = nextToken(linear("lm_head", rms("model.norm", x)), tokens);
        const at::Tensor term = balance.mul(0.02 / double(m_spec.layers));
        return loss.add(term).sub(term.detach());
    }
    at::Tensor gpt(const at::Tensor& tokens) {
        const int64_t length = tokens.size(1) - 1;
        at::Tensor x = at::embedding(p("transformer.wte.weight"), tokens.narrow(1, 0, length));
        x = x.add(p("transformer.wpe.weight").narrow(0, 0, length));
        for (int64_t i = 0; i < m_spec.layers; ++i) {
            const std::string at = "transformer.h." + std::to_string(i) + ".";
            const auto qkv = linear(at + "attn.c_attn", layerNorm(at + "ln_1", x)).chunk(3, -1);
            x = x.add(linear(at + "attn.c_proj", attend(qkv[0], qkv[1], qkv[2], true)));
            x = x.add(linear(at + "mlp.c_proj", at::gelu(linear(at + "mlp.c_fc", layerNorm(at + "ln_2", x)))));
        }
        return nextToken(linear("lm_head", layerNorm("transformer.ln_f", x)), tokens);
    }
    at::Tensor bert(const at::Tensor& tokens) {
        const auto masked = model::maskTokens(tokens, m_spec.vocab, 1);
        const std::string head = "cls.predictions.";
        at::Tensor x = at::embedding(p("bert.embeddings.word_embeddings.weight"), masked.seen);
        x = layerNorm("bert.embeddings.LayerNorm", x.add(p("bert.embeddings.position_embeddings.weight")));
        for (int64_t i = 0; i < m_spec.layers; ++i) {
            const std::string at = "bert.encoder.layer." + std::to_string(i) + ".", self = at + "attention.self.";
            const auto mixed =
                attend(linear(self + "query", x), linear(self + "key", x), linear(self + "value", x), false);
            x = layerNorm(at + "attention.output.LayerNorm", x.add(linear(at + "attention.output.dense", mixed)));
            const at::Tensor up = at::gelu(linear(at + "intermediate.dense", x));
            x = layerNorm(at + "output.LayerNorm", x.add(linear(at + "output.dense", up)));
        }
        x = layerNorm(head + "transform.LayerNorm", at::gelu(linear(head + "transform.dense", x)));
        const at::Tensor logits = linear(head + "decoder", x).flatten(0, 1), targets = masked.targets.flatten();
        const at::Tensor asked = targets.ge(0).nonzero().flatten();
        return at::cross_entropy_loss(logits.index_select(0, asked), targets.index_select(0, asked));
    }
    at::Tensor mlp(const at::Tensor& tokens) {
        const int64_t window = tokens.size(1) - 1;
        at::Tensor x = at::embedding(p("embed.weight"), tokens.narrow(1, 0, window)).flatten(1);
        for (int64_t i = 0; i < m_spec.layers; ++i)
            x = at::gelu(linear("layers." + std::to_string(i), x));
        return at::cross_entropy_loss(linear("head", x), tokens.select(1, window));
    }

    arch::ModelSpec m_spec;
    std::map<std::string, at::Tensor> m_values;
};

}  // namespace

class TstModels final : public QObject {
    Q_OBJECT

private slots:
    void parametersFollowTheModuleList_data();
    void parametersFollowTheModuleList();
    void theFirstLossIsThatOfAGuess_data() { parametersFollowTheModuleList_data(); }
    void theFirstLossIsThatOfAGuess();
    void everyParameterGetsAGradient_data() { parametersFollowTheModuleList_data(); }
    void everyParameterGetsAGradient();
    void equalSeedsGiveEqualWeightsWhateverTheRecipe();
    void aPerturbedTwinIsCloseButNotEqual();
    void laterTokensDoNotChangeEarlierLosses();
    void gradientsEqualPlainTorch_data() { parametersFollowTheModuleList_data(); }
    void gradientsEqualPlainTorch();
    void masksAreFixedByTextAndSeed();
    void expertsWithoutTokensAreCastToo();
    void everyPresetTrainsEveryModel_data() { parametersFollowTheModuleList_data(); }
    void everyPresetTrainsEveryModel();
    void rmsNormEqualsItsDefinition();
    void rotationEqualsItsDefinitionAndTurnsBack();
};

void TstModels::parametersFollowTheModuleList_data() {
    QTest::addColumn<QString>("spec");
    QTest::newRow("llama") << "llama:d=32,layers=2,heads=2,ctx=16";
    QTest::newRow("gpt") << "gpt:d=32,layers=2,heads=2,ctx=16";
    QTest::newRow("bert") << "bert:d=32,layers=2,heads=2,ctx=32";
    QTest::newRow("moe") << "moe:d=32,layers=2,heads=2,experts=4,ctx=16";
    QTest::newRow("mlp") << "mlp:window=8,d=16,hidden=32,layers=2";
}

void TstModels::parametersFollowTheModuleList() {
    QFETCH(QString, spec);
    const auto dims = specOf(qPrintable(spec));
    const auto model = model::buildModel(dims, planOf("preset:hybrid-16", dims), 1);
    QStringList built, expected;
    for (const auto& parameter : model->parameters()) {
        QStringList sizes;
        for (const auto size : parameter.value.sizes())
            sizes << QString::number(size);
        built << QString("%1 %2").arg(QString::fromStdString(parameter.name), sizes.join('x'));
    }
    for (const auto& module : arch::listModules(dims)) {
        QStringList sizes;
        for (const auto size : module.dims)
            sizes << QString::number(size);
        expected << QString("%1.weight %2").arg(QString::fromStdString(module.name), sizes.join('x'));
        if (module.bias)
            expected << QString("%1.bias %2").arg(QString::fromStdString(module.name)).arg(module.outFeatures());
    }
    QCOMPARE(built, expected);
    if (spec.startsWith("llama")) {
        QVERIFY(built.contains("model.layers.1.mlp.down_proj.weight 32x96"));
        QVERIFY(built.contains("lm_head.weight 256x32"));
    }
}

void TstModels::theFirstLossIsThatOfAGuess() {
    QFETCH(QString, spec);
    const auto dims = specOf(qPrintable(spec));
    const auto cpu = backend::makeCpuBackend(2);
    const auto model = model::buildModel(dims, planOf("preset:baseline", dims), 1);
    const double loss = model->loss(tokensFor(dims), *cpu, {}).item<double>();
    QVERIFY2(std::abs(loss - std::log(256.0)) < 0.1, qPrintable(QString::number(loss)));
}

void TstModels::everyParameterGetsAGradient() {
    QFETCH(QString, spec);
    const auto dims = specOf(qPrintable(spec));
    const auto cpu = backend::makeCpuBackend(2);
    for (const char* preset : {"preset:baseline", "preset:hybrid-16"}) {
        const auto model = model::buildModel(dims, planOf(preset, dims), 1);
        model->loss(tokensFor(dims), *cpu, {}).backward();
        for (const auto& parameter : model->parameters()) {
            QVERIFY2(parameter.value.grad().defined(), parameter.name.c_str());
            QVERIFY2(parameter.value.grad().abs().sum().item<double>() > 0, parameter.name.c_str());
        }
    }
}

void TstModels::equalSeedsGiveEqualWeightsWhateverTheRecipe() {
    const auto dims = specOf("llama:d=32,layers=1,heads=2,ctx=16");
    const auto a = model::buildModel(dims, planOf("preset:baseline", dims), 7);
    const auto b = model::buildModel(dims, planOf("preset:e4m3-16", dims), 7);
    const auto c = model::buildModel(dims, planOf("preset:baseline", dims), 8);
    for (size_t i = 0; i < a->parameters().size(); ++i) {
        QVERIFY(a->parameters()[i].value.equal(b->parameters()[i].value));
    }
    QVERIFY(!a->parameters()[0].value.equal(c->parameters()[0].value));
}

void TstModels::aPerturbedTwinIsCloseButNotEqual() {
    const auto dims = specOf("llama:d=32,layers=1,heads=2,ctx=16");
    const auto plain = model::buildModel(dims, planOf("preset:baseline", dims), 7);
    const auto twin = model::buildModel(dims, planOf("preset:baseline", dims), 7);
    model::perturbParameters(*twin, 1e-6, 1);
    const at::Tensor difference = plain->parameters()[0].value.sub(twin->parameters()[0].value).abs();
    QVERIFY(difference.max().item<double>() > 1e-7);
    QVERIFY(difference.max().item<double>() < 1e-5);
}

void TstModels::laterTokensDoNotChangeEarlierLosses() {
    const auto dims = specOf("llama:d=32,layers=2,heads=2,ctx=16");
    const auto cpu = backend::makeCpuBackend(2);
    const auto model = model::buildModel(dims, planOf("preset:baseline", dims), 1);
    const at::NoGradGuard noGrad;
    const at::Tensor tokens = tokensFor(dims);
    const at::Tensor start = tokens.narrow(1, 0, 9).contiguous();
    // The loss of a prefix is the mean over its own positions: appending tokens must not change it.
    at::Tensor changed = tokens.clone();
    changed.narrow(1, 9, 8).fill_(3);
    const double prefix = model->loss(start, *cpu, {}).item<double>();
    const double sameStart = model->loss(changed.narrow(1, 0, 9).contiguous(), *cpu, {}).item<double>();
    QCOMPARE(prefix, sameStart);
    const double whole = model->loss(tokens, *cpu, {}).item<double>(),
                 other = model->loss(changed, *cpu, {}).item<double>();
    QVERIFY(whole != other);
}

void TstModels::gradientsEqualPlainTorch() {
    QFETCH(QString, spec);
    const auto dims = specOf(qPrintable(spec));
    const auto cpu = backend::makeCpuBackend(2);
    const auto model = model::buildModel(dims, planOf("preset:baseline", dims), 1);
    const at::Tensor tokens = tokensFor(dims);
    model::PassContext pass;
    pass.bf16Activations = false;
    const at::Tensor loss = model->loss(tokens, *cpu, pass);
    loss.backward();
    std::vector<at::Tensor> gradients;
    for (const auto& parameter : model->parameters()) {
        gradients.push_back(parameter.value.grad().clone());
        parameter.value.mutable_grad() = at::Tensor();
    }
    const at::Tensor plain = Plain(dims, *model).loss(tokens);
    plain.backward();
    QVERIFY2(at::allclose(loss, plain, 1e-5, 1e-5),
             qPrintable(QString("%1 %2").arg(loss.item<double>()).arg(plain.item<double>())));
    for (size_t i = 0; i < gradients.size(); ++i) {
        const at::Tensor& expected = model->parameters()[i].value.grad();
        const double size = expected.abs().max().item<double>();
        const double off = gradients[i].sub(expected).abs().max().item<double>();
        QVERIFY2(off <= 1e-4 * size + 1e-9, qPrintable(QString("%1: off by %2 of %3")
                                                           .arg(QString::fromStdString(model->parameters()[i].name))
                                                           .arg(off)
                                                           .arg(size)));
    }
}

void TstModels::masksAreFixedByTextAndSeed() {
    const at::Tensor tokens = at::randint(0, 256, {64, 128}, at::kLong);
    const auto masked = model::maskTokens(tokens, 256, 5);
    const auto again = model::maskTokens(tokens, 256, 5);
    QVERIFY(masked.seen.equal(again.seen) && masked.targets.equal(again.targets));
    QVERIFY(!masked.targets.equal(model::maskTokens(tokens, 256, 6).targets));
    const at::Tensor asked = masked.targets.ge(0);
    const double share = asked.to(at::kFloat).mean().item<double>();
    QVERIFY2(share > 0.13 && share < 0.18, qPrintable(QString::number(share)));
    // Targets are the text; what is not asked is seen as it is.
    QVERIFY(masked.targets.masked_select(asked).equal(tokens.masked_select(asked)));
    QVERIFY(masked.seen.masked_select(asked.logical_not()).equal(tokens.masked_select(asked.logical_not())));
    const at::Tensor seen = masked.seen.masked_select(asked);
    const double hidden = seen.eq(256).to(at::kFloat).mean().item<double>();
    const double kept = seen.eq(tokens.masked_select(asked)).to(at::kFloat).mean().item<double>();
    QVERIFY2(hidden > 0.75 && hidden < 0.85, qPrintable(QString::number(hidden)));
    QVERIFY2(kept > 0.06 && kept < 0.15, qPrintable(QString::number(kept)));
}

void TstModels::expertsWithoutTokensAreCastToo() {
    const auto dims = specOf("moe:d=32,layers=1,heads=2,experts=16,ctx=16");
    const auto cpu = backend::makeCpuBackend(2);
    for (const char* preset : {"preset:hybrid-16", "preset:te-current", "preset:te-block", "preset:mxfp8"}) {
        const auto model = model::buildModel(dims, planOf(preset, dims), 1);
        const at::Tensor tokens = at::zeros({1, 3}, at::kLong);  // two equal tokens: at most four of 16 experts
        const at::Tensor loss = model->loss(tokens, *cpu, {});
        loss.backward();
        QVERIFY(std::isfinite(loss.item<double>()));
        int empty = 0;
        for (const auto& linear : model->linears()) {
            const auto* input = linear->operand(model::OperandRole::Input);
            if (input == nullptr) continue;
            QVERIFY2(input->last.has_value(), linear->plan().name.c_str());
            empty += input->last->elements == 0;
        }
        QVERIFY2(empty >= 12 * 3, preset);
    }
}

void TstModels::everyPresetTrainsEveryModel() {
    QFETCH(QString, spec);
    const auto dims = specOf(qPrintable(spec));
    const auto cpu = backend::makeCpuBackend(2);
    const at::Tensor tokens = tokensFor(dims);
    for (const recipe::Preset& preset : recipe::presets()) {
        const auto plan = recipe::planTraining(preset.recipe, arch::listModules(dims)).value();
        const auto model = model::buildModel(dims, plan, 1);
        for (int step = 0; step < 2; ++step) {
            const at::Tensor loss = model->loss(tokens, *cpu, {});
            loss.backward();
            model->updateScaling();
            QVERIFY2(std::abs(loss.item<double>() - std::log(256.0)) < 0.15, preset.name.c_str());
        }
        for (const auto& parameter : model->parameters())
            QVERIFY2(parameter.value.grad().isfinite().all().item<bool>(), preset.name.c_str());
    }
}

void TstModels::rmsNormEqualsItsDefinition() {
    at::Tensor x = at::randn({3, 5, 24}).set_requires_grad(true), w = at::randn({24}).set_requires_grad(true);
    const at::Tensor weights = at::randn({3, 5, 24});
    const at::Tensor fused = model::rmsNorm(x, w);
    fused.mul(weights).sum().backward();
    const at::Tensor dx = x.grad().clone(), dw = w.grad().clone();
    x.mutable_grad() = at::Tensor();
    w.mutable_grad() = at::Tensor();
    const at::Tensor plain = x.mul(x.pow(2).mean(-1, true).add(1e-6).rsqrt()).mul(w);
    plain.mul(weights).sum().backward();
    QVERIFY(at::allclose(fused, plain, 1e-5, 1e-6));
    QVERIFY(at::allclose(dx, x.grad(), 1e-4, 1e-5));
    QVERIFY(at::allclose(dw, w.grad(), 1e-4, 1e-5));
}

void TstModels::rotationEqualsItsDefinitionAndTurnsBack() {
    at::Tensor x = at::randn({2, 6, 3, 8}).set_requires_grad(true);
    const at::Tensor angles = at::outer(at::arange(6, at::kFloat), at::arange(4, at::kFloat).mul(0.3));
    const at::Tensor cos = angles.cos(), sin = angles.sin();
    const at::Tensor y = model::rotateHalves(x, cos, sin);
    const at::Tensor c = at::cat({cos, cos}, -1).view({1, 6, 1, 8}), s = at::cat({sin, sin}, -1).view({1, 6, 1, 8});
    const at::Tensor turned = at::cat({x.narrow(-1, 4, 4).neg(), x.narrow(-1, 0, 4)}, -1);
    QVERIFY(at::allclose(y, x.mul(c).add(turned.mul(s)), 1e-5, 1e-6));
    y.backward(y.detach());  // a rotation's gradient turns back: the gradient of |y|^2 / 2 is x
    QVERIFY(at::allclose(x.grad(), x.detach(), 1e-5, 1e-6));
}

QTEST_GUILESS_MAIN(TstModels)
#include "tst_models.moc"
