// SPDX-License-Identifier: GPL-3.0-or-later
// The Runs place on a store whose figures are known on paper (tests/app/sample_store.h): defaults, verdict,
// differences, export, commands, and what it says when there is nothing.
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTreeView>
#include <QtTest>

#include "engine/core/files.h"
#include "engine/recipe/recipe_json.h"
#include "tests/app/sample_store.h"
#include "ui/models/run_layer_model.h"
#include "ui/runs/figure_table.h"
#include "ui/runs/recipe_export.h"
#include "ui/runs/run_tracks.h"
#include "ui/runs/runs_place.h"

using namespace octet;
using namespace octet::ui;
using octet::tests::SampleStore;
using octet::tests::take;

namespace {

QString allText(const QWidget& place) {
    QStringList texts;
    for (const QLabel* label : place.findChildren<QLabel*>())
        if (label->isVisibleTo(&place)) texts << label->text();
    return texts.join(QLatin1Char('\n'));
}

const FigureTableText& tableNamed(const QWidget& place, const QString& name) {
    for (const FigureTable* table : place.findChildren<FigureTable*>())
        if (table->accessibleName() == name) return table->table();
    qFatal("no table %s", qPrintable(name));
}

QStringList rowNamed(const FigureTableText& table, const QString& name) {
    for (const FigureTableText::Row& row : table.rows)
        if (row.name == name) return row.values;
    return {};
}

}  // namespace

class TstRunsPlace final : public QObject {
    Q_OBJECT

private slots:
    void init();
    void cleanup();
    void withoutAProjectItSaysWhatWillAppear();
    void defaultsAreTheFirstFp8RunAndTheWorstLayer();
    void verdictInHonestWords();
    void figuresFollowTheCrosshair();
    void differencesNameRecipeFieldsOnly();
    void choosingALayerPutsItIntoTheTracks();
    void tracksOfThePresets();
    void exportWritesBothFilesThatLoadAgain();
    void anotherRecipeBesideIsKept();
    void aBaselineHasNoKwargs();
    void cancelledExportWritesNothing();
    void commandToARunThatEndedIsRefusedWithASentence();
    void keysOfTheRunList();
    void everyControlHasAName();

private:
    [[nodiscard]] QPushButton* exportButton() const {
        return m_place->findChild<QPushButton*>(QStringLiteral("exportRecipe"));
    }
    [[nodiscard]] QString inFolder(const QString& name) const { return m_folder->filePath(name); }
    void exportTo(const QString& path) {
        m_place->setExportPathChooser([path](const QString&) { return path; });
        exportButton()->click();
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<Project> m_project;
    std::unique_ptr<Selection> m_selection;
    std::unique_ptr<RunsPlace> m_place;
    store::RunId m_hybrid, m_e4m3, m_baseline;
};

void TstRunsPlace::init() {
    m_folder = std::make_unique<QTemporaryDir>();
    const std::filesystem::path path = inFolder(QStringLiteral("a.octet")).toStdString();
    {
        SampleStore sample(path);
        const store::ExperimentId experiment = sample.addExperiment("three");
        m_hybrid = sample.addRun(experiment, {"hybrid-16", 2.02f});
        m_e4m3 = sample.addRun(experiment, {"e4m3-16", 2.04f});
        m_baseline = sample.addRun(experiment, {"baseline", 2});
        sample.addRun(experiment, {"baseline", 2.01f, 1, true});
    }
    m_project = take(Project::open(path));
    m_selection = std::make_unique<Selection>();
    m_place = std::make_unique<RunsPlace>(m_selection.get());
    m_place->resize(1280, 734);
    m_place->show();
    m_place->setProject(m_project.get());
    m_place->settle();
    m_place->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(m_place.get()));
}

void TstRunsPlace::cleanup() {
    m_place.reset();
    m_project.reset();
    m_selection.reset();
}

void TstRunsPlace::withoutAProjectItSaysWhatWillAppear() {
    m_place->setProject(nullptr);
    QVERIFY(allText(*m_place).contains(QStringLiteral("No project is open")));
    QSignalSpy wants(m_place.get(), &Place::wantsPlace);
    for (QPushButton* button : m_place->findChildren<QPushButton*>())
        if (button->text() == QStringLiteral("Go to Home")) button->click();
    QCOMPARE(wants.count(), 1);
}

void TstRunsPlace::defaultsAreTheFirstFp8RunAndTheWorstLayer() {
    QCOMPARE(m_selection->currentRun().value, m_hybrid.value);
    QCOMPARE(m_selection->layers(), QStringList{QStringLiteral("layers.1")});  // 20 % of dy, layers.0 has 10
    QCOMPARE(m_selection->operand(), QStringLiteral("grad_output"));
}

