// SPDX-License-Identifier: Apache-2.0
// One run's training: equal seeds give equal bits, it learns, scaling advances once a micro-batch, evaluation leaves no
// trace unless the recipe says so, the documented fields take effect, and NaN names its first layer.
#include <QtTest>
#include <algorithm>
#include <cmath>

#include "engine/recipe/recipe_json.h"
#include "engine/train/run_trainer.h"

using namespace octet;
using namespace octet::train;

namespace {

constexpr const char* kModel = "llama:d=32,layers=2,heads=2,ctx=32";

recipe::RunSpec smallSpec() {
    recipe::RunSpec spec;
    spec.model = kModel;
    spec.data = "synthetic:1";
    spec.batch = 4;
    spec.steps = 40;
    spec.optimizer.warmupSteps = 2;
    spec.optimizer.lr = 5e-3;
    spec.evalBatches = 2;
    return spec;
}

std::shared_ptr<const Corpus> corpusFor(const recipe::RunSpec& spec) {
    const auto model = arch::parseModelSpec(spec.model).value();
    return std::make_shared<const Corpus>(
        std::move(loadCorpus(spec.data, {model.bytesPerSequence(), spec.batch, model.vocab}).value()));
}

recipe::Recipe presetRecipe(const char* name) {
    return recipe::loadRecipe(std::string("preset:") + name)->recipe;
}

RunSetup setupFor(const recipe::RunSpec& spec, const recipe::Recipe& recipe) {
    const auto model = arch::parseModelSpec(spec.model).value();
    auto plan = recipe::planTraining(recipe, arch::listModules(model));
    if (!plan) qFatal("%s", plan.error().message.c_str());
    static const auto corpus = corpusFor(smallSpec());
    return {spec, model, *plan, corpus, 1, 0.0};
}

RunSetup setupFor(const recipe::RunSpec& spec, const char* preset) {
    return setupFor(spec, presetRecipe(preset));
}

/// Scale of every operand at each update, in order.
struct ScaleLog {
    std::vector<std::vector<float>> scales, amaxes;
    RunTrainer::UpdateCallback callback() {
        return [this](int64_t, const std::vector<OperandSample>& samples) {
            scales.emplace_back();
            amaxes.emplace_back();
            for (const OperandSample& sample : samples) {
                scales.back().push_back(sample.scale);
                amaxes.back().push_back(sample.amax);
            }
        };
    }
};

ScaleLog trainSteps(RunTrainer& trainer, int64_t steps, std::vector<double>* losses = nullptr) {
    ScaleLog log;
    for (int64_t step = 0; step < steps; ++step) {
        const StepResult result = trainer.step(step, log.callback());
        if (losses) losses->push_back(result.loss);
    }
    return log;
}

recipe::Recipe documented(recipe::Recipe recipe) {
    recipe.semantics = recipe::Semantics::Documented;
    return recipe;
}

}  // namespace

class TstRunTrainer final : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { qInfo("%s", prepareDevice(2).c_str()); }
    void equalSeedsGiveEqualBits_data();
    void equalSeedsGiveEqualBits();
    void codesAndScalesDoNotDependOnThreads();
    void itLearns_data() { equalSeedsGiveEqualBits_data(); }
    void itLearns();
    void theMlpLearns();
    void historiesAdvanceOnceAMicroBatch();
    void scaleOfAStepComesFromEarlierAmaxes();
    void evaluationLeavesNoTrace();
    void evaluationInsideFp8FeedsTheHistory();
    void mostRecentDiffersFromMaxOnlyWhenDocumented();
    void intervalHoldsTheScaleOnlyWhenDocumented();
    void overridesKeepAGemmOutOfFp8OnlyWhenDocumented();
    void e5m2TrainsOnlyWhenDocumented();
    void marginHalvesTheScale();
    void firstStepIsCold();
    void nanNamesItsFirstLayer_data() { equalSeedsGiveEqualBits_data(); }
    void nanNamesItsFirstLayer();
    void anotherPlanStartsScalingAnew();
    void everyRecipeLearns_data();
    void everyRecipeLearns();
    void currentScalesFollowTheirOwnStep();
    void torchaoEvaluatesInFp8();
    void aPerturbedTwinStaysClose();
};

