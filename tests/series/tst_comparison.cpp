// SPDX-License-Identifier: Apache-2.0
// Verdicts on hand-computed gaps, and the published pairs of cases C113 and C207.
#include <QtTest>
#include <cmath>

#include "engine/core/files.h"
#include "engine/core/json.h"
#include "engine/core/text.h"
#include "engine/series/comparison.h"

using namespace octet;
using namespace octet::series;

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// A run with constant loss: its smoothed loss is that constant at every step.
ComparedRun flatRun(int64_t id, const std::string& group, int64_t seed, float loss, int steps = 100) {
    ComparedRun run;
    run.id = id;
    run.name = run.group = group;
    run.seed = seed;
    run.baseline = group == "baseline";
    run.facts = {{"model", "mlp"}, {"data hash", "51aa"}};
    for (int step = 0; step < steps; ++step)
        run.step.push_back(step);
    run.loss.assign(run.step.size(), loss);
    return run;
}

ComparedRun twinOf(ComparedRun baseline, float loss) {
    baseline.id += 100;
    baseline.baseline = false;
    baseline.twin = true;
    baseline.loss.assign(baseline.loss.size(), loss);
    return baseline;
}

/// One baseline (loss 2) and one run for each gap in percent, seeds counted from 1.
std::vector<ComparedRun> seedsWithGaps(const std::vector<double>& gaps) {
    std::vector<ComparedRun> runs;
    int64_t seed = 0;
    for (const double gap : gaps) {
        ++seed;
        runs.push_back(flatRun(seed, "baseline", seed, 2));
        runs.push_back(flatRun(seed + 10, "fp8", seed, static_cast<float>(2 + gap / 50)));
    }
    return runs;
}

const RunGap& gapOfRun(const Comparison& comparison, int64_t id) {
    for (const RunGap& run : comparison.runs)
        if (run.id == id) return run;
    qFatal("no run %lld", static_cast<long long>(id));
}

/// A case's log: the header's values as facts, then one object a line.
ComparedRun loggedRun(const std::string& name, const char* lossKey, const std::vector<std::string>& factKeys) {
    const auto text = readFile(std::string(OCTET_TEST_DATA) + "/cases/" + name);
    if (!text.ok()) qFatal("%s", text.error().message.c_str());
    ComparedRun run;
    for (const std::string& line : split(trimmed(*text), '\n')) {
        const Json json = Json::parse(line);
        if (json.contains("run")) {
            run.name = run.group = json["run"].get<std::string>();
            run.seed = json["seed"].get<int64_t>();
            for (const std::string& key : factKeys)
                run.facts.emplace_back(key, json[key].get<std::string>());
        } else if (json.contains(lossKey)) {
            run.step.push_back(json["step"].get<double>());
            run.loss.push_back(json[lossKey].get<float>());
        }
    }
    run.baseline = run.name == "bf16";
    run.id = run.baseline ? 1 : 2;
    return run;
}

bool isNear(double a, double b, double within = 1e-5) {
    return std::fabs(a - b) <= within;
}

}  // namespace

class TstComparison final : public QObject {
    Q_OBJECT

private slots:
    void smoothedLossDecidesTheGap();
    void theLastCommonStepIsUsed();
    void noiseIsTheTwinsLargestGapAtTheEnd();
    void wordsWithoutABar_data();
    void wordsWithoutABar();
    void nothingIsJudgedTooEarly_data();
    void nothingIsJudgedTooEarly();
    void wordsWithABar_data();
    void wordsWithABar();
    void seedsArePairedWithTheirOwnBaseline();
    void refusals_data();
    void refusals();
    void notFiniteLossIsSaid();
    void aSeedThatDivergedSpeaksForItsRecipe();
    void publishedPairC207();
    void differentVersionsC113();
    void smallStatistics();
};

