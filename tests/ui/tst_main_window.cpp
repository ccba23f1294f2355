// SPDX-License-Identifier: GPL-3.0-or-later
// The window opens, switches places, opens what it is given or says why not, and closes.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QAbstractButton>
#include <QApplication>
#include <QDialog>
#include <QDropEvent>
#include <QListView>
#include <QMimeData>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QTimer>

#include "tests/ui/small_store.h"
#include "ui/models/recent_model.h"
#include "ui/recipe/recipe_place.h"
#include "ui/runs/runs_place.h"
#include "ui/shell/home_place.h"
#include "ui/shell/main_window.h"
#include "ui/widgets/message_strip.h"
#include "ui/widgets/theme.h"

using namespace octet;
using namespace octet::ui;

namespace {

void drop(QWidget& window, const QUrl& url) {
    QMimeData data;
    data.setUrls({url});
    QDragEnterEvent enters(QPoint(20, 20), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window, &enters);
    QDropEvent event(QPointF(20, 20), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window, &event);
}

/// Presses a button of the next modal dialog.
void answerNextDialog(const QString& objectName, bool* seen) {
    QTimer::singleShot(0, qApp, [objectName, seen] {
        QWidget* dialog = QApplication::activeModalWidget();
        if (!dialog) return answerNextDialog(objectName, seen);
        *seen = true;
        if (auto* button = dialog->findChild<QAbstractButton*>(objectName)) return button->click();
        static_cast<QDialog*>(dialog)->reject();
    });
}

}  // namespace

class TstMainWindow final : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void init();
    void opensAndCloses();
    void opensAStoreAndSelectsItsExperiment();
    void saysWhyItDoesNotOpen_data();
    void saysWhyItDoesNotOpen();
    void dropsAreOpened();
    void whatIsOpenStaysWhenAnotherFails();
    void troubleOfTheStoreGoesAwayWithIt();
    void aWorkerThatDiesIsSaidOnce();
    void closingAsksWhileRunsAreTrained();
    void themesCoverEveryToken();
    void aFolderWithoutRightsIsOneSentence();

private:
    QTemporaryDir m_home;
};

void TstMainWindow::initTestCase() {
    QVERIFY(m_home.isValid());
    qputenv("HOME", m_home.path().toLocal8Bit());
    qputenv("XDG_CONFIG_HOME", m_home.filePath(QStringLiteral("config")).toLocal8Bit());
    QCoreApplication::setOrganizationName(QStringLiteral("Octet"));
    QCoreApplication::setApplicationName(QStringLiteral("octet"));
}

void TstMainWindow::init() {
    applyTheme(*qApp, ThemeChoice::Light);
}

void TstMainWindow::opensAndCloses() {
    MainWindow window;
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    QCOMPARE(window.currentPlace(), QStringLiteral("home"));
    QVERIFY(window.home()->compareButton()->isVisible());
    QVERIFY(window.messages()->isHidden());
    for (const char* place : {"recipe", "runs", "home"})
        window.showPlace(QLatin1String(place));
    QVERIFY(window.close());
    QVERIFY(!window.isVisible());
}

void TstMainWindow::opensAStoreAndSelectsItsExperiment() {
    small_store::ThreeRuns runs(20, true);
    small_store::Project& recording = runs.recording;
    MainWindow window;
    window.show();
    window.openFile(runs.file());
    QCOMPARE(window.currentPlace(), QStringLiteral("runs"));
    QVERIFY(window.windowTitle().contains(QStringLiteral("small.octet")));
    const Selection& selection = *window.workbench()->selection();
    QCOMPARE(selection.experiment(), window.workbench()->project()->experiments().back().id);
    QCOMPARE(selection.currentRun(), recording.runs()[0].id);
    window.showPlace(QStringLiteral("home"));
    const QAbstractItemModel* recent = window.home()->recentView()->model();
    QCOMPARE(recent->index(0, 0).data().toString(), QStringLiteral("small.octet"));
}

void TstMainWindow::saysWhyItDoesNotOpen_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* title, const char* name, const QByteArray& content, const char* says) {
        QTest::newRow(title) << QString::fromLatin1(name) << content << QString::fromLatin1(says);
    };
    QByteArray newer =
        QByteArray("SQLite format 3") + QByteArray(1, '\0') + QByteArray(84, '\0') + QByteArray(412, '\0');
    newer[17] = 2;   // page size 512
    newer[63] = 99;  // user_version
    newer.replace(68, 4, "OCTT");
    row("a picture", "photo.png", "\x89PNG", "neither a project");
    row("a store that is none", "a.octet", QByteArray(200, 'x'), "not");
    row("an empty store", "a.octet", "", "empty");
    row("a store of a newer version", "a.octet", newer, "newer");
    row("a recipe with an unknown key", "a.octet.json",
        R"({"octet_recipe":1,"name":"x","backend":"TE","te":{"amax_history_length":16}})", "amax_history_len");
    row("a recipe that is no JSON", "a.octet.json", "{", "");
    row("a file that is not there", "", "", "There is no file");
}

void TstMainWindow::saysWhyItDoesNotOpen() {
    QFETCH(QString, name);
    QFETCH(QByteArray, content);
    QFETCH(QString, says);
    QTemporaryDir folder;
    const QString path = folder.filePath(name.isEmpty() ? QStringLiteral("missing.octet") : name);
    if (!name.isEmpty()) {
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(content) == content.size());
    }
    MainWindow window;
    window.show();
    window.openFile(path);
    QVERIFY(window.messages()->isVisible());
    QCOMPARE(window.messages()->kind(), MessageStrip::Kind::Error);
    QVERIFY2(window.messages()->sentence().contains(says, Qt::CaseInsensitive),
             qPrintable(window.messages()->sentence()));
    QVERIFY(!window.workbench()->project());
    window.messages()->dismiss();
    QVERIFY(window.messages()->isHidden());
}

