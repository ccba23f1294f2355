// SPDX-License-Identifier: GPL-3.0-or-later
// What the Runs place does with a run: another recipe from the next step, the run's own recipe in the Recipe place, and
// files of what is seen, also where they can't be written.
#include <signal.h>
#include <sys/resource.h>

#include <QImage>
#include <QMenu>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

#include "engine/core/files.h"
#include "engine/recipe/recipe_json.h"
#include "tests/ui/small_store.h"
#include "ui/recipe/recipe_place.h"
#include "ui/runs/runs_place.h"
#include "ui/shell/main_window.h"
#include "ui/widgets/message_strip.h"
#include "ui/widgets/theme.h"

using namespace octet;
using namespace octet::ui;

namespace {

/// A disk that is full behind so many bytes, for this process's files.
class FullDisk {
public:
    explicit FullDisk(rlim_t bytes) {
        signal(SIGXFSZ, SIG_IGN);
        getrlimit(RLIMIT_FSIZE, &m_before);
        const rlimit now{bytes, m_before.rlim_max};
        setrlimit(RLIMIT_FSIZE, &now);
    }
    ~FullDisk() { setrlimit(RLIMIT_FSIZE, &m_before); }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;

private:
    rlimit m_before{};
};

}  // namespace

class TstRunsCommands final : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void init();
    void cleanup();
    void aRecipeIsSetFromTheNextStep();
    void aRefusedRecipeIsTheWorkersSentence();
    void theRecipeThatIsOpenIsOffered();
    void aRecipeFileThatIsNoneIsSaid();
    void endedRunsHaveNoRecipeButton();
    void theRecipeOfARunOpensInItsPlace();
    void whatIsSeenIsWritten_data();
    void whatIsSeenIsWritten();
    void aFileThatCannotBeWrittenIsOneSentence_data();
    void aFileThatCannotBeWrittenIsOneSentence();
    void aFullDiskLeavesNoHalfFile();
    void aCommandOnAFullDiskIsOneSentence();

private:
    [[nodiscard]] RunsPlace& place() { return *m_window->runs(); }
    [[nodiscard]] QString said() { return m_window->messages()->sentence(); }
    [[nodiscard]] store::RunId run(size_t index) { return m_recording->runs()[index].id; }
    [[nodiscard]] Project& project() { return *m_window->workbench()->project(); }
    [[nodiscard]] store::Command taken() {
        const auto commands = small_store::must(m_recording->writer().takeCommands());
        if (commands.size() != 1) throw std::runtime_error("not one command");
        return commands.front();
    }
    void exportTo(const QString& path, ViewFile file) {
        place().setExportPathChooser([path](const QString&) { return path; });
        place().exportView(file);
    }

    QTemporaryDir m_home;
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<small_store::Project> m_recording;
    std::unique_ptr<MainWindow> m_window;
};

void TstRunsCommands::initTestCase() {
    qputenv("HOME", m_home.path().toLocal8Bit());
    qputenv("XDG_CONFIG_HOME", m_home.filePath(QStringLiteral("config")).toLocal8Bit());
    QCoreApplication::setOrganizationName(QStringLiteral("Octet"));
    QCoreApplication::setApplicationName(QStringLiteral("octet"));
    applyTheme(*qApp, ThemeChoice::Light);
}

void TstRunsCommands::init() {
    m_folder = std::make_unique<QTemporaryDir>();
    m_recording = std::make_unique<small_store::Project>(small_store::pathIn(*m_folder));
    m_recording->addThreeRuns();
    m_recording->record(0, 40);
    m_window = std::make_unique<MainWindow>();
    m_window->resize(1280, 800);
    m_window->show();
    m_window->openFile(QString::fromStdString(m_recording->path().string()));
    place().settle();
}

void TstRunsCommands::cleanup() {
    m_window.reset();
    m_recording.reset();
}