void TstRunsPlace::verdictInHonestWords() {
    const QString text = allText(*m_place);
    QVERIFY2(text.contains(QStringLiteral("Beyond noise")), qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("gap +1.00 %, noise ±0.5 %, 1 seed")), qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("gap +2.00 %, noise ±0.5 %, 1 seed")), qPrintable(text));
    QVERIFY(text.contains(QStringLiteral("Cold start: 6 operands are cast with scale 1.")));
    QVERIFY(!text.contains(QStringLiteral("PASS")));
}

void TstRunsPlace::figuresFollowTheCrosshair() {
    const QString name = QStringLiteral("Figures at the crosshair");
    QCOMPARE(tableNamed(*m_place, name).corner, QStringLiteral("at step 39"));
    QCOMPARE(rowNamed(tableNamed(*m_place, name), QStringLiteral("loss")),
             (QStringList{QStringLiteral("2.0200"), QStringLiteral("2.0400"), QStringLiteral("2.0000")}));
    QCOMPARE(rowNamed(tableNamed(*m_place, name), QStringLiteral("dy underflow")),
             (QStringList{QStringLiteral("18.0%"), QStringLiteral("18.0%"), QStringLiteral("–")}));
    m_selection->setCursor(10.4);
    QCOMPARE(tableNamed(*m_place, name).corner, QStringLiteral("at step 10"));
    QCOMPARE(rowNamed(tableNamed(*m_place, name), QStringLiteral("dy underflow")).front(), QStringLiteral("99.0%"));
    m_selection->setCursor(std::nullopt);
    m_selection->setXAxis(XAxis::Tokens);
    m_selection->setCursor(20.0 * 31);  // step 30
    QCOMPARE(tableNamed(*m_place, name).corner, QStringLiteral("620 tokens"));
    QCOMPARE(rowNamed(tableNamed(*m_place, name), QStringLiteral("dy underflow")).front(), QStringLiteral("18.0%"));
}

void TstRunsPlace::differencesNameRecipeFieldsOnly() {
    m_selection->setVisible(m_baseline, false);
    m_place->settle();
    const FigureTableText& table = tableNamed(*m_place, QStringLiteral("Differences between the runs"));
    QCOMPARE(table.rows.size(), size_t{1});
    QCOMPARE(table.rows.front().name, QStringLiteral("fp8_format"));
    QCOMPARE(table.rows.front().values, (QStringList{QStringLiteral("HYBRID"), QStringLiteral("E4M3")}));
}

void TstRunsPlace::choosingALayerPutsItIntoTheTracks() {
    auto* layers = m_place->findChild<QTableView*>(QStringLiteral("layers"));
    for (int row = 0; row < layers->model()->rowCount(); ++row) {
        const QModelIndex index = layers->model()->index(row, 0);
        if (index.data(RunLayerModel::NameRole).toString() != QStringLiteral("layers.0")) continue;
        QTest::mouseClick(layers->viewport(), Qt::LeftButton, {}, layers->visualRect(index).center());
    }
    QCOMPARE(m_selection->layers(), QStringList{QStringLiteral("layers.0")});
    m_place->settle();
    QCOMPARE(m_selection->layers(), QStringList{QStringLiteral("layers.0")});  // the default does not come back
}

void TstRunsPlace::tracksOfThePresets() {
    const ShownExperiment shown = shownExperiment(*m_project, *m_selection);
    RunSeries series(m_project.get());
    const TrackRequest request{shown, *m_selection, 0.5, {}};
    const auto keysOf = [](const std::vector<Track>& tracks) {
        QStringList keys;
        for (const Track& track : tracks)
            keys << track.key;
        return keys.join(QLatin1Char(' '));
    };
    for (int round = 0; round < 2; ++round) {  // the first one asks
        (void)liveTracks(request, *m_project, series);
        (void)compareTracks(request, *m_project, series);
        QVERIFY(series.update(std::chrono::seconds(10)).complete);
    }
    QCOMPARE(keysOf(liveTracks(request, *m_project, series)), QStringLiteral("loss amax scale lost throughput"));
    const auto compare = compareTracks(request, *m_project, series);
    QCOMPARE(keysOf(compare), QStringLiteral("loss gap underflow.mean amax"));
    const Track& gap = compare[1];
    QCOMPARE(gap.curves.size(), size_t{2});
    QCOMPARE(gap.curves[0].data->size(), int64_t{tests::kSampleSteps});
    QCOMPARE(gap.bands.size(), size_t{1});
    QCOMPARE(gap.bands[0].high, 0.5);
    const auto markers = eventMarkers(request, *m_project, series);
    QVERIFY(
        std::ranges::none_of(markers, [](const StackMarker& one) { return one.kind == StackMarker::Kind::NotFinite; }));
}