void TstRunTrainer::equalSeedsGiveEqualBits_data() {
    QTest::addColumn<QByteArray>("preset");
    for (const char* preset : {"baseline", "hybrid-16", "e4m3-16"})
        QTest::newRow(preset) << QByteArray(preset);
}

void TstRunTrainer::equalSeedsGiveEqualBits() {
    QFETCH(QByteArray, preset);
    RunTrainer a(setupFor(smallSpec(), preset.constData())), b(setupFor(smallSpec(), preset.constData()));
    std::vector<double> lossesA, lossesB;
    (void)trainSteps(a, 5, &lossesA);
    (void)trainSteps(b, 5, &lossesB);
    QCOMPARE(lossesA, lossesB);
    QVERIFY(a.parameterValues() == b.parameterValues());
    RunSetup other = setupFor(smallSpec(), preset.constData());
    other.seed = 2;
    RunTrainer c(other);
    std::vector<double> lossesC;
    (void)trainSteps(c, 1, &lossesC);
    QVERIFY(lossesC[0] != lossesA[0]);
}

void TstRunTrainer::codesAndScalesDoNotDependOnThreads() {
    std::vector<numerics::CastStatistics> one, two;
    for (auto* log : {&one, &two}) {
        (void)prepareDevice(log == &one ? 1 : 2);
        RunTrainer trainer(setupFor(smallSpec(), "hybrid-16"));
        (void)trainer.step(0, [&](int64_t, const std::vector<OperandSample>& samples) {
            for (const OperandSample& sample : samples) {
                if (sample.operand == 1) log->push_back(sample.statistics);  // weights: the same tensor in both
            }
        });
    }
    QCOMPARE(one.size(), two.size());
    for (size_t i = 0; i < one.size(); ++i) {
        QCOMPARE(one[i].amax, two[i].amax);
        QCOMPARE(one[i].underflows, two[i].underflows);
        QCOMPARE(one[i].squaredError, two[i].squaredError);
    }
}

void TstRunTrainer::itLearns() {
    QFETCH(QByteArray, preset);
    RunTrainer trainer(setupFor(smallSpec(), preset.constData()));
    std::vector<double> losses;
    (void)trainSteps(trainer, 40, &losses);
    QVERIFY(std::abs(losses.front() - std::log(256.0)) < 0.2);
    QVERIFY2(losses.back() < 3.7, qPrintable(QString::number(losses.back())));
    const EvaluationResult evaluation = trainer.evaluate();
    QVERIFY(std::abs(evaluation.asRecipe - losses.back()) < 0.3);
    QCOMPARE(evaluation.fp8.has_value(), preset != "baseline");
    QCOMPARE(evaluation.asRecipe, evaluation.highPrecision);  // evaluation is outside FP8 by default
}

void TstRunTrainer::theMlpLearns() {
    recipe::RunSpec spec = smallSpec();
    spec.model = "mlp:window=4,d=16,hidden=64,layers=2";
    spec.batch = 64;
    RunTrainer trainer(setupFor(spec, "hybrid-16"));
    std::vector<double> losses;
    (void)trainSteps(trainer, 40, &losses);
    QVERIFY2(losses.back() < 3.6, qPrintable(QString::number(losses.back())));
}

void TstRunTrainer::historiesAdvanceOnceAMicroBatch() {
    recipe::RunSpec spec = smallSpec();
    spec.microBatches = 3;
    RunTrainer trainer(setupFor(spec, "hybrid-16"));
    const ScaleLog log = trainSteps(trainer, 2);
    QCOMPARE(log.scales.size(), size_t{6});
    QCOMPARE(log.scales[0][0], 1.0f);
    QVERIFY(log.scales[1][0] != 1.0f);  // the second micro-batch already has a scale from the first
    QCOMPARE(log.scales[1][0], 448.0f / log.amaxes[0][0]);
}

