// SPDX-License-Identifier: GPL-3.0-or-later
// The models of the Runs and Home places on a store that grows, under QAbstractItemModelTester all the time.
#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

#include "tests/ui/small_store.h"
#include "ui/models/event_model.h"
#include "ui/models/recent_model.h"
#include "ui/models/run_layer_model.h"
#include "ui/models/run_list_model.h"

using namespace octet;
using namespace octet::ui;

namespace {

constexpr auto kFatal = QAbstractItemModelTester::FailureReportingMode::QtTest;

/// A recording, the project that follows it, and a selection.
struct Scene {
    QTemporaryDir folder;
    small_store::Project recording{small_store::pathIn(folder)};
    std::unique_ptr<Project> project;
    Selection selection;

    void open() { project = small_store::must(Project::open(recording.path())); }
};

/// A tree as indented lines of name, pill and detail.
QString printed(const RunListModel& model) {
    QString text;
    for (int e = 0; e < model.rowCount(); ++e) {
        const QModelIndex experiment = model.index(e, 0);
        text += experiment.data().toString() + QLatin1Char('\n');
        for (int r = 0; r < model.rowCount(experiment); ++r) {
            const QModelIndex run = model.index(r, 0, experiment);
            text += QStringLiteral("  %1 | %2 | %3 | %4\n")
                        .arg(run.data().toString(), run.data(RunListModel::PillTextRole).toString(),
                             run.data(RunListModel::DetailRole).toString())
                        .arg(run.data(RunListModel::ColourIndexRole).toInt());
        }
    }
    return text;
}

QStringList column(const QAbstractItemModel& model, int at) {
    QStringList texts;
    for (int row = 0; row < model.rowCount(); ++row)
        texts << model.index(row, at).data().toString();
    return texts;
}

}  // namespace

class TstUiModels final : public QObject {
    Q_OBJECT

private slots:
    void runListShowsWhatIsThere();
    void runListFollowsGrowth();
    void runListTellsNanFromDone();
    void runListWritesTheSelection();
    void manyRunsKeepTheBaselineGrey();
    void eventsStandByStep();
    void layersStandWorstFirst();
    void layersKeepTheSelectedRowWhileTheOrderChanges();
    void aSpikeLongAgoIsForgotten();
    void recentProjectsAreListedOnce();
};

void TstUiModels::runListShowsWhatIsThere() {
    Scene scene;
    scene.recording.addThreeRuns();
    scene.recording.record(0, 71);
    scene.open();
    RunListModel model(scene.project.get(), &scene.selection);
    const QAbstractItemModelTester tester(&model, kFatal);
    QCOMPARE(printed(model), QStringLiteral("HYBRID against E4M3\n"
                                            "  hybrid-16 | 71 % | HYBRID, history 16, max | 0\n"
                                            "  e4m3-16 | 71 % | E4M3, history 16, max | 1\n"
                                            "  baseline | 71 % | BF16, pinned | 2\n"));
    QCOMPARE(model.runAt(model.indexOf(scene.recording.runs()[1].id)), scene.recording.runs()[1].id);
    QVERIFY(!model.runAt(model.index(0, 0)).valid());
    QVERIFY(!model.indexOf(store::RunId{77}).isValid());
}

void TstUiModels::runListFollowsGrowth() {
    Scene scene;
    scene.recording.addThreeRuns();
    scene.open();
    RunListModel model(scene.project.get(), &scene.selection);
    const QAbstractItemModelTester tester(&model, kFatal);
    const QPersistentModelIndex hybrid = model.indexOf(scene.recording.runs()[0].id);
    QSignalSpy resets(&model, &RunListModel::modelReset);
    QSignalSpy changes(&model, &RunListModel::dataChanged);
    scene.recording.record(0, 10);
    scene.project->poll();
    QVERIFY(changes.count() >= 3);
    QCOMPARE(hybrid.data(RunListModel::PillTextRole).toString(), QStringLiteral("10 %"));
    QCOMPARE(hybrid.data(RunListModel::ProgressRole).toDouble(), 0.1);
    scene.recording.addExperiment("Margins");
    scene.recording.addRun("margin-2", small_store::teRecipe("HYBRID"));
    scene.project->poll();
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(model.index(0, 0).data().toString(), QStringLiteral("Margins"));
    QCOMPARE(model.rowCount(model.index(0, 0)), 1);
    QCOMPARE(hybrid.data().toString(), QStringLiteral("hybrid-16"));
    QCOMPARE(hybrid.parent().row(), 1);
    scene.recording.finish(store::RunState::Stopped);
    scene.project->poll();
    QCOMPARE(hybrid.data(RunListModel::PillTextRole).toString(), QStringLiteral("stopped"));
    QCOMPARE(hybrid.data(RunListModel::DetailRole).toString(), QStringLiteral("stopped at 10 of 100"));
    QCOMPARE(resets.count(), 0);
}