void TstRunsPlace::exportWritesBothFilesThatLoadAgain() {
    QSignalSpy said(m_place.get(), &Place::message);
    const QString kwargs = inFolder(QStringLiteral("내 보내기/hybrid-16.accelerate.json"));
    exportTo(kwargs);
    QCOMPARE(said.count(), 1);
    QVERIFY(said[0][0].toString().contains(kwargs));
    QCOMPARE(said[0][1].toBool(), false);
    const Json json = take(parseJson(take(readFile(kwargs.toStdString())), "kwargs"));
    QCOMPARE(json["fp8_format"].get<std::string>(), std::string("HYBRID"));
    const auto loaded =
        take(recipe::loadRecipe(inFolder(QStringLiteral("내 보내기/hybrid-16.octet.json")).toStdString()));
    QVERIFY(loaded.recipe == take(recipe::loadRecipe("preset:hybrid-16")).recipe);
}

void TstRunsPlace::anotherRecipeBesideIsKept() {
    const std::string there = inFolder(QStringLiteral("mine.octet.json")).toStdString();
    take(writeFileAtomically(there, "somebody's work"));
    const store::RunInfo run = *m_project->run(m_hybrid);
    const auto written = take(exportRecipeOf(run, inFolder(QStringLiteral("mine.json")).toStdString()));
    QCOMPARE(written.recipe.filename().string(), std::string("mine-2.octet.json"));
    QCOMPARE(take(readFile(there)), std::string("somebody's work"));
    const auto again = take(exportRecipeOf(run, inFolder(QStringLiteral("mine.json")).toStdString()));
    QCOMPARE(again.recipe, written.recipe);  // the same text needs no third name
}

void TstRunsPlace::aBaselineHasNoKwargs() {
    const auto written =
        take(exportRecipeOf(*m_project->run(m_baseline), inFolder(QStringLiteral("b.json")).toStdString()));
    QVERIFY(written.kwargs.empty());
    QVERIFY(!QFile::exists(inFolder(QStringLiteral("b.json"))));
    QVERIFY(written.notes.front().startsWith(QStringLiteral("A baseline has no kwargs")));
    QVERIFY(std::filesystem::exists(written.recipe));
}

void TstRunsPlace::cancelledExportWritesNothing() {
    QSignalSpy said(m_place.get(), &Place::message);
    const QStringList before = QDir(m_folder->path()).entryList();
    exportTo(QString());
    QCOMPARE(said.count(), 0);
    QCOMPARE(QDir(m_folder->path()).entryList(), before);
}

void TstRunsPlace::commandToARunThatEndedIsRefusedWithASentence() {
    QVERIFY(!m_place->findChild<QPushButton*>(QStringLiteral("pauseRun"))->isVisible());
    QVERIFY(!m_project->send(m_hybrid, store::CommandVerb::Pause));
}

void TstRunsPlace::keysOfTheRunList() {
    auto* tree = m_place->findChild<QTreeView*>(QStringLiteral("runList"));
    tree->setFocus();
    QCOMPARE(m_selection->currentRun().value, m_hybrid.value);
    QTest::keyClick(tree, Qt::Key_Down);
    QCOMPARE(m_selection->currentRun().value, m_e4m3.value);
    QTest::keyClick(tree, Qt::Key_Space);
    QVERIFY(!m_selection->isVisible(m_e4m3));
    QTest::keyClick(tree, Qt::Key_Space);
    QVERIFY(m_selection->isVisible(m_e4m3));
    QTest::keyClick(tree, Qt::Key_I);
    QVERIFY(!m_selection->isVisible(m_hybrid) && !m_selection->isVisible(m_baseline));
    QTest::keyClick(tree, Qt::Key_I);
    QVERIFY(m_selection->isVisible(m_hybrid) && m_selection->isVisible(m_baseline));
    QTest::keyClick(tree, Qt::Key_B);
    QCOMPARE(m_selection->baseline().value, m_e4m3.value);
    m_place->settle();
    QTRY_VERIFY(allText(*m_place).contains(QStringLiteral("gap −0.98 %")));  // 2.02 against 2.04
}

void TstRunsPlace::everyControlHasAName() {
    for (const QWidget* widget : m_place->findChildren<QWidget*>()) {
        const bool isControl = (widget->focusPolicy() & Qt::TabFocus) && widget->isVisible() && !widget->focusProxy();
        const auto* button = qobject_cast<const QAbstractButton*>(widget);
        const bool isNamed = !widget->accessibleName().isEmpty() || (button && !button->text().isEmpty());
        const bool isPart = widget->objectName().startsWith(QStringLiteral("qt_"));
        if (isControl && !isPart) QVERIFY2(isNamed, widget->metaObject()->className());
    }
}

QTEST_MAIN(TstRunsPlace)
#include "tst_runs_place.moc"
