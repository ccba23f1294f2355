// SPDX-License-Identifier: Apache-2.0
// A whole small experiment into a store: rows, layers, events, commands of every kind, and what is refused before
// anything is written.
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <functional>

#include "engine/recipe/recipe_json.h"
#include "engine/store/reader.h"
#include "engine/store/writer.h"
#include "engine/train/experiment.h"

using namespace octet;
using namespace octet::train;

namespace {

recipe::RunSpec smallSpec() {
    recipe::RunSpec spec;
    spec.model = "llama:d=32,layers=1,heads=2,ctx=16";
    spec.data = "synthetic:1";
    spec.batch = 2;
    spec.steps = 12;
    spec.evalEvery = 5;
    spec.evalBatches = 1;
    spec.exponentsEvery = 4;
    return spec;
}

/// Runs `during` after each step; collects what was said.
class Listener final : public ExperimentListener {
public:
    std::function<void(const std::vector<RunProgress>&)> during;
    std::vector<std::string> sentences;

    void started(store::ExperimentId, const std::vector<RunProgress>&) override {}
    void advanced(const std::vector<RunProgress>& runs, double) override {
        if (during) during(runs);
    }
    void said(const std::string& sentence) override { sentences.push_back(sentence); }
};

struct Project {
    QTemporaryDir folder;
    std::string path = folder.filePath("t.octet").toStdString();
    Listener listener;
    std::stop_source stop;

    ExperimentOutcome run(const recipe::RunSpec& spec) {
        auto prepared = prepareExperiment(spec);
        if (!prepared) qFatal("%s", prepared.error().message.c_str());
        auto writer = store::Writer::open(path, {.create = true});
        if (!writer) qFatal("%s", writer.error().message.c_str());
        auto outcome = runExperiment(*prepared, **writer, listener, stop.get_token());
        if (!outcome) qFatal("%s", outcome.error().message.c_str());
        return *outcome;
    }

    std::unique_ptr<store::Reader> reader() { return std::move(store::Reader::open(path).value()); }

    store::RunInfo runNamed(const std::string& name) {
        const auto runs = reader()->runs(true);
        for (const auto& run : *runs) {
            if (run.name == name) return run;
        }
        qFatal("no run %s", name.c_str());
    }

    store::SeriesData samples(store::RunId run, const std::string& layer, const std::string& operand,
                              const std::string& statistic) {
        const auto open = reader();
        const auto series = open->series(run);
        for (const auto& one : *series) {
            if (one.key.layer == layer && one.key.operand == operand && one.key.statistic == statistic) {
                return open->samples(one.id).value();
            }
        }
        return {};
    }

    std::vector<store::Event> events(store::RunId run, store::EventKind kind) {
        std::vector<store::Event> found;
        const auto all = reader()->events(run);
        std::copy_if(all->begin(), all->end(), std::back_inserter(found),
                     [&](const auto& e) { return e.kind == kind; });
        return found;
    }
};

constexpr const char* kLayer = "model.layers.0.mlp.down_proj";

}  // namespace

class TstExperiment final : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { (void)prepareDevice(2); }
    void everythingIsRecorded();
    void manyScalesAreRecordedByTheirRange();
    void runsOfAnExperimentSeeTheSameData();
    void sequentialAndInterleavedGiveTheSameLosses();
    void seedsBecomeRuns();
    void oneRunPausesWhileTheOthersGoOn();
    void stopKeepsWhatWasRecorded();
    void anotherRecipeFromTheNextStep();
    void commandsThatCannotBeObeyedAreRefused();
    void aStopRequestEndsAllRuns();
    void onNanDecidesWhatHappens_data();
    void onNanDecidesWhatHappens();
    void statisticsCanBeRecordedLessOften();
    void refusalsBeforeAnythingIsWritten_data();
    void refusalsBeforeAnythingIsWritten();
};

