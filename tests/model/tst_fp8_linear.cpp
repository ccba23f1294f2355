// SPDX-License-Identifier: Apache-2.0
// The FP8 linear against products in double precision on operands cast by the scalar reference, GEMM by GEMM, and its
// scaling state against the delayed-scaling rule.
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/ones_like.h>

#include <QtTest>
#include <cmath>
#include <random>

#include "engine/backend/backend_torch.h"
#include "engine/model/fp8_linear_torch.h"
#include "engine/numerics/fp8_scalar.h"
#include "engine/recipe/gemm_plan.h"
#include "engine/recipe/recipe_json.h"

using namespace octet;
using namespace octet::model;
using numerics::Fp8Format;
using recipe::Gemm;

namespace {

constexpr int64_t kTokens = 24, kIn = 48, kOut = 32;

at::Tensor gaussian(at::IntArrayRef sizes, float deviation, uint32_t seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> gauss(0.0f, deviation);
    at::Tensor t = at::empty(sizes, at::kFloat);
    for (int64_t i = 0; i < t.numel(); ++i)
        t.mutable_data_ptr<float>()[i] = gauss(random);
    return t;
}

/// A layer of the recipe with some GEMMs in high precision; delayed HYBRID scaling unless told otherwise.
recipe::LayerPlan layerPlan(std::array<bool, 3> fp8, const recipe::Recipe& recipe = {}) {
    recipe::LayerPlan plan;
    plan.gemms = recipe::gemmPlans(recipe, nullptr);
    for (size_t g = 0; g < fp8.size(); ++g)
        if (!fp8[g]) plan.gemms[g] = {};
    plan.name = "layer";
    plan.outFeatures = kOut;
    plan.inFeatures = kIn;
    plan.fp8 = fp8;
    plan.converted = fp8[0] || fp8[1] || fp8[2];
    return plan;
}

recipe::ScalingPlan hybrid(int historyLen = 4) {
    recipe::ScalingPlan plan;
    plan.historyLen = historyLen;
    return plan;
}

/// What an operand's elements are worth to a GEMM.
std::vector<double> operandValues(const at::Tensor& t, bool fp8, Fp8Format format, float scale) {
    std::vector<double> values;
    for (int64_t i = 0; i < t.numel(); ++i) {
        const float x = numerics::roundToBf16(t.const_data_ptr<float>()[i]);
        if (!fp8) {
            values.push_back(static_cast<double>(x));
            continue;
        }
        const float scaled = x * scale;
        const float value = format == Fp8Format::E4M3
                                ? numerics::decode<Fp8Format::E4M3>(numerics::encode<Fp8Format::E4M3>(scaled))
                                : numerics::decode<Fp8Format::E5M2>(numerics::encode<Fp8Format::E5M2>(scaled));
        values.push_back(static_cast<double>(value) * (1.0 / static_cast<double>(scale)));
    }
    return values;
}

/// Compares a product with its double-precision value: fp32 accumulation, then one bf16 rounding.
/// a(i, k) and b(k, j) are given as functions of indices.
template <typename A, typename B>
void compareProduct(const at::Tensor& got, int64_t inner, const A& a, const B& b, const char* name) {
    const float* data = got.const_data_ptr<float>();
    for (int64_t i = 0; i < got.size(0); ++i) {
        for (int64_t j = 0; j < got.size(1); ++j) {
            double exact = 0, magnitude = 0;
            for (int64_t k = 0; k < inner; ++k) {
                exact += a(i, k) * b(k, j);
                magnitude += std::abs(a(i, k) * b(k, j));
            }
            const double bound = static_cast<double>(inner) * 0x1p-24 * magnitude + 0x1p-8 * std::abs(exact) + 1e-30;
            const double difference = std::abs(static_cast<double>(data[i * got.size(1) + j]) - exact);
            QVERIFY2(
                difference <= bound,
                qPrintable(
                    QString("%1 (%2, %3): off by %4, bound %5").arg(name).arg(i).arg(j).arg(difference).arg(bound)));
        }
    }
}

struct Fixture {
    std::unique_ptr<backend::Backend> cpu = backend::makeCpuBackend(2);
    at::Tensor x = gaussian({kTokens, kIn}, 1.0f, 1).set_requires_grad(true);
    at::Tensor w = gaussian({kOut, kIn}, 0.1f, 2).set_requires_grad(true);
    at::Tensor dy = gaussian({kTokens, kOut}, 1e-3f, 3);