void TstRunTrainer::scaleOfAStepComesFromEarlierAmaxes() {
    RunTrainer trainer(setupFor(smallSpec(), "hybrid-16"));
    const ScaleLog log = trainSteps(trainer, 6);
    for (size_t operand = 0; operand < log.scales[0].size(); ++operand) {
        float amax = 0;
        for (size_t step = 0; step < 6; ++step) {
            const float fp8Max = operand % 3 == 2 ? 57344.0f : 448.0f;
            if (amax > 0)
                QCOMPARE(log.scales[step][operand], fp8Max / amax);
            else
                QCOMPARE(log.scales[step][operand], 1.0f);
            amax = std::max(amax, log.amaxes[step][operand]);
        }
    }
}

void TstRunTrainer::evaluationLeavesNoTrace() {
    RunTrainer plain(setupFor(smallSpec(), "hybrid-16")), evaluated(setupFor(smallSpec(), "hybrid-16"));
    (void)trainSteps(plain, 3);
    for (int64_t step = 0; step < 3; ++step) {
        (void)evaluated.step(step, {});
        (void)evaluated.evaluate();
    }
    QVERIFY(plain.parameterValues() == evaluated.parameterValues());
}

void TstRunTrainer::evaluationInsideFp8FeedsTheHistory() {
    recipe::Recipe recipe = presetRecipe("hybrid-16");
    recipe.te.useAutocastDuringEval = true;
    RunTrainer trainer(setupFor(smallSpec(), recipe));
    const auto log = trainSteps(trainer, 1);
    const EvaluationResult evaluation = trainer.evaluate();
    QCOMPARE(evaluation.asRecipe, *evaluation.fp8);
    QVERIFY(evaluation.asRecipe != evaluation.highPrecision);
    // The held-out batches are larger than one training batch: their amax raises row 0 before the next update.
    RunTrainer other(setupFor(smallSpec(), presetRecipe("hybrid-16")));
    (void)trainSteps(other, 1);
    ScaleLog fed, unfed;
    for (int64_t step = 1; step < 3; ++step) {
        (void)trainer.step(step, fed.callback());
        (void)other.step(step, unfed.callback());
    }
    QCOMPARE(fed.scales[0], unfed.scales[0]);
    QVERIFY(fed.scales[1] != unfed.scales[1]);
    for (size_t i = 0; i < fed.scales[1].size(); ++i)
        QVERIFY(fed.scales[1][i] <= unfed.scales[1][i]);
}

void TstRunTrainer::mostRecentDiffersFromMaxOnlyWhenDocumented() {
    recipe::Recipe recipe = presetRecipe("hybrid-16");
    recipe.te.amaxComputeAlgo = recipe::AmaxAlgo::MostRecent;
    RunTrainer library(setupFor(smallSpec(), recipe)), max(setupFor(smallSpec(), presetRecipe("hybrid-16")));
    RunTrainer asDocumented(setupFor(smallSpec(), documented(recipe)));
    const auto libraryLog = trainSteps(library, 6), maxLog = trainSteps(max, 6),
               documentedLog = trainSteps(asDocumented, 6);
    QCOMPARE(libraryLog.scales, maxLog.scales);
    for (size_t step = 1; step < 6; ++step) {
        for (size_t i = 0; i < documentedLog.scales[step].size(); ++i) {
            const float amax = documentedLog.amaxes[step - 1][i];
            if (amax > 0) QCOMPARE(documentedLog.scales[step][i], (i % 3 == 2 ? 57344.0f : 448.0f) / amax);
        }
    }
}

void TstRunTrainer::intervalHoldsTheScaleOnlyWhenDocumented() {
    recipe::Recipe recipe = presetRecipe("hybrid-16");
    recipe.te.interval = 3;
    RunTrainer library(setupFor(smallSpec(), recipe)), plain(setupFor(smallSpec(), presetRecipe("hybrid-16")));
    RunTrainer asDocumented(setupFor(smallSpec(), documented(recipe)));
    QCOMPARE(trainSteps(library, 6).scales, trainSteps(plain, 6).scales);
    const ScaleLog log = trainSteps(asDocumented, 7);
    QCOMPARE(log.scales[1], log.scales[2]);
    QCOMPARE(log.scales[2], log.scales[3]);
    QVERIFY(log.scales[3] != log.scales[4]);
}

