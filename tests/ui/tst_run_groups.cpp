// SPDX-License-Identifier: GPL-3.0-or-later
// Several seeds of a recipe become one line with a band; runs of another experiment are laid over the chosen one; what
// is hidden keeps its entry in the tracks' heads.
#include <QTemporaryDir>
#include <QTest>

#include "tests/app/sample_store.h"
#include "ui/models/run_list_model.h"
#include "ui/runs/default_layer.h"
#include "ui/runs/run_tracks.h"

using namespace octet;
using namespace octet::ui;
using octet::tests::SampleStore;
using octet::tests::take;

namespace {

const TrackCurve* curveNamed(const Track& track, const QString& name) {
    for (const TrackCurve& curve : track.curves)
        if (curve.name == name && !curve.faint) return &curve;
    return nullptr;
}

const Track& trackNamed(const std::vector<Track>& tracks, const char* key) {
    for (const Track& track : tracks)
        if (track.key == QLatin1String(key)) return track;
    qFatal("no track %s", key);
}

}  // namespace

class TstRunGroups final : public QObject {
    Q_OBJECT

private slots:
    void init();
    void seedsBecomeMeanAndBand();
    void aHiddenSeedLeavesTheMean();
    void oneVisibleSeedIsItself();
    void hiddenRunsStayInTheHead();
    void seedsShareTheirColour();
    void theEyeLaysAnotherExperimentOver();
    void aGapNeedsTheSameData();
    void theDefaultLayerIsWhereRecipesDiffer();

private:
    [[nodiscard]] std::vector<Track> compared() {
        const ShownExperiment shown = shownExperiment(*m_project, m_selection);
        const TrackRequest request{shown, m_selection, 0.5, {}};
        (void)compareTracks(request, *m_project, *m_series);  // asks
        (void)m_series->update(std::chrono::seconds(10));
        return compareTracks(request, *m_project, *m_series);
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<Project> m_project;
    std::unique_ptr<RunSeries> m_series;
    Selection m_selection;
    std::array<store::RunId, 3> m_hybrid;
    store::RunId m_old, m_oldBaseline, m_strange;
    store::ExperimentId m_experiment;
};

void TstRunGroups::init() {
    m_series.reset();
    m_project.reset();
    m_folder = std::make_unique<QTemporaryDir>();
    const std::filesystem::path path = m_folder->filePath(QStringLiteral("a.octet")).toStdString();
    {
        SampleStore sample(path);
        const auto old = sample.addExperiment("old");
        m_old = sample.addRun(old, {"e4m3-16", 2.04f});
        m_strange = sample.addRun(old, {"hybrid-16", 3, 1, false, "another text"});
        m_oldBaseline = sample.addRun(old, {"baseline", 2});
        m_experiment = sample.addExperiment("seeds");
        for (int seed = 1; seed <= 3; ++seed) {
            const auto at = static_cast<size_t>(seed) - 1;
            m_hybrid[at] = sample.addRun(m_experiment, {"hybrid-16", 2.0f + 0.02f * static_cast<float>(seed), seed});
            sample.addRun(m_experiment, {"baseline", 2, seed});
        }
    }
    m_project = take(Project::open(path));
    m_series = std::make_unique<RunSeries>(m_project.get());
    m_selection.forget();
    m_selection.setExperiment(m_experiment);
}

void TstRunGroups::seedsBecomeMeanAndBand() {
    const auto tracks = compared();
    const TrackCurve* loss = curveNamed(trackNamed(tracks, "loss"), QStringLiteral("hybrid-16, mean of 3 seeds"));
    QVERIFY(loss && loss->data && loss->low && loss->high);
    QCOMPARE(loss->data->size(), int64_t{tests::kSampleSteps});
    QCOMPARE(loss->data->values.at(39), 2.04f);
    QCOMPARE(loss->low->values.at(39), 2.02f);
    QCOMPARE(loss->high->values.at(39), 2.06f);
    const Track& gap = trackNamed(tracks, "gap");
    QCOMPARE(gap.curves.size(), size_t{1});  // the baseline has none
    QVERIFY(std::abs(gap.curves[0].data->values.at(39) - 2.0f) < 1e-4f);
    QVERIFY(std::abs(gap.curves[0].low->values.at(39) - 1.0f) < 1e-4f);
    QVERIFY(std::abs(gap.curves[0].high->values.at(39) - 3.0f) < 1e-4f);
}

void TstRunGroups::aHiddenSeedLeavesTheMean() {
    m_selection.setVisible(m_hybrid[2], false);
    const auto tracks = compared();
    const TrackCurve* loss = curveNamed(trackNamed(tracks, "loss"), QStringLiteral("hybrid-16, mean of 2 seeds"));
    QVERIFY(loss);
    QCOMPARE(loss->data->values.at(39), 2.03f);
    QCOMPARE(loss->high->values.at(39), 2.04f);
}

void TstRunGroups::oneVisibleSeedIsItself() {
    m_selection.setVisible(m_hybrid[0], false);
    m_selection.setVisible(m_hybrid[2], false);
    const auto tracks = compared();
    const auto& curves = trackNamed(tracks, "loss").curves;
    const auto own = std::ranges::find_if(
        curves, [&](const TrackCurve& curve) { return curve.run == m_hybrid[1] && curve.smoothing > 0; });
    QVERIFY(own != curves.end() && !own->low);
    QCOMPARE(own->data->values.at(39), 2.04f);
}

void TstRunGroups::hiddenRunsStayInTheHead() {
    for (const store::RunId run : m_hybrid)
        m_selection.setVisible(run, false);
    for (const char* key : {"loss", "gap", "underflow.mean"}) {
        const auto tracks = compared();
        const auto& curves = trackNamed(tracks, key).curves;
        QVERIFY2(std::ranges::any_of(curves, [&](const TrackCurve& curve) { return curve.run == m_hybrid[0]; }), key);
    }
}

void TstRunGroups::seedsShareTheirColour() {
    const auto& runs = m_project->runs();
    QCOMPARE(colourIndexOf(runs, m_hybrid[0]), 0);
    QCOMPARE(colourIndexOf(runs, m_hybrid[2]), 0);
}

void TstRunGroups::theEyeLaysAnotherExperimentOver() {
    RunListModel list(m_project.get(), &m_selection);
    const QModelIndex old = list.indexOf(m_old);
    QVERIFY(!old.data(RunListModel::VisibleRole).toBool());
    QVERIFY(list.setData(old, true, RunListModel::VisibleRole));
    QVERIFY(old.data(RunListModel::VisibleRole).toBool());
    QCOMPARE(m_selection.experiment(), m_experiment);
    QCOMPARE(old.data(RunListModel::ColourIndexRole).toInt(), 1);  // behind hybrid-16
    const ShownExperiment shown = shownExperiment(*m_project, m_selection);
    QCOMPARE(shown.runs.back().info.id, m_old);
    QCOMPARE(shown.runs.back().name, QStringLiteral("e4m3-16 (old)"));
    QCOMPARE(shown.runs.back().colourIndex, 1);
    const auto tracks = compared();
    const TrackCurve* loss = curveNamed(trackNamed(tracks, "loss"), QStringLiteral("e4m3-16 (old)"));
    QVERIFY(loss && loss->data);
    QVERIFY(list.setData(old, false, RunListModel::VisibleRole));
    QCOMPARE(shownExperiment(*m_project, m_selection).runs.size(), size_t{6});
}

void TstRunGroups::aGapNeedsTheSameData() {
    m_selection.setOverlaid(m_old, true);
    m_selection.setOverlaid(m_strange, true);
    const ShownExperiment shown = shownExperiment(*m_project, m_selection);
    QVERIFY(shown.find(m_old)->hasGap());
    QVERIFY(!shown.find(m_strange)->hasGap());
}

void TstRunGroups::theDefaultLayerIsWhereRecipesDiffer() {
    ShownExperiment shown = shownExperiment(*m_project, m_selection);
    (void)defaultLayer(shown, *m_project, *m_series);  // asks
    (void)m_series->update(std::chrono::seconds(10));
    const DefaultLayer layer = defaultLayer(shown, *m_project, *m_series);
    QCOMPARE(layer.name, QStringLiteral("layers.1"));  // 20 % of dy, layers.0 has 10
    QVERIFY(layer.isSettled);
    shown.runs.clear();
    QVERIFY(defaultLayer(shown, *m_project, *m_series).name.isEmpty());
}

QTEST_GUILESS_MAIN(TstRunGroups)
#include "tst_run_groups.moc"
