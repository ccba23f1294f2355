// SPDX-License-Identifier: Apache-2.0
// Comparisons of stored runs: who is compared, the figures, and the words, on curves whose figures are known on paper.
#include <QTemporaryDir>
#include <QtTest>

#include "engine/analysis/comparison_sentences.h"
#include "engine/analysis/experiment_comparison.h"
#include "tests/app/sample_store.h"

using namespace octet;
using namespace octet::analysis;
using octet::tests::SampleStore;
using octet::tests::take;

namespace {

bool isNear(double a, double b, double within = 1e-5) {
    return std::fabs(a - b) <= within;
}

/// The store's rows from memory: what the window does.
class CopiedSource final : public RunSource {
public:
    explicit CopiedSource(store::Reader& reader) : m_reader(reader) {}
    Result<std::vector<store::ExperimentInfo>> experiments() override { return m_reader.experiments(); }
    Result<std::vector<store::RunInfo>> runs() override { return m_reader.runs(true); }
    Result<std::vector<store::LayerInfo>> layers(store::RunId run) override { return m_reader.layers(run); }
    Result<std::vector<store::Event>> events(store::RunId run) override { return m_reader.events(run); }
    Result<std::vector<store::SeriesInfo>> series(store::RunId run) override { return m_reader.series(run); }
    Result<store::SeriesData> samples(const store::SeriesInfo& series, double fromStep) override {
        const store::SeriesData all = take(m_reader.samples(series.id));
        store::SeriesData wanted;  // tokens and times stay empty
        for (size_t i = 0; i < all.step.size(); ++i) {
            if (all.step[i] < fromStep) continue;
            wanted.step.push_back(all.step[i]);
            wanted.value.push_back(all.value[i]);
        }
        return wanted;
    }

private:
    store::Reader& m_reader;
};

}  // namespace