void TstComparison::smoothedLossDecidesTheGap() {
    ComparedRun baseline = flatRun(1, "baseline", 1, 4, 2), run = flatRun(2, "fp8", 1, 4, 2);
    run.loss = {4, 8};
    // b = 0.9, second weight 0.1 / 0.19: 4 + 4 * 0.526316 = 6.105263
    const Comparison comparison = compareRuns(std::vector{baseline, run}, {});
    QVERIFY(isNear(*gapOfRun(comparison, 2).finalLoss, 4 + 4 / 1.9));
    QVERIFY(isNear(*gapOfRun(comparison, 2).gapPercent, 100 / 1.9));
    QCOMPARE(*gapOfRun(comparison, 1).gapPercent, 0.0);
    QCOMPARE(gapOfRun(comparison, 1).words, std::string("baseline"));
}

void TstComparison::theLastCommonStepIsUsed() {
    ComparedRun baseline = flatRun(1, "baseline", 1, 2, 100), run = flatRun(2, "fp8", 1, 2.02f, 60);
    std::fill(baseline.loss.begin() + 60, baseline.loss.end(), 1.0f);
    ComparedRun notStarted = flatRun(3, "late", 1, 0, 0), twin = twinOf(flatRun(1, "baseline", 1, 2, 30), 2);
    const Comparison comparison = compareRuns(std::vector{baseline, run, notStarted, twin}, {});
    QCOMPARE(comparison.commonSteps.size(), size_t{60});
    QCOMPARE(*gapOfRun(comparison, 1).finalLoss, 2.0);
    QVERIFY(isNear(*gapOfRun(comparison, 2).gapPercent, 1.0));
    QCOMPARE(gapOfRun(comparison, 3).words, std::string("no loss recorded yet"));
    QVERIFY(!gapOfRun(comparison, 3).finalLoss);
    // A twin that is behind says nothing about the end.
    QVERIFY(!comparison.noisePercent);
}

void TstComparison::noiseIsTheTwinsLargestGapAtTheEnd() {
    const ComparedRun baseline = flatRun(1, "baseline", 1, 2, 200);
    ComparedRun twin = twinOf(baseline, 2);
    // A jump long before the last tenth (steps 180 to 199) has faded by then: 0.9^100 of 50 %.
    twin.loss[80] = 3;
    QVERIFY(*compareRuns(std::vector{baseline, twin}, {}).noisePercent < 0.01);
    // At step 185 the weight is 0.1 / (1 - 0.9^186): 5 % of it is the largest smoothed gap.
    twin.loss[80] = 2;
    twin.loss[185] = 1.9f;
    const Comparison comparison = compareRuns(std::vector{baseline, twin}, {});
    QVERIFY(isNear(*comparison.noisePercent, 0.5));
    QCOMPARE(comparison.runs.size(), size_t{1});
    QVERIFY(isNear(*comparison.runs[0].noisePercent, 0.5));
}

void TstComparison::wordsWithoutABar_data() {
    QTest::addColumn<float>("loss");
    QTest::addColumn<bool>("withTwin");
    QTest::addColumn<std::string>("words");
    QTest::newRow("a gap smaller than the noise is within it") << 2.015625f << true << std::string("within noise");
    QTest::newRow("a gap as large as the noise is within it") << 2.03125f << true << std::string("within noise");
    QTest::newRow("a negative gap counts by its size") << 1.9f << true << std::string("beyond noise");
    QTest::newRow("a larger gap is beyond the noise") << 2.0625f << true << std::string("beyond noise");
    QTest::newRow("no A/A run, no claim") << 2.0625f << false << std::string("NOT ENOUGH DATA");
}

void TstComparison::wordsWithoutABar() {
    QFETCH(float, loss);
    QFETCH(bool, withTwin);
    QFETCH(std::string, words);
    const ComparedRun baseline = flatRun(1, "baseline", 1, 2);
    std::vector runs{baseline, flatRun(2, "fp8", 1, loss)};
    if (withTwin) runs.push_back(twinOf(baseline, 1.96875f));
    const Comparison comparison = compareRuns(runs, {});
    QCOMPARE(gapOfRun(comparison, 2).words, words);
    QCOMPARE(comparison.groups.front().words, words);
}