void TstUiModels::runListTellsNanFromDone() {
    Scene scene;
    scene.recording.addThreeRuns();
    scene.recording.record(0, 10);
    const auto run = scene.recording.runs()[0].id;
    scene.recording.writer().addEvent(run, {store::EventKind::NotFinite, 8, "lm_head", "The loss is NaN.", nullptr});
    scene.recording.finish();
    scene.open();
    const RunListModel model(scene.project.get(), &scene.selection);
    const QModelIndex index = model.indexOf(run);
    QCOMPARE(index.data(RunListModel::PillTextRole).toString(), QStringLiteral("NaN"));
    QCOMPARE(static_cast<Tone>(index.data(RunListModel::PillToneRole).toInt()), Tone::Bad);
    QCOMPARE(index.data(RunListModel::DetailRole).toString(), QStringLiteral("NaN at step 8, lm_head"));
}

void TstUiModels::runListWritesTheSelection() {
    Scene scene;
    scene.recording.addThreeRuns();
    scene.open();
    RunListModel model(scene.project.get(), &scene.selection);
    const QAbstractItemModelTester tester(&model, kFatal);
    const auto hybrid = scene.recording.runs()[0].id;
    const QModelIndex index = model.indexOf(hybrid);
    QSignalSpy changes(&model, &RunListModel::dataChanged);
    QVERIFY(model.setData(index, Qt::Unchecked, Qt::CheckStateRole));
    QVERIFY(!scene.selection.isVisible(hybrid));
    QVERIFY(changes.count() > 0);
    QVERIFY(model.setData(index, true, RunListModel::VisibleRole));
    QVERIFY(index.data(RunListModel::VisibleRole).toBool());
    QVERIFY(model.setData(index, true, RunListModel::BaselineRole));
    QCOMPARE(scene.selection.baseline(), hybrid);
    QVERIFY(index.data(RunListModel::DetailRole).toString().endsWith(QStringLiteral("pinned")));
    QVERIFY(!model.setData(index, 1, Qt::EditRole));
    scene.selection.setCurrentRun(hybrid);
    QVERIFY(index.data(RunListModel::CurrentRole).toBool());
}

void TstUiModels::manyRunsKeepTheBaselineGrey() {
    Scene scene;
    scene.recording.addExperiment("many");
    scene.recording.addRun("baseline", Json{{"backend", "none"}}, true);
    for (int i = 0; i < 9; ++i)
        scene.recording.addRun("run " + std::to_string(i), small_store::teRecipe("E4M3"));
    scene.open();
    QList<int> colours;
    for (const auto& run : scene.project->runs())
        colours << colourIndexOf(scene.project->runs(), run.id);
    QCOMPARE(colours, QList<int>({2, 0, 1, 3, 4, 5, 6, 7, 8, 9}));
}

void TstUiModels::eventsStandByStep() {
    Scene scene;
    scene.recording.addThreeRuns();
    const auto& runs = scene.recording.runs();
    const auto add = [&](size_t run, double step, const char* message) {
        scene.recording.writer().addEvent(runs[run].id, {store::EventKind::ColdStart, step, "", message, nullptr});
    };
    add(1, 3, "third");
    add(0, 0, "first");
    scene.recording.record(0, 1);
    scene.open();
    scene.selection.setExperiment(scene.project->experiments().front().id);
    EventModel model(scene.project.get(), &scene.selection);
    const QAbstractItemModelTester tester(&model, kFatal);
    QCOMPARE(column(model, EventModel::SentenceColumn),
             QStringList({QStringLiteral("first"), QStringLiteral("third")}));
    QSignalSpy resets(&model, &EventModel::modelReset);
    add(2, 1, "second");
    add(0, 1200, "fourth");
    scene.recording.record(1, 2);
    scene.project->poll();
    QCOMPARE(column(model, EventModel::SentenceColumn),
             QStringList({QStringLiteral("first"), QStringLiteral("second"), QStringLiteral("third"),
                          QStringLiteral("fourth")}));
    QCOMPARE(column(model, EventModel::StepColumn).back(), QStringLiteral("1,200"));
    QCOMPARE(column(model, EventModel::RunColumn)[1], QStringLiteral("baseline"));
    QCOMPARE(resets.count(), 0);
    scene.selection.setExperiment({});
    QCOMPARE(model.rowCount(), 0);
}