void TstExperiment::everythingIsRecorded() {
    Project project;
    const auto outcome = project.run(smallSpec());
    QVERIFY(!outcome.storeTrouble);
    QCOMPARE(outcome.runs.size(), size_t{4});
    const auto reader = project.reader();
    const auto runs = reader->runs();
    QCOMPARE(runs->size(), size_t{3});  // the twin is hidden
    for (const auto& run : *runs) {
        QCOMPARE(run.state, store::RunState::Done);
        QCOMPARE(run.steps, int64_t{12});
        QCOMPARE(run.environment["tokens_per_update"].get<int>(), 32);
        QVERIFY(run.environment["versions"].contains("torch"));
    }
    const auto hybrid = project.runNamed("hybrid-16");
    QCOMPARE(hybrid.effective["scaling"]["backward"].get<std::string>(), "E5M2");
    const auto loss = project.samples(hybrid.id, "", "", "loss");
    QCOMPARE(loss.value.size(), size_t{12});
    QCOMPARE(loss.step.front(), 0.0);
    QCOMPARE(loss.tokens.back(), 12.0 * 32.0);
    QVERIFY(loss.wallTime.back() > loss.wallTime.front());
    const auto amax = project.samples(hybrid.id, kLayer, "grad_output", "amax");
    const auto scale = project.samples(hybrid.id, kLayer, "grad_output", "scale");
    QCOMPARE(amax.value.size(), size_t{12});
    QCOMPARE(scale.value.front(), 1.0f);
    QCOMPARE(scale.value[1], 57344.0f / amax.value[0]);
    QCOMPARE(project.samples(hybrid.id, kLayer, "input", "underflows%").value.size(), size_t{12});
    const auto evaluations = project.samples(hybrid.id, "", "", "eval_loss_fp8");
    QCOMPARE(evaluations.step, (std::vector<double>{4, 9, 11}));
    const auto exponents = reader->exponents(hybrid.id, {kLayer, "weight"});
    QCOMPARE(exponents->size(), size_t{3});
    const auto layers = reader->layers(hybrid.id);
    QCOMPARE(layers->size(), size_t{8});
    QCOMPARE(layers->at(0).gemms["dgrad"].get<std::string>(), "E5M2 x E4M3");
    QVERIFY(!layers->at(0).reason.empty());
    QCOMPARE(project.events(hybrid.id, store::EventKind::ColdStart).size(), size_t{2});
    QCOMPARE(project.events(hybrid.id, store::EventKind::Finished).size(), size_t{1});
    const auto baseline = project.runNamed("baseline");
    QVERIFY(baseline.baseline);
    QVERIFY(project.samples(baseline.id, kLayer, "input", "amax").value.empty());
    const auto twin = project.runNamed("baseline A/A");
    QVERIFY(twin.hidden && !twin.baseline);
    QVERIFY(project.samples(twin.id, "", "", "loss").value != project.samples(baseline.id, "", "", "loss").value);
}

void TstExperiment::manyScalesAreRecordedByTheirRange() {
    Project project;
    recipe::RunSpec spec = smallSpec();
    spec.recipes = {"preset:te-block", "preset:ao-tensorwise", "preset:baseline"};
    spec.model = "llama:d=32,layers=2,heads=2,ctx=16";
    (void)project.run(spec);
    const store::RunId block = project.runNamed("te-block").id, tensorwise = project.runNamed("ao-tensorwise").id;
    const auto least = project.samples(block, kLayer, "grad_output", "scale_inv_min");
    const auto most = project.samples(block, kLayer, "grad_output", "scale_inv_max");
    QCOMPARE(least.value.size(), size_t{12});
    for (size_t i = 0; i < least.value.size(); ++i)
        QVERIFY(least.value[i] > 0 && least.value[i] <= most.value[i]);
    QVERIFY(project.samples(block, kLayer, "grad_output", "scale").value.empty());
    const auto scale = project.samples(tensorwise, kLayer, "weight", "scale");
    const auto amax = project.samples(tensorwise, kLayer, "weight", "amax");
    QCOMPARE(scale.value.size(), size_t{12});
    QCOMPARE(scale.value[5], static_cast<float>(448.0 / static_cast<double>(amax.value[5])));
    // Accelerate leaves the first and the last Linear of a torchao model alone.
    QVERIFY(project.samples(tensorwise, "lm_head", "input", "amax").value.empty());
    QVERIFY(project.events(block, store::EventKind::ColdStart).empty());
    const auto layers = project.reader()->layers(block).value();
    const auto down = std::ranges::find(layers, std::string(kLayer), &store::LayerInfo::name);
    QVERIFY(down != layers.end());
    QCOMPARE(down->gemms["fprop"].get<std::string>(), std::string("E4M3 1x128 by E4M3 128x128"));
}

