// SPDX-License-Identifier: GPL-3.0-or-later
// A project follows a store that grows, and says in one sentence when the store goes away, is locked, replaced or
// read-only, and when it is back.
#include <SQLiteCpp/Database.h>
#include <unistd.h>

#include <QSignalSpy>
#include <QTest>

#include "engine/store/open_probe.h"
#include "tests/ui/small_store.h"
#include "ui/documents/project.h"

using namespace octet;
using ui::Project;

namespace {

const store::SeriesKey kLoss{"", "", "", "loss", ""};

std::unique_ptr<Project> opened(const std::filesystem::path& path, const store::OpenProbe* probe = nullptr) {
    auto project = Project::open(path, probe);
    if (!project) throw std::runtime_error(project.error().message);
    return std::move(*project);
}

}  // namespace

class TstUiProject final : public QObject {
    Q_OBJECT

private slots:
    void growsInPlace();
    void seesNewRunsStatesAndEvents();
    void findsSeriesWithoutTheirUnit();
    void forgottenSeriesCatchUp();
    void commandsArePendingUntilTaken();
    void refusedCommandsSaySo();
    void commandsToNobodyAreErrors();
    void deletedStoreIsOneSentence();
    void replacedStoreIsReadAnew();
    void lockedStoreIsOneSentence();
    void readOnlyStoreIsOneSentence();
    void whatIsNoStoreIsRefused_data();
    void whatIsNoStoreIsRefused();
    void pollsByItself();
};

void TstUiProject::growsInPlace() {
    small_store::ThreeRuns runs(10);
    small_store::Project& recording = runs.recording;
    const auto project = opened(recording.path());
    QCOMPARE(project->runs().size(), size_t{3});
    const auto run = project->runs().front().id;
    const auto loss = project->series(run, kLoss);
    QVERIFY(loss);
    QCOMPARE(loss->size(), 10);
    QSignalSpy samples(project.get(), &Project::samplesArrived);
    recording.record(10, 25);
    project->poll();
    QCOMPARE(samples.count(), 1);
    QCOMPARE(loss->size(), 25);
    QCOMPARE(loss->axes->step.back(), 24.0);
    QCOMPARE(loss->axes->tokens.back(), 24 * 1024.0);
    QCOMPARE(loss->axes->wallTime.size(), size_t{25});
    QCOMPARE(loss->values.at(24), static_cast<float>(5 - 24 / 100.0));
    QCOMPARE(project->series(run, kLoss), loss);
    QCOMPARE(project->run(run)->steps, 25);
    project->poll();
    QCOMPARE(samples.count(), 1);
}

void TstUiProject::seesNewRunsStatesAndEvents() {
    QTemporaryDir folder;
    small_store::Project recording(small_store::pathIn(folder));
    recording.addExperiment("one");
    const auto project = opened(recording.path());
    QSignalSpy runs(project.get(), &Project::runsChanged);
    QSignalSpy events(project.get(), &Project::eventsArrived);
    const auto run = recording.addRun("hybrid-16", small_store::teRecipe("HYBRID"));
    project->poll();
    QCOMPARE(runs.count(), 1);
    QCOMPARE(project->run(run.id)->state, store::RunState::Running);
    QCOMPARE(project->layers(run.id).size(), size_t{3});
    recording.writer().addEvent(run.id, {store::EventKind::NotFinite, 4, "lm_head", "The loss is NaN.", nullptr});
    recording.record(0, 5);
    project->poll();
    QCOMPARE(events.count(), 1);
    QCOMPARE(project->events(run.id).front().step, 4.0);
    recording.finish();
    project->poll();
    QCOMPARE(project->run(run.id)->state, store::RunState::Done);
    QCOMPARE(runs.count(), 3);
    project->poll();
    QCOMPARE(runs.count(), 3);
}

void TstUiProject::findsSeriesWithoutTheirUnit() {
    small_store::ThreeRuns runs(3);
    small_store::Project& recording = runs.recording;
    const auto project = opened(recording.path());
    const auto run = recording.runs().front().id;
    const auto found = project->series(run, {"model.layers.1.mlp.down_proj", "grad_output", "", "underflows%", ""});
    QVERIFY(found);
    QCOMPARE(found->info.key.unit, std::string("%"));
    QCOMPARE(found->values.at(2), 10.0f);
    QVERIFY(!project->series(run, {"", "", "", "eval_loss", ""}));
    QVERIFY(!project->series({99}, kLoss));
}