    /// One forward and backward pass; gradients are fresh.
    at::Tensor pass(Fp8Linear& linear, PassContext context = {}) {
        x.mutable_grad() = at::Tensor();
        w.mutable_grad() = at::Tensor();
        at::Tensor y = linear.forward(x, *cpu, context);
        y.backward(dy);
        return y.detach();
    }
};

std::vector<float> historyOf(const Fp8Linear& linear, OperandRole role) {
    return linear.operand(role)->scaling->history();
}

}  // namespace

class TstFp8Linear final : public QObject {
    Q_OBJECT

private slots:
    void eachGemmRunsAsPlanned_data();
    void eachGemmRunsAsPlanned();
    void aBaselineIsABf16Linear();
    void float32ActivationsAreNotRounded();
    void biasIsAddedBeforeRoundingAndItsGradientIsASum();
    void scalesComeFromTheAmaxesOfEarlierUpdates();
    void onlyUsedOperandsHaveAScalingState();
    void reusedWeightCodesDoNotAdvanceTheWeightHistory();
    void evaluationChangesNothingUnlessItFeeds();
    void statisticsDescribeTheCast();
    void notFiniteOperandsAreNamed();
    void extremeScalesDoNotLoseTheProduct();
    void everyRecipeMultipliesItsOwnCasts_data();
    void everyRecipeMultipliesItsOwnCasts();
    void torchaoCastsTheMasterWeight();
    void dequantisedBackwardTakesTheSavedCasts();
    void currentScalingUsesTheTensorsOwnAmax();
    void evaluationTakesTheRecipesCasts();
};

void TstFp8Linear::eachGemmRunsAsPlanned_data() {
    QTest::addColumn<bool>("fprop");
    QTest::addColumn<bool>("dgrad");
    QTest::addColumn<bool>("wgrad");
    for (int mask = 0; mask < 8; ++mask) {
        QTest::addRow("fprop %s, dgrad %s, wgrad %s", mask & 1 ? "FP8" : "BF16", mask & 2 ? "FP8" : "BF16",
                      mask & 4 ? "FP8" : "BF16")
            << bool(mask & 1) << bool(mask & 2) << bool(mask & 4);
    }
}

void TstFp8Linear::eachGemmRunsAsPlanned() {
    QFETCH(bool, fprop);
    QFETCH(bool, dgrad);
    QFETCH(bool, wgrad);
    Fixture f;
    Fp8Linear linear(layerPlan({fprop, dgrad, wgrad}), hybrid(), f.w, std::nullopt);
    f.pass(linear);  // fills the histories: the second pass has real scales
    linear.updateScaling();
    const auto scaleOf = [&](OperandRole role) {
        return linear.operand(role) == nullptr ? 1.0f : linear.operand(role)->scaling->scale();
    };
    const float sx = scaleOf(OperandRole::Input), sw = scaleOf(OperandRole::Weight),
                sg = scaleOf(OperandRole::GradOutput);
    const at::Tensor y = f.pass(linear);
    const auto values = [](const at::Tensor& t, bool fp8, Fp8Format format, float scale) {
        return operandValues(t, fp8, format, scale);
    };
    const auto xf = values(f.x, fprop, Fp8Format::E4M3, sx), wf = values(f.w, fprop, Fp8Format::E4M3, sw);
    compareProduct(
        y, kIn, [&](int64_t i, int64_t k) { return xf[size_t(i * kIn + k)]; },
        [&](int64_t k, int64_t j) { return wf[size_t(j * kIn + k)]; }, "fprop");
    const auto gd = values(f.dy, dgrad, Fp8Format::E5M2, sg), wd = values(f.w, dgrad, Fp8Format::E4M3, sw);
    compareProduct(
        f.x.grad(), kOut, [&](int64_t i, int64_t k) { return gd[size_t(i * kOut + k)]; },
        [&](int64_t k, int64_t j) { return wd[size_t(k * kIn + j)]; }, "dgrad");
    const auto gw = values(f.dy, wgrad, Fp8Format::E5M2, sg), xw = values(f.x, wgrad, Fp8Format::E4M3, sx);
    compareProduct(
        f.w.grad(), kTokens, [&](int64_t i, int64_t k) { return gw[size_t(k * kOut + i)]; },
        [&](int64_t k, int64_t j) { return xw[size_t(k * kIn + j)]; }, "wgrad");
}

