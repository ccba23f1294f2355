// SPDX-License-Identifier: Apache-2.0
// The rules of opening: what is refused and with which words, that reading changes nothing, read-only places, network
// file systems, migrations, and that no lock of this process is ever dropped.
#include <SQLiteCpp/SQLiteCpp.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include "engine/store/opening.h"
#include "engine/store/project.h"
#include "tests/store/opening_support.h"
#include "tests/store/sample_run.h"

using namespace octet;
using namespace octet::store;

using namespace opening_support;

class TstStoreOpening : public QObject {
    Q_OBJECT
private:
    std::unique_ptr<QTemporaryDir> m_folder;
    QString path(const QString& name = "t.octet") const { return m_folder->filePath(name); }

    void checkReadable(Reader& reader, int64_t steps = 10) {
        const auto runs = reader.runs();
        QVERIFY(runs);
        QCOMPARE(runs->size(), size_t{1});
        QCOMPARE(runs->at(0).steps, steps);
        const auto data = reader.samples(reader.series(runs->at(0).id)->at(1).id);
        QCOMPARE(sample_run::difference(*data, 3, 1, 0), std::string());
    }

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void aFileThatIsNoStoreIsRefusedUntouched_data() {
        QTest::addColumn<QString>("input");
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<bool>("alsoWithCreate");
        QTest::newRow("C116 a: a newer schema of something else names both versions")
            << "c116_a_newer.sqlite" << QStringList{"schema version 9999", "up to 1", "not an Octet store"} << true;
        QTest::newRow("C116 b: an empty file is offered to be used")
            << "c116_b_empty.sqlite" << QStringList{"empty file", "--create"} << false;
        QTest::newRow("C116 c: a text file") << "c116_c_text.sqlite" << QStringList{"not a SQLite database"} << true;
        QTest::newRow("C116 d: a cut file")
            << "c116_d_cut.sqlite" << QStringList{"damaged or incomplete SQLite database (1500 bytes)"} << true;
    }

    void aFileThatIsNoStoreIsRefusedUntouched() {
        QFETCH(QString, input);
        QFETCH(QStringList, words);
        QFETCH(bool, alsoWithCreate);
        QVERIFY(QFile::copy(QString(OCTET_TEST_DATA "/cases/") + input, path()));
        const auto before = contentOf(m_folder->path());
        QCOMPARE(before.size(), 1);
        std::vector<Error> errors{Reader::open(path().toStdString()).error(),
                                  Writer::open(path().toStdString()).error(),
                                  sendCommand(path().toStdString(), {1}, CommandVerb::Stop).error()};
        WriterOptions create;
        create.create = true;
        if (alsoWithCreate) errors.push_back(Writer::open(path().toStdString(), create).error());
        for (const Error& error : errors) {
            QCOMPARE(error.code, ErrorCode::Unreadable);
            for (const QString& word : words)
                QVERIFY2(allOf(error).find(word.toStdString()) != std::string::npos, allOf(error).c_str());
        }
        QCOMPARE(contentOf(m_folder->path()), before);
    }

    void aStoreFromANewerOctetIsRefusedUntouched_data() {
        QTest::addColumn<bool>("inWal");
        QTest::newRow("the version is in the file's header") << false;
        QTest::newRow("the version is still in the WAL") << true;
    }