void TstUiModels::layersStandWorstFirst() {
    Scene scene;
    scene.recording.addThreeRuns();
    scene.recording.record(0, 2);
    scene.open();
    scene.selection.setCurrentRun(scene.recording.runs()[0].id);
    RunLayerModel model(scene.project.get(), &scene.selection);
    const QAbstractItemModelTester tester(&model, kFatal);
    QCOMPARE(column(model, RunLayerModel::NameColumn),
             QStringList({QStringLiteral("layers.1.mlp.down_proj"), QStringLiteral("layers.0.mlp.down_proj"),
                          QStringLiteral("lm_head")}));
    QCOMPARE(column(model, RunLayerModel::UnderflowColumn),
             QStringList({QStringLiteral("10.0"), QStringLiteral("1.0"), QStringLiteral("high")}));
    QCOMPARE(column(model, RunLayerModel::SaturatedColumn),
             QStringList({QStringLiteral("0.500"), QStringLiteral("0.000"), QString()}));
    QVERIFY(model.index(2, 0).data(Qt::ToolTipRole).toString().contains(QStringLiteral("rule 1: last layer")));
    scene.selection.setCurrentRun(scene.recording.runs()[2].id);
    QCOMPARE(model.rowCount(), 3);
    QVERIFY(!model.index(0, 0).data(RunLayerModel::ConvertedRole).toBool());
}

void TstUiModels::layersKeepTheSelectedRowWhileTheOrderChanges() {
    Scene scene;
    scene.recording.addThreeRuns();
    scene.recording.record(0, 2);
    scene.open();
    const auto& run = scene.recording.runs()[0];
    scene.selection.setCurrentRun(run.id);
    RunLayerModel model(scene.project.get(), &scene.selection);
    const QAbstractItemModelTester tester(&model, kFatal);
    const QPersistentModelIndex worst = model.indexOf(QStringLiteral("model.layers.1.mlp.down_proj"));
    QCOMPARE(worst.row(), 0);
    QSignalSpy changes(&model, &RunLayerModel::dataChanged);
    const float swapped[] = {80.0f, 2.0f, 0.0f, 0.0f};
    scene.recording.writer().append(run.statistics, {2, 2048, 0.02}, swapped);
    small_store::must(scene.recording.writer().commit());
    scene.project->poll();
    QCOMPARE(changes.count(), 2);
    QCOMPARE(worst.row(), 0);  // values first, the order within two seconds
    model.sortNow();
    QCOMPARE(worst.row(), 1);
    QCOMPARE(worst.data(RunLayerModel::NameRole).toString(), QStringLiteral("model.layers.1.mlp.down_proj"));
    QCOMPARE(model.index(0, RunLayerModel::UnderflowColumn).data().toString(), QStringLiteral("27.3"));  // 1, 1, 80
}

void TstUiModels::aSpikeLongAgoIsForgotten() {
    Scene scene;
    scene.recording.addThreeRuns();
    scene.open();
    const auto& run = scene.recording.runs()[0];
    const float coldStart[] = {100.0f, 0.0f, 0.0f, 0.0f};
    scene.recording.writer().append(run.statistics, {0, 1024, 0.01}, coldStart);
    scene.recording.record(1, 12);
    scene.project->poll();
    scene.selection.setCurrentRun(run.id);
    const RunLayerModel model(scene.project.get(), &scene.selection);
    QCOMPARE(model.indexOf(QStringLiteral("model.layers.1.mlp.down_proj")).row(), 0);
    QCOMPARE(column(model, RunLayerModel::UnderflowColumn),
             QStringList({QStringLiteral("10.0"), QStringLiteral("1.0"), QStringLiteral("high")}));
}

void TstUiModels::recentProjectsAreListedOnce() {
    QTemporaryDir folder;
    const auto make = [&](const char* name) {
        QFile file(folder.filePath(QLatin1String(name)));
        return file.open(QIODevice::WriteOnly) && file.write("x") == 1;
    };
    QVERIFY(make("a.octet") && make("b.octet") && make("notes.txt"));
    RecentModel model;
    const QAbstractItemModelTester tester(&model, kFatal);
    model.load({folder.filePath(QStringLiteral("b.octet"))}, folder.path());
    QCOMPARE(column(model, 0), QStringList({QStringLiteral("b.octet"), QStringLiteral("a.octet")}));
    QCOMPARE(model.index(0, 0).data(RecentModel::PathRole).toString(), folder.filePath(QStringLiteral("b.octet")));
    QVERIFY(model.index(0, 0).data(RecentModel::DetailRole).toString().startsWith(QStringLiteral("today")));
}

QTEST_GUILESS_MAIN(TstUiModels)
#include "tst_ui_models.moc"