void TstFp8Linear::aBaselineIsABf16Linear() {
    Fixture f;
    Fp8Linear linear(layerPlan({false, false, false}), std::nullopt, f.w, std::nullopt);
    const at::Tensor y = f.pass(linear);
    for (int64_t i = 0; i < y.numel(); ++i) {
        const float value = y.const_data_ptr<float>()[i];
        QCOMPARE(numerics::roundToBf16(value), value);
    }
    QVERIFY(linear.operand(OperandRole::Input) == nullptr);
}

void TstFp8Linear::float32ActivationsAreNotRounded() {
    Fixture f;
    Fp8Linear linear(layerPlan({false, false, false}), std::nullopt, f.w, std::nullopt);
    PassContext context;
    context.bf16Activations = false;
    const at::Tensor y = f.pass(linear, context);
    QVERIFY(y.equal(f.x.detach().mm(f.w.detach().t())));
    QVERIFY(f.x.grad().equal(f.dy.mm(f.w.detach())));
    QVERIFY(f.w.grad().equal(f.dy.t().mm(f.x.detach())));
}

void TstFp8Linear::biasIsAddedBeforeRoundingAndItsGradientIsASum() {
    Fixture f;
    at::Tensor bias = gaussian({kOut}, 1.0f, 4).set_requires_grad(true);
    Fp8Linear linear(layerPlan({true, true, true}), hybrid(), f.w, bias);
    PassContext context;
    context.bf16Activations = false;
    const at::Tensor y = f.pass(linear, context);
    const at::Tensor grad = bias.grad();
    QVERIFY(grad.equal(f.dy.sum(0)));
    Fp8Linear without(layerPlan({true, true, true}), hybrid(), f.w, std::nullopt);
    const at::Tensor plain = f.pass(without, context);
    QVERIFY(y.equal(plain.add(bias.detach())));
}

void TstFp8Linear::scalesComeFromTheAmaxesOfEarlierUpdates() {
    Fixture f;
    Fp8Linear linear(layerPlan({true, true, true}), hybrid(3), f.w, std::nullopt);
    scaling::DelayedScaling expected(scaling::DelayedScalingRule{448, 0, 3, scaling::AmaxAlgo::Max, {}, 1});
    for (int step = 0; step < 5; ++step) {
        f.x = gaussian({kTokens, kIn}, std::exp2(static_cast<float>(step % 3)), static_cast<uint32_t>(10 + step))
                  .set_requires_grad(true);
        f.pass(linear);
        QCOMPARE(linear.operand(OperandRole::Input)->castScale, expected.scale());
        float amax = 0;
        for (int64_t i = 0; i < f.x.numel(); ++i) {
            amax = std::max(amax, std::fabs(numerics::roundToBf16(f.x.const_data_ptr<float>()[i])));
        }
        QCOMPARE(linear.operand(OperandRole::Input)->last->amax, amax);
        linear.updateScaling();
        expected.stage(amax);
        expected.update();
    }
    QCOMPARE(historyOf(linear, OperandRole::Input), expected.history());
    QCOMPARE(linear.operand(OperandRole::GradOutput)->cast.format, Fp8Format::E5M2);
}

void TstFp8Linear::onlyUsedOperandsHaveAScalingState() {
    Fixture f;
    Fp8Linear wgradOnly(layerPlan({false, false, true}), hybrid(), f.w, std::nullopt);
    QVERIFY(wgradOnly.operand(OperandRole::Input) != nullptr);
    QVERIFY(wgradOnly.operand(OperandRole::Weight) == nullptr);
    QVERIFY(wgradOnly.operand(OperandRole::GradOutput) != nullptr);
}