void TstExperiment::runsOfAnExperimentSeeTheSameData() {
    Project project;
    (void)project.run(smallSpec());
    const auto a = project.runNamed("hybrid-16"), b = project.runNamed("baseline");
    for (const char* key : {"data_hash", "order_hash", "model", "versions", "batch"})
        QCOMPARE(a.environment[key], b.environment[key]);
    // Before the first update only the cast separates the two.
    const auto lossA = project.samples(a.id, "", "", "loss"), lossB = project.samples(b.id, "", "", "loss");
    QVERIFY(std::abs(lossA.value[0] - lossB.value[0]) < 0.05f);
}

void TstExperiment::sequentialAndInterleavedGiveTheSameLosses() {
    Project interleaved, sequential;
    recipe::RunSpec spec = smallSpec();
    (void)interleaved.run(spec);
    spec.order = recipe::RunOrder::Sequential;
    (void)sequential.run(spec);
    for (const char* name : {"hybrid-16", "e4m3-16", "baseline"}) {
        QCOMPARE(interleaved.samples(interleaved.runNamed(name).id, "", "", "loss").value,
                 sequential.samples(sequential.runNamed(name).id, "", "", "loss").value);
    }
}

void TstExperiment::seedsBecomeRuns() {
    Project project;
    recipe::RunSpec spec = smallSpec();
    spec.recipes = {"preset:hybrid-16", "preset:baseline"};
    spec.seeds = {1, 2};
    spec.steps = 2;
    const auto outcome = project.run(spec);
    QStringList names;
    for (const RunProgress& run : outcome.runs)
        names << QString::fromStdString(run.name);
    QCOMPARE(names, (QStringList{"hybrid-16 seed 1", "baseline seed 1", "hybrid-16 seed 2", "baseline seed 2",
                                 "baseline seed 1 A/A"}));
    QVERIFY(project.runNamed("baseline seed 2").baseline);
}

void TstExperiment::oneRunPausesWhileTheOthersGoOn() {
    Project project;
    bool paused = false, resumed = false;
    int64_t stepsAtResume = 0;
    project.listener.during = [&](const std::vector<RunProgress>& runs) {
        const store::RunId e4m3 = project.runNamed("e4m3-16").id;
        if (!paused && runs[1].stepsDone == 3)
            paused = store::sendCommand(project.path, e4m3, store::CommandVerb::Pause).ok();
        if (!resumed && runs[0].stepsDone == 12 && runs[2].stepsDone == 12) {
            stepsAtResume = runs[1].stepsDone;
            resumed = store::sendCommand(project.path, e4m3, store::CommandVerb::Resume).ok();
        }
    };
    (void)project.run(smallSpec());
    QVERIFY(paused && resumed);
    QVERIFY2(stepsAtResume >= 3 && stepsAtResume <= 4, qPrintable(QString::number(stepsAtResume)));
    const auto run = project.runNamed("e4m3-16");
    QCOMPARE(run.state, store::RunState::Done);
    QCOMPARE(project.samples(run.id, "", "", "loss").value.size(), size_t{12});
    QCOMPARE(project.events(run.id, store::EventKind::Paused).size(), size_t{1});
    QCOMPARE(project.events(run.id, store::EventKind::Resumed).size(), size_t{1});
}