void TstComparison::nothingIsJudgedTooEarly_data() {
    QTest::addColumn<int>("steps");
    QTest::addColumn<float>("twinLoss");  // the baseline's is 2
    QTest::addColumn<std::string>("words");
    QTest::addColumn<std::string>("why");
    const std::string open = "NOT ENOUGH DATA", beyond = "beyond noise";
    QTest::newRow("29 steps") << 29 << 2.01f << open << std::string("29 common steps of at least 30");
    QTest::newRow("30 steps") << 30 << 2.01f << beyond << std::string();
    QTest::newRow("a twin that is still the baseline") << 100 << 2.0f << open << std::string("not known yet");
    QTest::newRow("a noise of 0.005 %") << 100 << 2.0001f << open << std::string("not known yet");
    QTest::newRow("a noise of 0.02 %") << 100 << 2.0004f << beyond << std::string();
}

void TstComparison::nothingIsJudgedTooEarly() {
    QFETCH(int, steps);
    QFETCH(float, twinLoss);
    QFETCH(std::string, words);
    QFETCH(std::string, why);
    const ComparedRun baseline = flatRun(1, "baseline", 1, 2, steps);
    const std::vector runs{baseline, flatRun(2, "fp8", 1, 2.1f, steps), twinOf(baseline, twinLoss)};
    const Comparison comparison = compareRuns(runs, {});
    QCOMPARE(gapOfRun(comparison, 2).words, words);
    QVERIFY2(comparison.tooEarly.find(why) != std::string::npos, comparison.tooEarly.c_str());
    QCOMPARE(comparison.tooEarly.empty(), why.empty());
    QVERIFY(isNear(*gapOfRun(comparison, 2).gapPercent, 5));  // the gap itself is there
}

void TstComparison::wordsWithABar_data() {
    QTest::addColumn<std::vector<double>>("gaps");
    QTest::addColumn<std::string>("words");
    const std::string pass = "PASS", fail = "FAIL", open = "NOT ENOUGH DATA";
    QTest::newRow("one seed is never enough") << std::vector{0.1} << open;
    // two seeds: half width 12.706 * 0.1 = 1.27 around 0.2
    QTest::newRow("two seeds with an interval over the bar") << std::vector{0.1, 0.3} << open;
    QTest::newRow("two seeds with an interval clear below") << std::vector{0.40, 0.42} << pass;
    QTest::newRow("two seeds with an interval clear above") << std::vector{2.40, 2.42} << fail;
    // four seeds around 0.85: s = 0.2, half width 3.182 * 0.1
    QTest::newRow("four seeds with an interval over the bar")
        << std::vector{0.676795, 0.676795, 1.023205, 1.023205} << open;
    QTest::newRow("five seeds decide by their mean, below") << std::vector{0.5, 0.7, 0.9, 1.1, 1.3} << pass;
    QTest::newRow("five seeds decide by their mean, above") << std::vector{0.7, 0.9, 1.1, 1.3, 1.5} << fail;
    QTest::newRow("better than the baseline passes") << std::vector{-0.40, -0.42} << pass;
}

void TstComparison::wordsWithABar() {
    QFETCH(std::vector<double>, gaps);
    QFETCH(std::string, words);
    const Comparison comparison = compareRuns(seedsWithGaps(gaps), 1.0);
    QCOMPARE(comparison.groups.size(), size_t{1});
    QCOMPARE(comparison.groups[0].words, words);
    QCOMPARE(comparison.groups[0].seeds, static_cast<int64_t>(gaps.size()));
    for (size_t seed = 1; seed <= gaps.size(); ++seed)
        QCOMPARE(gapOfRun(comparison, static_cast<int64_t>(seed) + 10).words, words);
}