void TstFp8Linear::reusedWeightCodesDoNotAdvanceTheWeightHistory() {
    Fixture f;
    Fp8Linear linear(layerPlan({true, true, true}), hybrid(), f.w, std::nullopt);
    PassContext first;
    first.keepWeightCodes = true;
    f.pass(linear, first);
    linear.updateScaling();
    const auto weightHistory = historyOf(linear, OperandRole::Weight);
    const auto inputHistory = historyOf(linear, OperandRole::Input);
    PassContext second = first;
    second.reuseWeightCodes = true;
    f.pass(linear, second);
    linear.updateScaling();
    QCOMPARE(historyOf(linear, OperandRole::Weight), weightHistory);
    QVERIFY(historyOf(linear, OperandRole::Input) != inputHistory);
    QCOMPARE(linear.operand(OperandRole::Weight)->castScale, 1.0f);  // the codes of the first cast, with its scale
}

void TstFp8Linear::evaluationChangesNothingUnlessItFeeds() {
    Fixture f;
    Fp8Linear linear(layerPlan({true, true, true}), hybrid(), f.w, std::nullopt);
    f.pass(linear);
    linear.updateScaling();
    const auto before = historyOf(linear, OperandRole::Input);
    PassContext evaluation;
    evaluation.mode = PassMode::EvalFp8;
    (void)linear.forward(f.x, *f.cpu, evaluation);
    evaluation.mode = PassMode::EvalHighPrecision;
    (void)linear.forward(f.x, *f.cpu, evaluation);
    QCOMPARE(historyOf(linear, OperandRole::Input), before);
    evaluation.mode = PassMode::EvalFp8Feeding;
    (void)linear.forward(f.x, *f.cpu, evaluation);
    QCOMPARE(linear.operand(OperandRole::Input)->scaling->staged(), linear.operand(OperandRole::Input)->last->amax);
    QCOMPARE(linear.operand(OperandRole::GradOutput)->scaling->staged(), 0.0f);
}

void TstFp8Linear::statisticsDescribeTheCast() {
    Fixture f;
    recipe::Recipe e4m3;
    e4m3.te.fp8Format = recipe::TeFormat::E4M3;
    Fp8Linear linear(layerPlan({true, true, true}, e4m3), hybrid(), f.w, std::nullopt);
    f.dy = f.dy.mul(1e-3);  // 1e-6: below half of E4M3's smallest subnormal, with scale 1 all of it is flushed
    f.pass(linear);
    const auto& cold = *linear.operand(OperandRole::GradOutput)->last;
    QCOMPARE(cold.underflowPercent(), 100.0);
    QCOMPARE(cold.elements, static_cast<uint64_t>(kTokens * kOut));
    QVERIFY(linear.operand(OperandRole::GradOutput)->isCold());
    linear.updateScaling();
    f.pass(linear);
    QVERIFY(linear.operand(OperandRole::GradOutput)->last->underflowPercent() < 5.0);
    QVERIFY(linear.operand(OperandRole::Input)->last->sqnrDb() > 25.0);
}

void TstFp8Linear::notFiniteOperandsAreNamed() {
    Fixture f;
    Fp8Linear linear(layerPlan({true, true, true}), hybrid(), f.w, std::nullopt);
    f.pass(linear);
    QVERIFY(linear.firstNotFinite() == nullptr);
    f.dy.mutable_data_ptr<float>()[5] = INFINITY;
    f.pass(linear);
    QCOMPARE(linear.firstNotFinite(), "grad_output");
    QCOMPARE(linear.operand(OperandRole::GradOutput)->scaling->staged(), INFINITY);
    Fp8Linear baseline(layerPlan({false, false, false}), std::nullopt, f.w, std::nullopt);
    PassContext checking;
    checking.checkFinite = true;
    f.x.data().mutable_data_ptr<float>()[0] = NAN;
    f.pass(baseline, checking);
    QCOMPARE(baseline.firstNotFinite(), "input");
}