    void aStoreFromANewerOctetIsRefusedUntouched() {
        QFETCH(bool, inWal);
        makeStore(path());
        if (inWal) {
            changeLeavingWal(path(), "PRAGMA user_version = 9999");
        } else {
            SQLite::Database(path().toStdString(), SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 9999");
        }
        QFile::remove(path("t.octet-shm"));
        auto before = contentOf(m_folder->path());
        QCOMPARE(before.size(), inWal ? 2 : 1);
        for (const Error& error : {Reader::open(path().toStdString()).error()}) {
            QCOMPARE(error.code, ErrorCode::NewerVersion);
            QVERIFY2(error.message.find("schema version 9999") != std::string::npos, error.message.c_str());
            QVERIFY(error.message.find("up to 1") != std::string::npos);
        }
        auto after = contentOf(m_folder->path());
        after.remove("t.octet-shm");
        QCOMPARE(after, before);
        QCOMPARE(Writer::open(path().toStdString()).error().code, ErrorCode::NewerVersion);
        if (!inWal) QCOMPARE(contentOf(m_folder->path()), before);
        SQLite::Database raw(path().toStdString(), SQLite::OPEN_READWRITE);
        QCOMPARE(raw.execAndGet("PRAGMA user_version").getInt(), 9999);
    }

    void placesThatHoldNoStoreGetASentence() {
        QCOMPARE(Reader::open(path("none.octet").toStdString()).error().code, ErrorCode::NotFound);
        const Error missing = Writer::open(path("none.octet").toStdString()).error();
        QCOMPARE(missing.code, ErrorCode::NotFound);
        QVERIFY(missing.hint.find("--create") != std::string::npos);
        WriterOptions create;
        create.create = true;
        const Error noFolder = Writer::open(path("none/t.octet").toStdString(), create).error();
        QCOMPARE(noFolder.code, ErrorCode::NotFound);
        QVERIFY2(noFolder.message.find("no folder") != std::string::npos, noFolder.message.c_str());
        const Error folder = Reader::open(m_folder->path().toStdString()).error();
        QVERIFY2(folder.message.find("is a folder") != std::string::npos, folder.message.c_str());
        QVERIFY(!Writer::open(m_folder->path().toStdString(), create));
        const OpenProbe probe = readOnlyPlace();
        create.probe = &probe;
        const Error noRight = Writer::open(path("new.octet").toStdString(), create).error();
        QVERIFY2(noRight.message.find("no permission") != std::string::npos, noRight.message.c_str());
        QVERIFY(contentOf(m_folder->path()).isEmpty());
    }

    void creatingUsesAMissingOrAnEmptyFileAndKeepsAStore() {
        WriterOptions create;
        create.create = true;
        QFile empty(path("empty.octet"));
        QVERIFY(empty.open(QIODevice::WriteOnly));
        empty.close();
        for (const char* name : {"empty.octet", "missing.octet", "한글 이름 100%?#.octet"}) {
            makeStore(path(name));
            makeStore(path(name));  // a second writer with create adds to it
            auto reader = std::move(Reader::open(path(name).toStdString())).value();
            QCOMPARE(reader->runs()->size(), size_t{2});
            QVERIFY(reader->openingNote().empty());
        }
        QCOMPARE(journalMode(path("missing.octet")), std::string("wal"));
        SQLite::Database raw(path("missing.octet").toStdString(), SQLite::OPEN_READONLY);
        QCOMPARE(raw.execAndGet("PRAGMA page_size").getInt(), 8192);
        QCOMPARE(raw.execAndGet("PRAGMA application_id").getInt(), kApplicationId);
        QCOMPARE(raw.execAndGet("PRAGMA user_version").getInt(), kSchemaVersion);
    }

    void aStoreThatCannotBeMadeLeavesNothing() {
        WriterOptions small;
        small.create = true;
        small.maxPageCount = 3;
        QVERIFY(!Writer::open(path().toStdString(), small));
        QVERIFY2(contentOf(m_folder->path()).isEmpty(), qPrintable(contentOf(m_folder->path()).keys().join(' ')));
    }

    void readingChangesNothing_data() {
        QTest::addColumn<bool>("wal");
        QTest::newRow("a store that was closed") << false;
        QTest::newRow("a store whose worker died, with a WAL") << true;
    }

    void readingChangesNothing() {
        QFETCH(bool, wal);
        makeStore(path());
        if (wal) changeLeavingWal(path(), "UPDATE run SET note = 'in the wal'");
        auto before = contentOf(m_folder->path());
        before.remove("t.octet-shm");  // SQLite's index of the WAL, rebuilt at need
        const QDateTime modified = QFileInfo(path()).lastModified();
        {
            auto reader = std::move(Reader::open(path().toStdString())).value();
            checkReadable(*reader);
            QVERIFY(reader->openingNote().empty());
        }
        auto after = contentOf(m_folder->path());
        after.remove("t.octet-shm");
        QCOMPARE(after, before);
        QCOMPARE(QFileInfo(path()).lastModified(), modified);
    }

    void aReadOnlyPlaceIsReadAsItIs_data() {
        QTest::addColumn<bool>("wal");
        QTest::addColumn<bool>("shm");
        QTest::addColumn<QString>("note");
        QTest::newRow("nothing beside it: immutable") << false << false << "shown as it is";
        QTest::newRow("-wal and -shm: read-only") << true << true << "opened read-only";
        QTest::newRow("-wal without -shm: a copy") << true << false << "a copy in ";
    }

    void aReadOnlyPlaceIsReadAsItIs() {
        QFETCH(bool, wal);
        QFETCH(bool, shm);
        QFETCH(QString, note);
        const QString file = path("읽기 100%?#.octet");
        makeStore(file);
        if (wal) changeLeavingWal(file, "UPDATE run SET name = 'in the wal'");
        if (!shm) QFile::remove(file + "-shm");
        QCOMPARE(QFile::exists(file + "-wal"), wal);
        QCOMPARE(QFile::exists(file + "-shm"), shm);
        auto before = contentOf(m_folder->path());
        const OpenProbe probe = readOnlyPlace();
        QString copy;
        {
            auto opened = Reader::open(file.toStdString(), &probe);
            QVERIFY2(opened, opened ? "" : opened.error().message.c_str());
            Reader& reader = **opened;
            checkReadable(reader);
            QCOMPARE(QString::fromStdString(reader.runs()->at(0).name), wal ? "in the wal" : "hybrid-16");
            const QString said = QString::fromStdString(reader.openingNote());
            QVERIFY2(said.contains(note), qPrintable(said));
            copy = said.section("a copy in ", 1).section(" is shown", 0, 0);
            if (!copy.isEmpty()) QVERIFY(QDir(copy).exists());
        }
        if (!copy.isEmpty()) QVERIFY(!QDir(copy).exists());
        auto after = contentOf(m_folder->path());
        before.remove(QFileInfo(file).fileName() + "-shm");
        after.remove(QFileInfo(file).fileName() + "-shm");
        QCOMPARE(after, before);
    }

    void aUserWithoutRightsReadsAndIsToldWhyNotWrite() {
        makeStore(path());
        QVERIFY(chmod(qPrintable(path()), 0444) == 0);
        QVERIFY(chmod(qPrintable(m_folder->path()), 0555) == 0);
        const auto before = contentOf(m_folder->path());
        const QByteArray read = childSays({"read", path()});
        QVERIFY2(read.startsWith("ok 1 runs, 10 steps.") && read.contains("shown as it is"), read.constData());
        const QByteArray written = childSays({"write", path()});
        QVERIFY2(written.startsWith("error unreadable") && written.contains("no permission"), written.constData());
        QCOMPARE(contentOf(m_folder->path()), before);
        QVERIFY(chmod(qPrintable(path()), 0000) == 0);
        const QByteArray blind = childSays({"read", path()});
        QVERIFY2(blind.startsWith("error unreadable") && blind.contains("Permission denied"), blind.constData());
        QVERIFY(chmod(qPrintable(m_folder->path()), 0755) == 0);
    }

    void aNetworkFileSystemGetsARollbackJournal_data() {
        QTest::addColumn<qint64>("type");
        QTest::addColumn<QString>("name");
        QTest::newRow("NFS") << qint64{0x6969} << "NFS";
        QTest::newRow("CIFS, sign-extended") << static_cast<qint64>(static_cast<int32_t>(0xFF534D42)) << "CIFS";
        QTest::newRow("sshfs") << qint64{0x65735546} << "FUSE";
    }

    void aNetworkFileSystemGetsARollbackJournal() {
        QFETCH(qint64, type);
        QFETCH(QString, name);
        const OpenProbe probe = networkPlace(type);
        makeStore(path());  // WAL at first, as if it had been copied there
        WriterOptions options;
        options.create = true;
        options.probe = &probe;
        for (const QString& file : {path(), path("new.octet")}) {
            auto writer = std::move(Writer::open(file.toStdString(), options)).value();
            QVERIFY(writer->openingNote().find(name.toStdString()) != std::string::npos);
            QVERIFY(writer->openingNote().find("rollback journal") != std::string::npos);
            QCOMPARE(journalMode(file), std::string("delete"));
            QVERIFY(writer->addExperiment({"on the network", Json::object(), std::nullopt}));
            auto reader = std::move(Reader::open(file.toStdString(), &probe)).value();
            QCOMPARE(reader->experiments()->back().name, std::string("on the network"));
            QVERIFY(!reader->openingNote().empty());
        }
        makeStore(path());  // local again
        QCOMPARE(journalMode(path()), std::string("wal"));
    }

    void aLockedStoreIsSaidToBeLocked() {
        makeStore(path());
        SQLite::Database locker(path().toStdString(), SQLite::OPEN_READWRITE);
        locker.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
        const Error error = Reader::open(path().toStdString()).error();
        QCOMPARE(error.code, ErrorCode::Busy);
        QVERIFY(error.message.find("locked") != std::string::npos);
    }

    void anOlderStoreIsBroughtUpToDateByAWriter_data() {
        QTest::addColumn<int>("from");
        QTest::newRow("version 1 to 3") << 1;
        QTest::newRow("version 2 to 3") << 2;
        QTest::newRow("version 3 is left alone") << 3;
    }

    void anOlderStoreIsBroughtUpToDateByAWriter() {
        QFETCH(int, from);
        const std::vector<Migration> table{storeMigrations()[0],
                                           {2, "add a size", "ALTER TABLE run ADD COLUMN size INTEGER DEFAULT 42"},
                                           {3, "rename it", "ALTER TABLE run RENAME COLUMN size TO bytes"}};
        WriteOpening how;
        how.create = true;
        how.migrations = std::span(table).first(static_cast<size_t>(from));
        {
            auto opened = std::move(openForWriting(path().toStdString(), how)).value();
            opened->database().exec(
                "INSERT INTO experiment(name, spec, created_at) VALUES('e', '{}', 0);"
                "INSERT INTO run(experiment, name, recipe_name, recipe, effective, seed, planned_steps, baseline, "
                "hidden, "
                "state, environment, created_at) VALUES(1, 'kept', '', '{}', '{}', 1, 1, 0, 0, 'done', '{}', 0)");
        }
        ReadOpening reading;
        reading.migrations = table;
        const auto before = contentOf(m_folder->path());
        const auto read = openForReading(path().toStdString(), reading);
        QCOMPARE(read.ok(), from == 3);
        if (!read) {
            QCOMPARE(read.error().code, ErrorCode::Refused);
            QVERIFY(read.error().message.find("older schema version") != std::string::npos);
            QCOMPARE(contentOf(m_folder->path()), before);
        }
        how.create = false;
        how.migrations = table;
        auto opened = std::move(openForWriting(path().toStdString(), how)).value();
        QCOMPARE(opened->database().execAndGet("PRAGMA user_version").getInt(), 3);
        QCOMPARE(opened->database().execAndGet("SELECT name || bytes FROM run").getString(), std::string("kept42"));
        how.migrations = std::span(table).first(2);
        QCOMPARE(openForWriting(path().toStdString(), how).error().code, ErrorCode::NewerVersion);
    }

    void aFailedMigrationIsSaidAndChangesNothing() {
        makeStore(path());
        const std::vector<Migration> table{storeMigrations()[0],
                                           {2, "add a size", "ALTER TABLE run ADD COLUMN size INTEGER"},
                                           {3, "add a table again", "CREATE TABLE run(id INTEGER)"}};
        WriteOpening how;
        how.migrations = table;
        const auto opened = openForWriting(path().toStdString(), how);
        QVERIFY(!opened);
        QCOMPARE(opened.error().code, ErrorCode::Failed);
        for (const char* word : {"version 1 to 3", "add a table again", "already exists"}) {
            QVERIFY2(opened.error().message.find(word) != std::string::npos, opened.error().message.c_str());
        }
        QVERIFY(opened.error().hint.find("Nothing was changed") != std::string::npos);
        auto reader = std::move(Reader::open(path().toStdString())).value();
        checkReadable(*reader);
    }

    void aPathThatIsOpenIsNeverOpenedAnotherWay() {
        makeStore(path());
        QVERIFY(QFile::link(path(), path("link.octet")));
        QVERIFY(::link(qPrintable(path()), qPrintable(path("hard.octet"))) == 0);
        auto writer = std::move(Writer::open(path().toStdString())).value();
        QVERIFY(writer->addExperiment({"holds", Json::object(), std::nullopt}));
        auto reader = std::move(Reader::open(path().toStdString())).value();
        QVERIFY(reader->runs());
        QCOMPARE(childSays({"locks", path()}), QByteArray("locked"));
        for (const char* name : {"t.octet", "link.octet"}) {
            QVERIFY(Reader::open(path(name).toStdString()));
            QVERIFY(Writer::open(path(name).toStdString()));
            QVERIFY(commandStatus(path(name).toStdString(), {9}).error().code == ErrorCode::NotFound);
        }
        (void)Reader::open(path("hard.octet").toStdString());
        QCOMPARE(childSays({"locks", path()}), QByteArray("locked"));
        ::close(::open(qPrintable(path()), O_RDONLY));  // what the registry keeps from happening
        QCOMPARE(childSays({"locks", path()}), QByteArray("free"));
    }

    void theNewestProjectIsTheOneWrittenLast() {
        const std::filesystem::path folder = m_folder->path().toStdString();
        QCOMPARE(newestProject(folder).error().code, ErrorCode::NotFound);
        QCOMPARE(newestProject(folder / "missing").error().code, ErrorCode::NotFound);
        const auto now = std::filesystem::file_time_type::clock::now();
        int age = 100;
        for (const char* name : {"b.octet", "c.octet", "a.octet", "d.txt", "e.octet-wal"}) {
            QFile file(path(name));
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.close();
            std::filesystem::last_write_time(folder / name, now - std::chrono::seconds(age));
            age -= 10;
        }
        QVERIFY(newestProject(folder).value() == folder / "a.octet");
        QFile log(path("b.octet-wal"));  // samples that were not merged yet
        QVERIFY(log.open(QIODevice::WriteOnly));
        QVERIFY(newestProject(folder).value() == folder / "b.octet");
        qputenv("HOME", "/home/somebody");
        QVERIFY(defaultProjectFolder() == "/home/somebody/Octet");
    }
};

QTEST_GUILESS_MAIN(TstStoreOpening)
#include "tst_store_opening.moc"