void TstExperiment::stopKeepsWhatWasRecorded() {
    Project project;
    std::optional<store::CommandId> sent;
    project.listener.during = [&](const std::vector<RunProgress>& runs) {
        if (sent || runs[0].stepsDone != 4) return;
        sent = store::sendCommand(project.path, project.runNamed("hybrid-16").id, store::CommandVerb::Stop).value();
    };
    (void)project.run(smallSpec());
    const auto run = project.runNamed("hybrid-16");
    QCOMPARE(run.state, store::RunState::Stopped);
    QVERIFY(run.steps >= 4 && run.steps <= 5);
    QCOMPARE(project.samples(run.id, "", "", "loss").value.size(), static_cast<size_t>(run.steps));
    QCOMPARE(store::commandStatus(project.path, *sent).value(), "done");
    QCOMPARE(project.runNamed("baseline").state, store::RunState::Done);
}

void TstExperiment::anotherRecipeFromTheNextStep() {
    Project project;
    bool sent = false;
    project.listener.during = [&](const std::vector<RunProgress>& runs) {
        if (sent || runs[0].stepsDone != 4) return;
        const Json recipe = recipe::recipeToJson(recipe::loadRecipe("preset:e4m3-16")->recipe);
        sent = store::sendCommand(project.path, project.runNamed("hybrid-16").id, store::CommandVerb::SetRecipe, recipe)
                   .ok();
    };
    (void)project.run(smallSpec());
    QVERIFY(sent);
    const auto run = project.runNamed("hybrid-16");
    QCOMPARE(run.recipeChanges, 1);
    const auto changes = project.events(run.id, store::EventKind::RecipeChange);
    QCOMPARE(changes.size(), size_t{1});
    const auto scales = project.samples(run.id, kLayer, "grad_output", "scale");
    QCOMPARE(scales.value[static_cast<size_t>(changes[0].step)], 1.0f);
}

void TstExperiment::commandsThatCannotBeObeyedAreRefused() {
    Project project;
    std::vector<store::CommandId> sent;
    project.listener.during = [&](const std::vector<RunProgress>& runs) {
        if (!sent.empty() || runs[0].stepsDone != 3) return;
        const store::RunId run = project.runNamed("hybrid-16").id;
        const Json baseline = recipe::recipeToJson(recipe::loadRecipe("preset:baseline")->recipe);
        sent.push_back(store::sendCommand(project.path, run, store::CommandVerb::Checkpoint).value());
        sent.push_back(store::sendCommand(project.path, run, store::CommandVerb::SetRecipe, baseline).value());
        sent.push_back(store::sendCommand(project.path, run, store::CommandVerb::SetRecipe,
                                          Json{{"octet_recipe", 1}, {"nonsense", 2}})
                           .value());
    };
    (void)project.run(smallSpec());
    QCOMPARE(sent.size(), size_t{3});
    const QStringList words{"checkpoint", "new run", "nonsense"};
    for (int i = 0; i < 3; ++i) {
        const QString status =
            QString::fromStdString(store::commandStatus(project.path, sent[static_cast<size_t>(i)]).value());
        QVERIFY2(status.startsWith("refused") && status.contains(words[i]), qPrintable(status));
    }
    QCOMPARE(project.runNamed("hybrid-16").state, store::RunState::Done);
}

void TstExperiment::aStopRequestEndsAllRuns() {
    Project project;
    project.listener.during = [&](const std::vector<RunProgress>& runs) {
        if (runs[0].stepsDone == 3) project.stop.request_stop();
    };
    (void)project.run(smallSpec());
    for (const char* name : {"hybrid-16", "e4m3-16", "baseline", "baseline A/A"}) {
        const auto run = project.runNamed(name);
        QCOMPARE(run.state, store::RunState::Stopped);
        QVERIFY(run.steps >= 2 && run.steps <= 3);
    }
}

void TstExperiment::onNanDecidesWhatHappens_data() {
    QTest::addColumn<int>("onNan");
    QTest::newRow("continue") << static_cast<int>(recipe::OnNan::Continue);
    QTest::newRow("pause") << static_cast<int>(recipe::OnNan::Pause);
    QTest::newRow("stop") << static_cast<int>(recipe::OnNan::Stop);
}