void TstRunsCommands::aRecipeIsSetFromTheNextStep() {
    place().setRecipe(run(0), QStringLiteral("preset:e4m3-16"));
    QCOMPARE(project().pendingCommand(run(0)), QStringLiteral("changing the recipe..."));
    const store::Command command = taken();
    QCOMPARE(command.verb, store::CommandVerb::SetRecipe);
    QCOMPARE(command.argument["te"]["fp8_format"].get<std::string>(), std::string("E4M3"));
    project().poll();
    QCOMPARE(project().pendingCommand(run(0)), QStringLiteral("changing the recipe..."));  // taken, not done
    small_store::must(m_recording->writer().addRunRecipe(run(0), 40, command.argument, nullptr));
    small_store::must(m_recording->writer().finishCommand(command.id));
    small_store::must(m_recording->writer().commit());
    project().poll();
    QCOMPARE(project().pendingCommand(run(0)), QString());
    QVERIFY2(said().startsWith(QStringLiteral("hybrid-16 goes on with the recipe e4m3-16.")), qPrintable(said()));
    QCOMPARE(m_window->messages()->kind(), MessageStrip::Kind::Info);
}

void TstRunsCommands::aRefusedRecipeIsTheWorkersSentence() {
    place().setRecipe(run(0), QStringLiteral("preset:te-default"));
    small_store::must(m_recording->writer().refuseCommand(taken().id, "This recipe can't follow that one."));
    small_store::must(m_recording->writer().commit());
    project().poll();
    QCOMPARE(said(), QStringLiteral("This recipe can't follow that one."));
    QCOMPARE(m_window->messages()->kind(), MessageStrip::Kind::Error);
    QCOMPARE(project().pendingCommand(run(0)), QString());
}

void TstRunsCommands::theRecipeThatIsOpenIsOffered() {
    auto* menu = m_window->runs()->findChild<QToolButton*>(QStringLiteral("setRecipe"))->menu();
    const auto texts = [menu] {
        emit menu->aboutToShow();
        QStringList all;
        for (const QAction* action : menu->actions())
            all << action->text();
        return all;
    };
    QVERIFY(texts().contains(QStringLiteral("te-default")));
    QVERIFY(!texts().front().contains(QStringLiteral("as it stands in Recipe")));  // none is open
    m_window->recipe()->openRecipe(QStringLiteral("preset:e4m3-16"));
    QCOMPARE(texts().front(), QStringLiteral("e4m3-16, as it stands in Recipe"));
    menu->actions().front()->trigger();
    QCOMPARE(taken().run, m_window->workbench()->selection()->currentRun());
}

void TstRunsCommands::aRecipeFileThatIsNoneIsSaid() {
    place().setRecipe(run(0), m_folder->filePath(QStringLiteral("missing.octet.json")));
    QVERIFY2(said().contains(QStringLiteral("missing.octet.json")), qPrintable(said()));
    QVERIFY(small_store::must(m_recording->writer().takeCommands()).empty());
}

void TstRunsCommands::endedRunsHaveNoRecipeButton() {
    auto* button = place().findChild<QToolButton*>(QStringLiteral("setRecipe"));
    QVERIFY(button->isVisible());
    m_recording->finish();
    project().poll();
    QVERIFY(!button->isVisible());
    place().setRecipe(run(0), QStringLiteral("preset:e4m3-16"));
    QVERIFY(!said().isEmpty());
    QCOMPARE(m_window->messages()->kind(), MessageStrip::Kind::Error);
}

void TstRunsCommands::theRecipeOfARunOpensInItsPlace() {
    emit place().wantsRecipeOfRun(QString::fromStdString(small_store::teRecipe("E4M3").dump()),
                                  QStringLiteral("e4m3-16"));
    QCOMPARE(m_window->currentPlace(), QStringLiteral("recipe"));
    const RecipeDocument& document = m_window->recipe()->document();
    QCOMPARE(document.recipe().te.amaxHistoryLen, 16);
    QCOMPARE(document.reference(), QStringLiteral("run:e4m3-16"));
    QVERIFY(document.path().isEmpty());
    QSignalSpy trains(m_window->recipe(), &Place::wantsTraining);
    m_window->workbench()->launcher()->setWorker(QStringLiteral("/bin/false"));
    m_window->recipe()->run();
    QCOMPARE(trains.count(), 1);
    const QStringList arguments = trains.front().front().toStringList();
    const QString reference = arguments.value(arguments.indexOf(QStringLiteral("--recipe")) + 1);
    QVERIFY2(recipe::loadRecipe(reference.toStdString()).ok(), qPrintable(reference));  // it became a file
}