void TstFp8Linear::extremeScalesDoNotLoseTheProduct() {
    const auto cpu = backend::makeCpuBackend(2);
    const at::Tensor ones = at::ones_like(at::empty({16, 16}, at::kFloat));
    // 1/scale of two tensors with tiny amaxes: the product of the two leaves float32, the result does not.
    const backend::Operand tiny{ones.mul(448.0), 0x1p-126f}, huge{ones.mul(448.0), 0x1p-20f};
    const at::Tensor y = cpu->matmul({tiny}, {huge}, {});
    QCOMPARE(y.const_data_ptr<float>()[0], 16.0f * 448.0f * 448.0f * 0x1p-126f * 0x1p-20f);
}

void TstFp8Linear::everyRecipeMultipliesItsOwnCasts_data() {
    QTest::addColumn<QString>("preset");
    for (const recipe::Preset& preset : recipe::presets()) {
        const recipe::Recipe& recipe = preset.recipe;
        const bool ownAmax = recipe.backend == recipe::Backend::Ao || recipe.backend == recipe::Backend::Native;
        if (ownAmax) QTest::newRow(preset.name.c_str()) << QString::fromStdString(preset.name);
    }
}

/// Operands read back from castOperand, multiplied in double, against the layer's three products.
void TstFp8Linear::everyRecipeMultipliesItsOwnCasts() {
    QFETCH(QString, preset);
    const recipe::Recipe recipe = recipe::loadRecipe("preset:" + preset.toStdString()).value().recipe;
    Fixture f;
    const recipe::LayerPlan plan = layerPlan({true, true, true}, recipe);
    Fp8Linear linear(plan, std::nullopt, f.w, std::nullopt);
    const at::Tensor y = f.pass(linear);
    const auto operand = [&](const at::Tensor& t, const recipe::OperandCast& cast, Contracts contracts, bool weight) {
        std::vector<double> values;
        CastOutcome outcome;
        CastRequest request{cast, contracts, 1.0f, !weight || recipe.backend != recipe::Backend::Ao,
                            numerics::StatisticsLevel::Errors};
        const backend::Operand made =
            cast.fp8 ? castOperand(*f.cpu, t.detach(), request, outcome) : f.cpu->highPrecision(t.detach(), true);
        for (int64_t i = 0; i < t.numel(); ++i) {
            values.push_back(static_cast<double>(made.values.const_data_ptr<float>()[i]) *
                             static_cast<double>(made.scaleInv));
        }
        return values;
    };
    const auto& [fprop, dgrad, wgrad] = plan.gemms;
    const auto xf = operand(f.x, fprop.a, Contracts::Columns, false);
    const auto wf = operand(f.w, fprop.b, Contracts::Columns, true);
    compareProduct(
        y, kIn, [&](int64_t i, int64_t k) { return xf[size_t(i * kIn + k)]; },
        [&](int64_t k, int64_t j) { return wf[size_t(j * kIn + k)]; }, "fprop");
    const auto gd = operand(f.dy, dgrad.a, Contracts::Columns, false);
    const auto wd = operand(f.w, dgrad.b, Contracts::Rows, true);
    compareProduct(
        f.x.grad(), kOut, [&](int64_t i, int64_t k) { return gd[size_t(i * kOut + k)]; },
        [&](int64_t k, int64_t j) { return wd[size_t(k * kIn + j)]; }, "dgrad");
    const auto gw = operand(f.dy, wgrad.a, Contracts::Rows, false);
    const auto xw = operand(f.x, wgrad.b, Contracts::Rows, false);
    compareProduct(
        f.w.grad(), kTokens, [&](int64_t i, int64_t k) { return gw[size_t(k * kOut + i)]; },
        [&](int64_t k, int64_t j) { return xw[size_t(k * kIn + j)]; }, "wgrad");
    // What is recorded is of the first cast of each operand.
    const OperandState& input = *linear.operand(OperandRole::Input);
    QVERIFY(input.cast == fprop.a);
    QCOMPARE(input.castScale == 0, fprop.a.hasManyScales());
    QVERIFY(input.scaleInvMin > 0 && input.scaleInvMin <= input.scaleInvMax);
    QVERIFY(!input.isCold() && input.last->elements == static_cast<uint64_t>(kTokens * kIn));
}

