// SPDX-License-Identifier: Apache-2.0
// The built models: names and shapes of arch's list, sensible first losses, gradients everywhere, and the fused
// pointwise functions against plain torch.
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/outer.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/rsqrt.h>

#include <QtTest>
#include <cmath>

#include "engine/arch/module_list.h"
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
    void rmsNormEqualsItsDefinition();
    void rotationEqualsItsDefinitionAndTurnsBack();
};

void TstModels::parametersFollowTheModuleList_data() {
    QTest::addColumn<QString>("spec");
    QTest::newRow("llama") << "llama:d=32,layers=2,heads=2,ctx=16";
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