void TstExperiment::onNanDecidesWhatHappens() {
    QFETCH(int, onNan);
    Project project;
    recipe::RunSpec spec = smallSpec();
    spec.recipes = {"preset:hybrid-16"};
    spec.optimizer.lr = 50;
    spec.optimizer.minLr = 50;
    spec.optimizer.clipNorm = 0;
    spec.optimizer.warmupSteps = 0;
    spec.optimizer.weightDecay = 10;
    spec.steps = 60;
    spec.onNan = static_cast<recipe::OnNan>(onNan);
    bool sawPaused = false;
    project.listener.during = [&](const std::vector<RunProgress>& runs) {
        sawPaused = sawPaused || runs[0].state == store::RunState::Paused;
        if (runs[0].state == store::RunState::Paused) project.stop.request_stop();
    };
    (void)project.run(spec);
    const auto run = project.runNamed("hybrid-16");
    const auto events = project.events(run.id, store::EventKind::NotFinite);
    QVERIFY2(!events.empty(), "the run never met NaN or Inf");
    QVERIFY(!events[0].layer.empty());
    QCOMPARE(sawPaused, spec.onNan == recipe::OnNan::Pause);
    if (spec.onNan == recipe::OnNan::Continue) {
        QCOMPARE(run.state, store::RunState::Done);
        const auto loss = project.samples(run.id, "", "", "loss");
        QCOMPARE(loss.value.size(), size_t{60});
        QVERIFY(std::any_of(loss.value.begin(), loss.value.end(), [](float v) { return !std::isfinite(v); }));
    } else {
        QCOMPARE(run.state, store::RunState::Stopped);
        QVERIFY(run.steps < 60);
    }
}

void TstExperiment::statisticsCanBeRecordedLessOften() {
    Project project;
    recipe::RunSpec spec = smallSpec();
    spec.recipes = {"preset:hybrid-16"};
    spec.statisticsEvery = 4;
    (void)project.run(spec);
    const auto run = project.runNamed("hybrid-16");
    QCOMPARE(project.samples(run.id, kLayer, "input", "amax").value.size(), size_t{12});
    QCOMPARE(project.samples(run.id, kLayer, "input", "mse").step, (std::vector<double>{0, 4, 8}));
}

void TstExperiment::refusalsBeforeAnythingIsWritten_data() {
    QTest::addColumn<QString>("what");
    QTest::addColumn<QStringList>("words");
    QTest::newRow("recipe") << "preset:hybrid-61" << QStringList{"hybrid-61", "hybrid-16"};
    QTest::newRow("model") << "llama:d=30,heads=4" << QStringList{"30", "4"};
    QTest::newRow("data") << "text:/nonexistent/file" << QStringList{"/nonexistent/file"};
    QTest::newRow("device") << "cuda" << QStringList{"cuda", "--device"};
    QTest::newRow("twice the same recipe") << "twice" << QStringList{"hybrid-16"};
}

void TstExperiment::refusalsBeforeAnythingIsWritten() {
    QFETCH(QString, what);
    QFETCH(QStringList, words);
    recipe::RunSpec spec = smallSpec();
    if (what.startsWith("preset:")) spec.recipes = {what.toStdString()};
    if (what.startsWith("llama:")) spec.model = what.toStdString();
    if (what.startsWith("text:")) spec.data = what.toStdString();
    if (what == "cuda") spec.device = "cuda";
    if (what == "twice") spec.recipes = {"preset:hybrid-16", "preset:hybrid-16"};
    const auto prepared = prepareExperiment(spec);
    QVERIFY(!prepared.ok());
    QCOMPARE(exitCodeFor(prepared.error().code), 2);
    const QString text = QString::fromStdString(prepared.error().message + " " + prepared.error().hint);
    for (const QString& word : words)
        QVERIFY2(text.contains(word), qPrintable(text + " lacks " + word));
}

QTEST_GUILESS_MAIN(TstExperiment)
#include "tst_experiment.moc"