void TstFp8Linear::torchaoCastsTheMasterWeight() {
    Fixture f;
    // 0.1f rounds to another bf16 value, so a scale made from it would differ.
    f.w = at::ones_like(f.w.detach()).mul(0.1f).set_requires_grad(true);
    const auto scaleWith = [&](const char* preset) {
        const recipe::Recipe recipe = recipe::loadRecipe(preset).value().recipe;
        Fp8Linear linear(layerPlan({true, true, true}, recipe), std::nullopt, f.w, std::nullopt);
        f.pass(linear);
        return linear.operand(OperandRole::Weight)->castScale;
    };
    QCOMPARE(scaleWith("preset:ao-tensorwise"), static_cast<float>(448.0 / static_cast<double>(0.1f)));
    QCOMPARE(scaleWith("preset:te-current"), 448.0f / numerics::roundToBf16(0.1f));
}

void TstFp8Linear::dequantisedBackwardTakesTheSavedCasts() {
    for (const char* preset : {"preset:te-current", "preset:te-block"}) {
        recipe::Recipe recipe = recipe::loadRecipe(preset).value().recipe;
        Fixture f;
        const auto gradientWith = [&](recipe::BackwardOverride way) {
            recipe.native.backwardOverride = way;
            recipe::LayerPlan plan = layerPlan({true, true, true}, recipe);
            Fp8Linear linear(plan, std::nullopt, f.w, std::nullopt);
            f.pass(linear);
            if (linear.operand(OperandRole::GradOutput) != nullptr) qFatal("dy is cast");
            return f.w.grad().clone();
        };
        const at::Tensor high = gradientWith(recipe::BackwardOverride::HighPrecision);
        const at::Tensor dequantised = gradientWith(recipe::BackwardOverride::Dequantized);
        Fp8Linear baseline(layerPlan({false, false, false}), std::nullopt, f.w, std::nullopt);
        f.pass(baseline);
        QVERIFY(high.equal(f.w.grad()));
        CastOutcome outcome;
        const auto cast = recipe::gemmPlans(recipe, nullptr)[0].a;
        const backend::Operand saved = f.cpu->dequantised(
            castOperand(*f.cpu, f.x.detach(), {cast, Contracts::Columns, 1.0f, true, {}}, outcome), true);
        const backend::Operand dy = f.cpu->highPrecision(f.dy, true);
        QVERIFY(dequantised.equal(f.cpu->matmul({dy, backend::Layout::Transposed}, {saved}, {true})));
        QVERIFY(!dequantised.equal(high));
    }
}

void TstFp8Linear::currentScalingUsesTheTensorsOwnAmax() {
    Fixture f;
    recipe::Recipe recipe = recipe::loadRecipe("preset:te-current").value().recipe;
    recipe.native.amaxEpsilon = 100;
    Fp8Linear floored(layerPlan({true, true, true}, recipe), std::nullopt, f.w, std::nullopt);
    f.pass(floored);
    QCOMPARE(floored.operand(OperandRole::Input)->castScale, 4.48f);
    recipe.native.amaxEpsilon = 0;
    Fp8Linear linear(layerPlan({true, true, true}, recipe), std::nullopt, f.w, std::nullopt);
    f.pass(linear);
    const OperandState& input = *linear.operand(OperandRole::Input);
    QCOMPARE(input.castScale, 448.0f / input.last->amax);
    QVERIFY(!input.scaling && input.last->saturated == 0);
    QCOMPARE(linear.operand(OperandRole::GradOutput)->castScale,
             57344.0f / linear.operand(OperandRole::GradOutput)->last->amax);
}

void TstFp8Linear::evaluationTakesTheRecipesCasts() {
    Fixture f;
    const recipe::Recipe recipe = recipe::loadRecipe("preset:ao-rowwise").value().recipe;
    Fp8Linear linear(layerPlan({true, true, true}, recipe), std::nullopt, f.w, std::nullopt);
    const at::Tensor trained = f.pass(linear);
    PassContext evaluation;
    evaluation.mode = PassMode::EvalFp8Feeding;
    QVERIFY(linear.forward(f.x, *f.cpu, evaluation).equal(trained));
    evaluation.mode = PassMode::EvalHighPrecision;
    QVERIFY(!linear.forward(f.x, *f.cpu, evaluation).equal(trained));
}

QTEST_GUILESS_MAIN(TstFp8Linear)
#include "tst_fp8_linear.moc"