void TstUiProject::forgottenSeriesCatchUp() {
    small_store::ThreeRuns runs(3);
    small_store::Project& recording = runs.recording;
    const auto project = opened(recording.path());
    const auto run = recording.runs().front().id;
    QCOMPARE(project->series(run, kLoss)->size(), 3);  // nobody keeps it
    QSignalSpy samples(project.get(), &Project::samplesArrived);
    recording.record(3, 8);
    project->poll();
    QCOMPARE(samples.count(), 0);
    QCOMPARE(project->series(run, kLoss)->size(), 8);
}

void TstUiProject::commandsArePendingUntilTaken() {
    small_store::ThreeRuns runs;
    small_store::Project& recording = runs.recording;
    const auto project = opened(recording.path());
    const auto run = recording.runs().front().id;
    QSignalSpy refused(project.get(), &Project::commandRefused);
    QVERIFY(project->send(run, store::CommandVerb::Pause));
    QCOMPARE(project->pendingCommand(run), QStringLiteral("pausing..."));
    project->poll();
    QCOMPARE(project->pendingCommand(run), QStringLiteral("pausing..."));
    const auto commands = small_store::must(recording.writer().takeCommands());
    QCOMPARE(commands.size(), size_t{1});
    small_store::must(recording.writer().setState(run, store::RunState::Paused));
    small_store::must(recording.writer().finishCommand(commands.front().id));
    small_store::must(recording.writer().commit());
    project->poll();
    QCOMPARE(project->pendingCommand(run), QString());
    QCOMPARE(project->run(run)->state, store::RunState::Paused);
    QCOMPARE(refused.count(), 0);
}

void TstUiProject::refusedCommandsSaySo() {
    small_store::ThreeRuns runs;
    small_store::Project& recording = runs.recording;
    const auto project = opened(recording.path());
    const auto run = recording.runs().front().id;
    QSignalSpy refused(project.get(), &Project::commandRefused);
    QVERIFY(project->send(run, store::CommandVerb::Checkpoint));
    const auto commands = small_store::must(recording.writer().takeCommands());
    small_store::must(recording.writer().refuseCommand(commands.front().id, "There is nothing to save."));
    small_store::must(recording.writer().commit());
    project->poll();
    QCOMPARE(refused.count(), 1);
    QCOMPARE(refused.front().front().toString(), QStringLiteral("There is nothing to save."));
}

void TstUiProject::commandsToNobodyAreErrors() {
    small_store::ThreeRuns runs(0, true);
    small_store::Project& recording = runs.recording;
    const auto project = opened(recording.path());
    const auto run = recording.runs().front().id;
    const auto sent = project->send(run, store::CommandVerb::Pause);
    QVERIFY(!sent);
    QVERIFY(!sent.error().message.empty());
    QCOMPARE(project->pendingCommand(run), QString());
}

void TstUiProject::deletedStoreIsOneSentence() {
    small_store::ThreeRuns runs(4);
    small_store::Project& recording = runs.recording;
    const auto project = opened(recording.path());
    const auto loss = project->series(recording.runs().front().id, kLoss);
    QSignalSpy failed(project.get(), &Project::failed);
    QSignalSpy recovered(project.get(), &Project::recovered);
    const auto aside = recording.path().string() + ".aside";
    std::filesystem::rename(recording.path(), aside);
    for (int i = 0; i < 3; ++i)
        project->poll();
    QCOMPARE(failed.count(), 1);
    QVERIFY(failed.front().front().toString().contains(QStringLiteral("deleted or moved")));
    QCOMPARE(loss->size(), 4);
    QCOMPARE(project->runs().size(), size_t{3});
    QVERIFY(!project->send(recording.runs().front().id, store::CommandVerb::Stop));
    std::filesystem::rename(aside, recording.path());
    recording.record(4, 6);
    project->poll();
    QCOMPARE(recovered.count(), 1);
    QCOMPARE(loss->size(), 6);
}

