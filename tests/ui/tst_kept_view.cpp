// SPDX-License-Identifier: GPL-3.0-or-later
// What was looked at stands there again at the next start; nothing of one project shows in another.
#include <QSettings>
#include <QTest>

#include "tests/ui/small_store.h"
#include "ui/documents/kept_view.h"
#include "ui/shell/settings.h"
#include "ui/shell/workbench.h"

using namespace octet;
using namespace octet::ui;

namespace {

const QString kLayer = QStringLiteral("model.layers.0.mlp.down_proj");

using Scene = small_store::ThreeRuns;

/// Everything that can be chosen, none of it the default.
void choose(Selection& selection, Scene& scene) {
    selection.setXAxis(XAxis::Tokens);
    selection.setPreset(ViewPreset::Compare);
    selection.setCurrentRun(scene.run(1));
    selection.setVisible(scene.run(0), false);
    selection.setBaseline(scene.run(1));
    selection.setLayers({kLayer});
    selection.setOperand(QStringLiteral("weight"));
    selection.setCursor(4096);
    selection.setXRange(XRange{1024, 8192});
    selection.setFollows(false);
}

}  // namespace

class TstKeptView final : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void init() { QSettings().clear(); }
    void everythingComesBack();
    void aNewerExperimentIsShownInstead();
    void whatIsGoneIsLeftOut();
    void nothingOfOneProjectShowsInAnother();
    void picturesKeepNothing();
    void theListOfRecentProjectsCanBeCleared();

private:
    QTemporaryDir m_home;
};

void TstKeptView::initTestCase() {
    qputenv("XDG_CONFIG_HOME", m_home.path().toLocal8Bit());
    QCoreApplication::setOrganizationName(QStringLiteral("Octet"));
    QCoreApplication::setApplicationName(QStringLiteral("octet"));
}

void TstKeptView::everythingComesBack() {
    Scene scene(20);
    {
        Workbench first;
        QVERIFY(first.openProject(scene.path()));
        choose(*first.selection(), scene);
        first.keepView();
    }
    Workbench second;
    QVERIFY(second.openProject(scene.path()));
    const Selection& selection = *second.selection();
    QCOMPARE(selection.xAxis(), XAxis::Tokens);
    QCOMPARE(selection.preset(), ViewPreset::Compare);
    QCOMPARE(selection.currentRun(), scene.run(1));
    QVERIFY(!selection.isVisible(scene.run(0)));
    QVERIFY(selection.isVisible(scene.run(1)));
    QCOMPARE(selection.baseline(), scene.run(1));
    QCOMPARE(selection.layers(), QStringList{kLayer});
    QCOMPARE(selection.operand(), QStringLiteral("weight"));
    QCOMPARE(selection.cursor().value_or(0), 4096.0);
    QVERIFY(selection.xRange() == (XRange{1024, 8192}));
    QVERIFY(!selection.follows());
}

void TstKeptView::aNewerExperimentIsShownInstead() {
    Scene scene(20);
    {
        Workbench first;
        QVERIFY(first.openProject(scene.path()));
        choose(*first.selection(), scene);
        first.keepView();
    }
    const auto newer = scene.recording.addExperiment("newer");
    const auto run = scene.recording.addRun("e4m3-16", small_store::teRecipe("E4M3"));
    Workbench second;
    QVERIFY(second.openProject(scene.path()));
    QCOMPARE(second.selection()->experiment(), newer);
    QCOMPARE(second.selection()->currentRun(), run.id);
    QCOMPARE(second.selection()->preset(), ViewPreset::Compare);  // a habit, not a place
    QVERIFY(second.selection()->follows());
}

void TstKeptView::whatIsGoneIsLeftOut() {
    Scene scene(20);
    auto project = small_store::must(Project::open(scene.path()));
    {
        Selection selection;
        choose(selection, scene);
        selection.setBaseline({77});
        selection.setLayers({kLayer, QStringLiteral("a layer of another model")});
        keepView(selection, *project);
    }
    Selection selection;
    restoreView(selection, *project);
    QVERIFY(!selection.baseline().valid());
    QCOMPARE(selection.layers(), QStringList{kLayer});
}

void TstKeptView::nothingOfOneProjectShowsInAnother() {
    Scene one(20), other(20);
    Workbench workbench;
    QVERIFY(workbench.openProject(one.path()));
    choose(*workbench.selection(), one);
    QVERIFY(workbench.openProject(other.path()));
    const Selection& selection = *workbench.selection();
    QVERIFY(selection.isVisible(other.run(0)));
    QVERIFY(!selection.baseline().valid());
    QVERIFY(selection.layers().isEmpty());
    QVERIFY(!selection.cursor() && !selection.xRange() && selection.follows());
    QVERIFY(workbench.openProject(one.path()));  // and back
    QVERIFY(!selection.isVisible(one.run(0)));
}

void TstKeptView::picturesKeepNothing() {
    Scene scene(20);
    Workbench workbench;
    workbench.setRemembersProjects(false);
    QVERIFY(workbench.openProject(scene.path()));
    choose(*workbench.selection(), scene);
    workbench.keepView();
    QVERIFY(QSettings().allKeys().isEmpty());
}

void TstKeptView::theListOfRecentProjectsCanBeCleared() {
    Scene scene(20);
    Workbench workbench;
    QVERIFY(workbench.openProject(scene.path()));
    QCOMPARE(Settings::recentProjects().size(), 1);
    Settings::clearRecentProjects();
    QVERIFY(Settings::recentProjects().isEmpty());
}

QTEST_GUILESS_MAIN(TstKeptView)
#include "tst_kept_view.moc"