void TstRunTrainer::overridesKeepAGemmOutOfFp8OnlyWhenDocumented() {
    recipe::Recipe recipe = presetRecipe("hybrid-16");
    recipe.te.overrideLinearPrecision = {false, false, true};
    RunTrainer library(setupFor(smallSpec(), recipe)), plain(setupFor(smallSpec(), presetRecipe("hybrid-16")));
    RunTrainer asDocumented(setupFor(smallSpec(), documented(recipe)));
    std::vector<double> libraryLosses, plainLosses, documentedLosses;
    (void)trainSteps(library, 3, &libraryLosses);
    (void)trainSteps(plain, 3, &plainLosses);
    (void)trainSteps(asDocumented, 3, &documentedLosses);
    QCOMPARE(libraryLosses, plainLosses);
    QCOMPARE(documentedLosses[0], plainLosses[0]);   // fprop is the same
    QVERIFY(documentedLosses[2] != plainLosses[2]);  // weight gradients are not
}

void TstRunTrainer::e5m2TrainsOnlyWhenDocumented() {
    recipe::Recipe recipe = presetRecipe("hybrid-16");
    recipe.te.fp8Format = recipe::TeFormat::E5M2;
    const auto modules = arch::listModules(arch::parseModelSpec(kModel).value());
    const auto refused = recipe::planTraining(recipe, modules);
    QVERIFY(!refused.ok());
    QVERIFY(QString::fromStdString(refused.error().message).contains("E5M2"));
    RunTrainer trainer(setupFor(smallSpec(), documented(recipe)));
    std::vector<double> losses;
    const ScaleLog log = trainSteps(trainer, 3, &losses);
    QCOMPARE(log.scales[1][0], 57344.0f / log.amaxes[0][0]);  // inputs are E5M2 too
    QVERIFY(losses[2] < losses[0]);
}

void TstRunTrainer::marginHalvesTheScale() {
    recipe::Recipe recipe = presetRecipe("hybrid-16");
    recipe.te.margin = 1;
    RunTrainer trainer(setupFor(smallSpec(), recipe));
    const ScaleLog log = trainSteps(trainer, 2);
    QCOMPARE(log.scales[1][0], 224.0f / log.amaxes[0][0]);
}

void TstRunTrainer::firstStepIsCold() {
    RunTrainer trainer(setupFor(smallSpec(), "e4m3-16"));
    size_t zeroGradients = 0, gradients = 0;
    (void)trainer.step(0, [&](int64_t, const std::vector<OperandSample>& samples) {
        for (const OperandSample& sample : samples) {
            QVERIFY(sample.cold);
            QCOMPARE(sample.scale, 1.0f);
            if (sample.operand != 2) continue;
            ++gradients;
            zeroGradients += sample.statistics.sumSquaresCast == 0;
        }
    });
    QCOMPARE(gradients, size_t{15});
    QVERIFY2(zeroGradients > 0, "with scale 1 E4M3 flushes gradients whole");
}

void TstRunTrainer::nanNamesItsFirstLayer() {
    QFETCH(QByteArray, preset);
    recipe::RunSpec spec = smallSpec();
    spec.optimizer.lr = 1e30;  // the second step meets weights that overflow
    spec.optimizer.clipNorm = 0;
    RunTrainer trainer(setupFor(spec, preset.constData()));
    std::optional<NotFinite> found;
    for (int64_t step = 0; step < 6 && !found; ++step)
        found = trainer.step(step, {}).notFinite;
    QVERIFY(found.has_value());
    const auto& layers = trainer.setup().plan.layers;
    const auto named =
        std::find_if(layers.begin(), layers.end(), [&](const auto& l) { return l.name == found->layer; });
    QVERIFY2(named != layers.end(), found->layer.c_str());
    QVERIFY(QStringList({"input", "weight", "output", "grad_output"}).contains(QString::fromStdString(found->operand)));
}