void TstRunsCommands::whatIsSeenIsWritten_data() {
    QTest::addColumn<ViewFile>("file");
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("begins");
    QTest::newRow("a picture") << ViewFile::Png << "그림 하나.png" << QByteArray("\x89PNG");
    QTest::newRow("a drawing") << ViewFile::Svg << "a.svg" << QByteArray("<?xml");
    QTest::newRow("values") << ViewFile::Csv << "a.csv" << QByteArray("step,LOSS hybrid-16");
    QTest::newRow("a name without its ending") << ViewFile::Csv << "plain" << QByteArray("step,");
}

void TstRunsCommands::whatIsSeenIsWritten() {
    QFETCH(ViewFile, file);
    QFETCH(QString, name);
    QFETCH(QByteArray, begins);
    QString path = m_folder->filePath(name);
    exportTo(path, file);
    if (name == QStringLiteral("plain")) path += QStringLiteral(".csv");
    QCOMPARE(said(), QStringLiteral("Wrote %1.").arg(path));
    QFile written(path);
    QVERIFY(written.open(QIODevice::ReadOnly));
    const QByteArray content = written.readAll();
    QVERIFY2(content.startsWith(begins), content.left(60).constData());
    if (file == ViewFile::Csv) QCOMPARE(content.count('\n'), 41);  // 40 steps and a head
}

void TstRunsCommands::aFileThatCannotBeWrittenIsOneSentence_data() {
    QTest::addColumn<ViewFile>("file");
    QTest::newRow("picture") << ViewFile::Png;
    QTest::newRow("drawing") << ViewFile::Svg;
    QTest::newRow("values") << ViewFile::Csv;
}

void TstRunsCommands::aFileThatCannotBeWrittenIsOneSentence() {
    QFETCH(ViewFile, file);
    QFile blocker(m_folder->filePath(QStringLiteral("file")));
    QVERIFY(blocker.open(QIODevice::WriteOnly));
    exportTo(m_folder->filePath(QStringLiteral("file/a")), file);
    QCOMPARE(m_window->messages()->kind(), MessageStrip::Kind::Error);
    QVERIFY2(said().contains(QStringLiteral("file/a")), qPrintable(said()));
}

void TstRunsCommands::aFullDiskLeavesNoHalfFile() {
    const QStringList before = QDir(m_folder->path()).entryList();
    {
        const FullDisk full(100);
        exportTo(m_folder->filePath(QStringLiteral("a.png")), ViewFile::Png);
    }
    QCOMPARE(m_window->messages()->kind(), MessageStrip::Kind::Error);
    QVERIFY2(said().contains(QStringLiteral("a.png")), qPrintable(said()));
    QCOMPARE(QDir(m_folder->path()).entryList(), before);
}

void TstRunsCommands::aCommandOnAFullDiskIsOneSentence() {
    {
        const FullDisk full(4096);  // the store is larger already
        place().setRecipe(run(0), QStringLiteral("preset:e4m3-16"));
    }
    QCOMPARE(m_window->messages()->kind(), MessageStrip::Kind::Error);
    QVERIFY(!said().isEmpty());
    QCOMPARE(project().pendingCommand(run(0)), QString());
    m_recording->record(40, 45);  // and it goes on when there is room
    project().poll();
    QCOMPARE(project().run(run(0))->steps, 45);
}

QTEST_MAIN(TstRunsCommands)
#include "tst_runs_commands.moc"