void TstUiProject::replacedStoreIsReadAnew() {
    QTemporaryDir folder;
    const auto path = small_store::pathIn(folder);
    {
        small_store::Project recording(path);
        recording.addThreeRuns();
        recording.finish();
    }
    const auto project = opened(path);
    QSignalSpy runs(project.get(), &Project::runsChanged);
    const auto otherPath = small_store::pathIn(folder, "other.octet");
    {
        small_store::Project other(otherPath);
        other.addExperiment("other");
        other.addRun("only", small_store::teRecipe("E4M3"));
    }
    std::filesystem::rename(otherPath, path);
    project->poll();
    QVERIFY(runs.count() >= 1);
    QCOMPARE(project->runs().size(), size_t{1});
    QCOMPARE(project->runs().front().name, std::string("only"));
}

void TstUiProject::lockedStoreIsOneSentence() {
    QTemporaryDir folder;
    const auto path = small_store::pathIn(folder);
    {
        small_store::Project recording(path);
        recording.addThreeRuns();
        recording.finish();
    }
    // A rollback journal, as on a network folder: only there a writer can keep readers out.
    SQLite::Database other(path.string(), SQLite::OPEN_READWRITE);
    other.exec("PRAGMA journal_mode = DELETE");
    const auto project = opened(path);
    QSignalSpy failed(project.get(), &Project::failed);
    QSignalSpy recovered(project.get(), &Project::recovered);
    other.exec("BEGIN EXCLUSIVE");
    QElapsedTimer one;
    one.start();
    project->poll();
    QVERIFY2(one.elapsed() < 500, "a poll waits for a lock");
    QCOMPARE(failed.count(), 0);  // a short lock is no news
    QVERIFY(failed.wait(5000));
    QVERIFY(failed.front().front().toString().contains(QStringLiteral("locked")));
    other.exec("ROLLBACK");
    QVERIFY(recovered.wait(5000));
    QCOMPARE(failed.count(), 1);
}

void TstUiProject::readOnlyStoreIsOneSentence() {
    small_store::ThreeRuns runs;
    small_store::Project& recording = runs.recording;
    bool writable = true;
    store::OpenProbe probe = store::machineProbe();
    probe.writable = [&writable](const std::filesystem::path&) { return writable; };
    const auto project = opened(recording.path(), &probe);
    QSignalSpy failed(project.get(), &Project::failed);
    QSignalSpy recovered(project.get(), &Project::recovered);
    writable = false;
    project->poll();
    project->poll();
    QCOMPARE(failed.count(), 1);
    QVERIFY(failed.front().front().toString().contains(QStringLiteral("read-only")));
    writable = true;
    project->poll();
    QCOMPARE(recovered.count(), 1);
}

void TstUiProject::whatIsNoStoreIsRefused_data() {
    QTest::addColumn<QByteArray>("content");
    QTest::newRow("a text file") << QByteArray("hello, this is no database at all\n").repeated(10);
    QTest::newRow("an empty file") << QByteArray();
    QTest::newRow("half a header") << QByteArray("SQLite format 3");
}

void TstUiProject::whatIsNoStoreIsRefused() {
    QFETCH(QByteArray, content);
    QTemporaryDir folder;
    const auto path = small_store::pathIn(folder);
    QFile file(QString::fromStdString(path.string()));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(content);
    file.close();
    const auto project = Project::open(path);
    QVERIFY(!project);
    QVERIFY(ui::sentenceOf(project.error()).endsWith(QLatin1Char('.')));
    QVERIFY(!Project::open(small_store::pathIn(folder, "missing.octet")));
}

void TstUiProject::pollsByItself() {
    small_store::ThreeRuns runs;
    small_store::Project& recording = runs.recording;
    const auto project = opened(recording.path());
    const auto loss = project->series(recording.runs().front().id, kLoss);
    QSignalSpy samples(project.get(), &Project::samplesArrived);
    recording.record(0, 2);
    QVERIFY(samples.wait(5000));
    QCOMPARE(loss->size(), 2);
}

QTEST_GUILESS_MAIN(TstUiProject)
#include "tst_ui_project.moc"