void TstRunTrainer::anotherPlanStartsScalingAnew() {
    const RunSetup setup = setupFor(smallSpec(), "hybrid-16");
    RunTrainer trainer(setup);
    (void)trainSteps(trainer, 3);
    const auto modules = arch::listModules(setup.model);
    QVERIFY(trainer.changePlan(recipe::planTraining(presetRecipe("e4m3-16"), modules).value()).ok());
    ScaleLog log;
    (void)trainer.step(3, log.callback());
    QCOMPARE(log.scales[0][0], 1.0f);
    // The scale of a step's own amax, from the next step on.
    QVERIFY(trainer.changePlan(recipe::planTraining(presetRecipe("te-current"), modules).value()).ok());
    ScaleLog current;
    (void)trainer.step(4, current.callback());
    QCOMPARE(current.scales[0][0], 448.0f / current.amaxes[0][0]);
    const auto blocks = trainer.changePlan(recipe::planTraining(presetRecipe("te-block"), modules).value());
    QVERIFY(!blocks.ok() && QString::fromStdString(blocks.error().message).contains("one scale an operand"));
    const auto refused = trainer.changePlan(recipe::planTraining(presetRecipe("baseline"), modules).value());
    QVERIFY(!refused.ok());
    QVERIFY(QString::fromStdString(refused.error().hint).contains("new run"));
}

void TstRunTrainer::everyRecipeLearns_data() {
    QTest::addColumn<QString>("preset");
    for (const recipe::Preset& preset : recipe::presets())
        QTest::newRow(preset.name.c_str()) << QString::fromStdString(preset.name);
}

void TstRunTrainer::everyRecipeLearns() {
    QFETCH(QString, preset);
    recipe::RunSpec spec = smallSpec();
    spec.steps = 16;
    RunTrainer trainer(setupFor(spec, qPrintable(preset))), again(setupFor(spec, qPrintable(preset)));
    std::vector<double> losses, same;
    const ScaleLog log = trainSteps(trainer, spec.steps, &losses);
    (void)trainSteps(again, spec.steps, &same);
    QVERIFY(losses == same);
    QVERIFY2(losses.back() < losses.front() - 0.1, qPrintable(QString::number(losses.back())));
    size_t casts = 0;
    for (const auto& layer : trainer.setup().plan.layers) {
        for (size_t operand = 0; operand < 3; ++operand)
            casts += recipe::firstCastOf(layer, operand) != nullptr;
    }
    QCOMPARE(log.scales.back().size(), casts);
    QCOMPARE(casts > 0, preset != "baseline");
}

void TstRunTrainer::currentScalesFollowTheirOwnStep() {
    RunTrainer trainer(setupFor(smallSpec(), "te-current"));
    const ScaleLog log = trainSteps(trainer, 2);
    for (size_t i = 0; i < log.scales[0].size(); ++i) {
        const float fp8Max = i % 3 == 2 ? 57344.0f : 448.0f;  // HYBRID: gradients in E5M2
        QCOMPARE(log.scales[0][i], fp8Max / log.amaxes[0][i]);
        QCOMPARE(log.scales[1][i], fp8Max / log.amaxes[1][i]);
    }
}

void TstRunTrainer::torchaoEvaluatesInFp8() {
    RunTrainer ao(setupFor(smallSpec(), "ao-rowwise")), te(setupFor(smallSpec(), "te-block"));
    (void)trainSteps(ao, 3);
    (void)trainSteps(te, 3);
    const EvaluationResult byAo = ao.evaluate(), byTe = te.evaluate();
    QCOMPARE(byAo.asRecipe, *byAo.fp8);
    QCOMPARE(byTe.asRecipe, byTe.highPrecision);
    QVERIFY(*byAo.fp8 != byAo.highPrecision && *byTe.fp8 != byTe.highPrecision);
}

void TstRunTrainer::aPerturbedTwinStaysClose() {
    RunSetup twin = setupFor(smallSpec(), "baseline");
    twin.perturbation = 1e-6;
    RunTrainer a(setupFor(smallSpec(), "baseline")), b(twin);
    std::vector<double> lossesA, lossesB;
    (void)trainSteps(a, 10, &lossesA);
    (void)trainSteps(b, 10, &lossesB);
    QVERIFY(lossesA != lossesB);
    QVERIFY(std::abs(lossesA[9] / lossesB[9] - 1) < 0.01);
}

QTEST_GUILESS_MAIN(TstRunTrainer)
#include "tst_run_trainer.moc"