void TstMainWindow::dropsAreOpened() {
    small_store::ThreeRuns runs(0, true);
    MainWindow window;
    window.show();
    drop(window, QUrl(QStringLiteral("https://example.org/a.octet")));
    QVERIFY(window.messages()->sentence().contains(QStringLiteral("not a file on this machine")));
    drop(window, QUrl::fromLocalFile(runs.file()));
    QVERIFY(window.workbench()->project());
    QCOMPARE(window.currentPlace(), QStringLiteral("runs"));
}

void TstMainWindow::whatIsOpenStaysWhenAnotherFails() {
    small_store::ThreeRuns runs(0, true);
    MainWindow window;
    window.openFile(runs.file());
    const Project* before = window.workbench()->project();
    window.openFile(runs.folder.filePath(QStringLiteral("missing.octet")));
    QCOMPARE(window.workbench()->project(), before);
}

void TstMainWindow::troubleOfTheStoreGoesAwayWithIt() {
    small_store::ThreeRuns runs(0, true);
    small_store::Project& recording = runs.recording;
    MainWindow window;
    window.show();
    window.openFile(runs.file());
    const auto aside = recording.path().string() + ".aside";
    std::filesystem::rename(recording.path(), aside);
    QTRY_VERIFY(window.messages()->isVisible());
    QVERIFY(window.messages()->sentence().contains(QStringLiteral("deleted or moved")));
    std::filesystem::rename(aside, recording.path());
    QTRY_VERIFY(window.messages()->isHidden());
}

void TstMainWindow::aWorkerThatDiesIsSaidOnce() {
    QTemporaryDir folder;
    const auto path = small_store::pathIn(folder);
    int ready[2];
    QCOMPARE(pipe(ready), 0);
    const pid_t worker = fork();  // before this process opens the store
    if (worker == 0) {
        small_store::Project recording(path);
        recording.addThreeRuns();
        recording.record(0, 7);
        _exit(write(ready[1], "x", 1) == 1 && pause() == 0 ? 0 : 1);
    }
    char byte = 0;
    QCOMPARE(read(ready[0], &byte, 1), ssize_t{1});
    MainWindow window;
    window.show();
    window.openFile(QString::fromStdString(path.string()));
    QCOMPARE(window.workbench()->liveRuns().size(), size_t{3});
    QSignalSpy messages(window.workbench(), &Workbench::message);
    kill(worker, SIGKILL);
    waitpid(worker, nullptr, 0);
    QTRY_COMPARE(messages.count(), 1);
    QVERIFY(window.messages()->sentence().startsWith(QStringLiteral("The worker is gone: hybrid-16 at step 7")));
    QCOMPARE(window.workbench()->project()->runs().front().state, store::RunState::Interrupted);
    QVERIFY(window.close());  // nobody is left to ask about
    QCOMPARE(messages.count(), 1);
    for (const int end : ready)
        ::close(end);
}

void TstMainWindow::closingAsksWhileRunsAreTrained() {
    small_store::ThreeRuns runs(5);
    small_store::Project& recording = runs.recording;
    MainWindow window;
    window.show();
    window.openFile(runs.file());
    bool asked = false;
    answerNextDialog(QStringLiteral("no such button: cancel"), &asked);
    QVERIFY(!window.close());
    QVERIFY(asked);
    QVERIFY(window.isVisible());
    answerNextDialog(QStringLiteral("keep"), &asked);
    QVERIFY(window.close());
    QVERIFY(small_store::must(recording.writer().takeCommands()).empty());
    window.show();
    answerNextDialog(QStringLiteral("stop"), &asked);
    QVERIFY(window.close());
    const auto commands = small_store::must(recording.writer().takeCommands());
    QCOMPARE(commands.size(), size_t{3});
    QCOMPARE(commands.front().verb, store::CommandVerb::Stop);
    recording.finish();
}

void TstMainWindow::themesCoverEveryToken() {
    for (const ThemeChoice choice : {ThemeChoice::Light, ThemeChoice::Dark}) {
        applyTheme(*qApp, choice);
        QVERIFY2(!qApp->styleSheet().contains(QLatin1Char('@')), qPrintable(qApp->styleSheet()));
        const QWidget widget;
        QCOMPARE(themeOf(&widget).dark, choice == ThemeChoice::Dark);
        for (int run = 0; run < 8; ++run)
            QVERIFY(runColour(run, themeOf(&widget)).isValid());
    }
    QVERIFY(runPenStyle(0) != runPenStyle(8));
}

void TstMainWindow::aFolderWithoutRightsIsOneSentence() {
    QTemporaryDir folder;
    QFile file(folder.filePath(QStringLiteral("file")));
    QVERIFY(file.open(QIODevice::WriteOnly));  // a file where the folder should be: refused also for root
    MainWindow window;
    window.show();
    const QString store = folder.filePath(QStringLiteral("file/a.octet"));
    QVERIFY(!window.workbench()->train({QStringLiteral("--store"), store}));
    QVERIFY(window.messages()->sentence().startsWith(QStringLiteral("Cannot make the folder")));
}

QTEST_MAIN(TstMainWindow)
#include "tst_main_window.moc"