class TstExperimentComparison final : public QObject {
    Q_OBJECT

private slots:
    void init();
    void figuresOfTheNewestExperiment();
    void memoryAndStoreAgree();
    void namedRunsBringTheirBaseline();
    void anotherBaseline();
    void anUnknownRunNamesTheNearest();
    void tailsAreReadFromTheirOwnStep();
    void wordsForPeople();

private:
    [[nodiscard]] ExperimentComparison compare(const CompareRequest& request = {}) {
        StoreSource source(*m_reader);
        return take(compareExperiment(source, request));
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<store::Reader> m_reader;
    store::RunId m_hybrid, m_e4m3, m_baseline;
};

/// hybrid-16 is 1 % above the baseline, e4m3-16 2 %; the twin is 0.5 % off.
void TstExperimentComparison::init() {
    m_reader.reset();
    m_folder = std::make_unique<QTemporaryDir>();
    const std::filesystem::path path = m_folder->filePath("a.octet").toStdString();
    SampleStore sample(path);
    const store::ExperimentId experiment = sample.addExperiment("three");
    m_hybrid = sample.addRun(experiment, {"hybrid-16", 2.02f});
    m_e4m3 = sample.addRun(experiment, {"e4m3-16", 2.04f});
    m_baseline = sample.addRun(experiment, {"baseline", 2});
    sample.addRun(experiment, {"baseline", 2.01f, 1, true});
    m_reader = take(store::Reader::open(path));
}

void TstExperimentComparison::figuresOfTheNewestExperiment() {
    const ExperimentComparison compared = compare();
    QCOMPARE(compared.runs.size(), size_t{3});
    QVERIFY(compared.hasTwin);
    QCOMPARE(compared.baseline->value, m_baseline.value);
    QVERIFY(isNear(*compared.comparison.noisePercent, 0.5));
    const ComparedFigures& hybrid = compared.runs.front();
    QCOMPARE(hybrid.run.id.value, m_hybrid.value);
    QVERIFY(isNear(*hybrid.gap.gapPercent, 1));
    QVERIFY(isNear(*hybrid.tokensPerSecond, 4000, 1e-3));
    QVERIFY(isNear(*hybrid.dyUnderflowPercent, 18));
    QVERIFY(isNear(*hybrid.saturatedPercent, 80.0 / 520));
    QVERIFY(!compared.runs.back().dyUnderflowPercent);
}

void TstExperimentComparison::memoryAndStoreAgree() {
    CopiedSource source(*m_reader);
    const ExperimentComparison memory = take(compareExperiment(source, {})), stored = compare();
    QCOMPARE(memory.runs.size(), stored.runs.size());
    for (size_t i = 0; i < stored.runs.size(); ++i) {
        QCOMPARE(memory.runs[i].gap.gapPercent, stored.runs[i].gap.gapPercent);
        QCOMPARE(memory.runs[i].tokensPerSecond, stored.runs[i].tokensPerSecond);
        QCOMPARE(memory.runs[i].dyUnderflowPercent, stored.runs[i].dyUnderflowPercent);
        QCOMPARE(memory.runs[i].saturatedPercent, stored.runs[i].saturatedPercent);
    }
}

void TstExperimentComparison::namedRunsBringTheirBaseline() {
    const ExperimentComparison compared = compare({{std::to_string(m_e4m3.value)}, ""});
    QCOMPARE(compared.runs.size(), size_t{2});
    QVERIFY(isNear(*compared.runs.front().gap.gapPercent, 2));
    QVERIFY(compared.comparison.noisePercent);
}

void TstExperimentComparison::anotherBaseline() {
    const ExperimentComparison compared = compare({{"e4m3-16"}, "hybrid-16"});
    QCOMPARE(compared.baseline->value, m_hybrid.value);
    QVERIFY(isNear(*compared.runs.front().gap.gapPercent, 100 * 0.02 / 2.02, 1e-4));
    QVERIFY2(!compared.comparison.noisePercent, "the twin is the other baseline's");
}

void TstExperimentComparison::anUnknownRunNamesTheNearest() {
    StoreSource source(*m_reader);
    const auto found = findRun(source, "hybrid-17");
    QVERIFY(!found);
    QCOMPARE(found.error().code, ErrorCode::NotFound);
    QVERIFY(QString::fromStdString(found.error().hint).contains(QStringLiteral("\"hybrid-16\"")));
}

void TstExperimentComparison::tailsAreReadFromTheirOwnStep() {
    StoreSource source(*m_reader);
    const auto series = take(source.series(m_hybrid));
    const auto amax = std::ranges::find_if(series, [](const auto& one) { return one.key.statistic == "amax"; });
    for (const double from : {30.0, 5.0, 38.5, 99.0}) {
        const store::SeriesData tail = take(source.samples(*amax, from));
        const auto expected = static_cast<size_t>(std::max(0.0, tests::kSampleSteps - std::ceil(from)));
        QCOMPARE(tail.step.size(), expected);
        QCOMPARE(tail.value.size(), expected);
        if (expected > 0) QCOMPARE(tail.step.front(), std::ceil(from));
    }
}

void TstExperimentComparison::wordsForPeople() {
    const ExperimentComparison compared = compare();
    const auto footing = footingSentences(compared);
    QVERIFY(footing.front().starts_with("Compared at step 39, the last that all of these runs have"));
    QVERIFY(noiseSentence(compared).find("up to 0.500 % apart") != std::string::npos);
    QCOMPARE(differenceSentences(compared).size(), size_t{1});
    QCOMPARE(differenceSentences(compared).front(),
             std::string("hybrid-16 differs from e4m3-16 in: te.fp8_format HYBRID against E4M3."));
    QCOMPARE(mechanismSentences(compared).front(),
             std::string("hybrid-16, step 0: Cold start: 6 operands are cast with scale 1."));
}

QTEST_GUILESS_MAIN(TstExperimentComparison)
#include "tst_experiment_comparison.moc"