void TstComparison::seedsArePairedWithTheirOwnBaseline() {
    const std::vector runs{flatRun(1, "baseline", 1, 2), flatRun(2, "baseline", 2, 4), flatRun(3, "fp8", 1, 2.02f),
                           flatRun(4, "fp8", 2, 4.12f)};
    const Comparison comparison = compareRuns(runs, {});
    QVERIFY(isNear(*gapOfRun(comparison, 3).gapPercent, 1));
    QVERIFY(isNear(*gapOfRun(comparison, 4).gapPercent, 3));
    const GroupGap& group = comparison.groups.at(0);
    QVERIFY(isNear(*group.meanPercent, 2));
    // s = sqrt(2), s / sqrt(2) = 1: half width is t(1) = 12.706
    QVERIFY(isNear(group.interval->first, 2 - 12.706205, 1e-3));
    QVERIFY(isNear(group.interval->second, 2 + 12.706205, 1e-3));
}

void TstComparison::refusals_data() {
    QTest::addColumn<int>("fault");
    QTest::addColumn<std::string>("words");
    const std::string start = "not like for like: ";
    QTest::newRow("another seed") << 0 << start + "no baseline with seed 9";
    QTest::newRow("another data hash") << 1 << start + "data hash 51aa against 77ff";
    QTest::newRow("two facts differ") << 2 << start + "model mlp against llama; data hash 51aa against 77ff";
    QTest::newRow("a fact nobody stamped") << 3 << start + "data hash 51aa against unknown";
    QTest::newRow("a fact that the baseline lacks") << 4 << start + "torch unknown against 2.11.0";
    QTest::newRow("a recipe changed on the way") << 5 << start + "the run changed its recipe on the way";
    QTest::newRow("no step in common") << 6 << start + "no step in common";
}

void TstComparison::refusals() {
    QFETCH(int, fault);
    QFETCH(std::string, words);
    ComparedRun run = flatRun(2, "fp8", 1, 2);
    if (fault == 0) run.seed = 9;
    if (fault == 1 || fault == 2) run.facts[1].second = "77ff";
    if (fault == 2) run.facts[0].second = "llama";
    if (fault == 3) run.facts.pop_back();
    if (fault == 4) run.facts.emplace_back("torch", "2.11.0");
    if (fault == 5) run.recipeChanges = 1;
    if (fault == 6)
        for (double& step : run.step)
            step += 1000;
    const Comparison comparison = compareRuns(std::vector{flatRun(1, "baseline", 1, 2), run}, 1.0);
    const RunGap& gap = gapOfRun(comparison, 2);
    QCOMPARE(gap.words, words);
    QVERIFY(gap.verdict == Verdict::Refused);
    QVERIFY(!gap.gapPercent);
    QCOMPARE(comparison.groups.at(0).words, words);
}

void TstComparison::notFiniteLossIsSaid() {
    const ComparedRun baseline = flatRun(1, "baseline", 1, 2);
    ComparedRun diverged = flatRun(2, "fp8", 1, 2), recovered = flatRun(3, "other", 1, 2);
    std::fill(diverged.loss.begin() + 57, diverged.loss.end(), kNan);
    diverged.loss[20] = kNan;
    recovered.loss[20] = kNan;
    Comparison comparison = compareRuns(std::vector{baseline, diverged, recovered}, {});
    QCOMPARE(gapOfRun(comparison, 2).words, std::string("loss is NaN from step 57 on"));
    QVERIFY(std::isnan(*gapOfRun(comparison, 2).finalLoss));
    QVERIFY(!gapOfRun(comparison, 2).gapPercent);
    QCOMPARE(*gapOfRun(comparison, 3).gapPercent, 0.0);

    diverged.baseline = true;
    diverged.group = "baseline";
    diverged.loss.back() = std::numeric_limits<float>::infinity();
    comparison = compareRuns(std::vector{diverged, recovered}, {});
    QCOMPARE(gapOfRun(comparison, 3).words, std::string("the baseline's loss is infinite from step 57 on"));
}

void TstComparison::aSeedThatDivergedSpeaksForItsRecipe() {
    std::vector<ComparedRun> runs = seedsWithGaps({0.40, 0.42, 0.41});
    runs.back().loss.back() = kNan;
    const Comparison comparison = compareRuns(runs, 1.0);
    QCOMPARE(gapOfRun(comparison, 11).words, std::string("PASS"));
    QCOMPARE(gapOfRun(comparison, 13).words, std::string("loss is NaN from step 99 on"));
    QVERIFY(comparison.groups.at(0).verdict == Verdict::NotFinite);
    QCOMPARE(comparison.groups.at(0).seeds, int64_t{2});
}

void TstComparison::publishedPairC207() {
    const ComparedRun bf16 = loggedRun("c207_bf16.jsonl", "loss", {"data_order_hash"});
    const ComparedRun fp8 = loggedRun("c207_fp8.jsonl", "loss", {"data_order_hash"});
    const Comparison once = compareRuns(std::vector{bf16, fp8}, {});
    QCOMPARE(once.commonSteps.size(), size_t{240});
    QCOMPARE(once.commonSteps.back(), 24000.0);
    for (size_t i = 0; i < 240; ++i)
        QVERIFY(isNear(static_cast<double>(fp8.loss[i] - bf16.loss[i]), 0.0040, 1e-6));
    // Smoothing keeps a steady gap: +0.0040, and +0.174 % of the loss at the end.
    QVERIFY(isNear(*gapOfRun(once, 2).finalLoss - *gapOfRun(once, 1).finalLoss, 0.0040, 1e-6));
    QVERIFY(isNear(*gapOfRun(once, 2).gapPercent, 0.174, 5e-4));
    // The bars 0.01 and 0.003 in percent of 2.2984. One pair alone decides nothing here; five seeds like it do.
    std::vector<ComparedRun> five;
    for (int64_t seed = 1; seed <= 5; ++seed) {
        for (ComparedRun run : {bf16, fp8}) {
            run.seed = seed;
            five.push_back(run);
        }
    }
    QCOMPARE(compareRuns(std::vector{bf16, fp8}, 0.435).groups[0].words, std::string("NOT ENOUGH DATA"));
    QCOMPARE(compareRuns(five, 0.435).groups[0].words, std::string("PASS"));
    QCOMPARE(compareRuns(five, 0.1305).groups[0].words, std::string("FAIL"));
}

void TstComparison::differentVersionsC113() {
    const std::vector<std::string> facts{"transformer_engine", "data_order_hash"};
    const ComparedRun bf16 = loggedRun("c113_bf16.jsonl", "train_loss", facts);
    const ComparedRun fp8 = loggedRun("c113_fp8.jsonl", "train_loss", facts);
    const Comparison comparison = compareRuns(std::vector{bf16, fp8}, 1.0);
    QCOMPARE(gapOfRun(comparison, 2).words,
             std::string("not like for like: transformer_engine 2.2.0 against 2.6.0.post1"));
}

void TstComparison::smallStatistics() {
    QCOMPARE(lastTenth(300), size_t{30});
    QCOMPARE(lastTenth(50), size_t{10});
    QCOMPARE(lastTenth(4), size_t{4});
    QCOMPARE(*median({3, 1, 2}), 2.0);
    QCOMPARE(*median({4, 1, 3, 2}), 2.5);
    QCOMPARE(*median({5, NAN, 7, INFINITY}), 6.0);
    QVERIFY(!median({NAN}));
    // 32 values, t(31) = 2.039513: s of 0 and 2 alternating = sqrt(32/31)
    std::vector<double> values;
    for (int i = 0; i < 16; ++i)
        values.insert(values.end(), {0.0, 2.0});
    QVERIFY(isNear(meanInterval(values).interval->second, 1 + 2.039513 * std::sqrt(32.0 / 31 / 32)));
    QVERIFY(!meanInterval(std::vector{1.0}).interval);

    const std::vector<double> steps{0, 1, 2};
    const std::vector<float> a{100, 10, kNan}, b{100, 20, 40};
    const std::vector<WeightedSamples> operands{{steps, a, 1}, {steps, b, 3}};
    // steps 1 and 2: (1 * 10 + 3 * 20 + 3 * 40) / 7
    QVERIFY(isNear(*weightedMean(operands, 1, 2), 190.0 / 7));
    QVERIFY(!weightedMean(operands, 5, 9));
}

QTEST_APPLESS_MAIN(TstComparison)
#include "tst_comparison.moc"
