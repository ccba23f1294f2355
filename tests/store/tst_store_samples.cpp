// SPDX-License-Identifier: Apache-2.0
// Samples, events and exponents go in and come out the same: at every moment of sealing, from another connection, from
// another process, and after the disk was full.
#include <SQLiteCpp/SQLiteCpp.h>

#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <random>

#include "engine/store/chunk.h"
#include "tests/store/sample_run.h"

using namespace octet;
using namespace octet::store;

namespace {

std::unique_ptr<Writer> newStore(const QString& path, int64_t segmentSamples = 2048) {
    WriterOptions options;
    options.create = true;
    options.segmentSamples = segmentSamples;
    auto opened = Writer::open(path.toStdString(), options);
    if (!opened) qWarning("%s", opened.error().message.c_str());
    return opened ? std::move(opened).value() : nullptr;
}

std::unique_ptr<Reader> readerOf(const QString& path) {
    auto opened = Reader::open(path.toStdString());
    if (!opened) qWarning("%s", opened.error().message.c_str());
    return opened ? std::move(opened).value() : nullptr;
}

int64_t count(const QString& path, const char* sql) {
    SQLite::Database database(path.toStdString(), SQLite::OPEN_READWRITE, 5000);
    return database.execAndGet(sql).getInt64();
}

/// Reads every series whole and says what differs from the run, "" when nothing.
std::string wholeDifference(Reader& reader, RunId run, uint64_t seed, int64_t expected) {
    const auto series = reader.series(run);
    if (!series) return series.error().message;
    for (size_t i = 0; i < series->size(); ++i) {
        const auto data = reader.samples((*series)[i].id);
        if (!data) return data.error().message;
        if (static_cast<int64_t>(data->value.size()) != expected) {
            return "series " + std::to_string(i) + " has " + std::to_string(data->value.size()) + " samples, not " +
                   std::to_string(expected);
        }
        if (auto wrong = sample_run::difference(*data, seed, i, 0); !wrong.empty()) return wrong;
    }
    return "";
}

}  // namespace

class TstStoreSamples : public QObject {
    Q_OBJECT
private:
    QTemporaryDir m_folder;
    QString path(const char* name) const { return m_folder.filePath(name); }

private slots:
    void everyMomentOfSealingReadsTheSame_data() {
        QTest::addColumn<int>("seriesCount");
        QTest::addColumn<int>("segment");
        QTest::addColumn<int>("mostPerCommit");
        QTest::addColumn<int>("commits");
        QTest::newRow("200 series, segments of 64, up to 12 samples a commit") << 200 << 64 << 12 << 60;
        QTest::newRow("200 series, long sealing: one channel part a commit") << 200 << 100 << 3 << 120;
        QTest::newRow("3 series, commits longer than a segment") << 3 << 16 << 100 << 40;
        QTest::newRow("1 series, a segment of one sample") << 1 << 1 << 4 << 40;
        QTest::newRow("a group without series") << 0 << 8 << 5 << 20;
    }

    void everyMomentOfSealingReadsTheSame() {
        QFETCH(int, seriesCount);
        QFETCH(int, segment);
        QFETCH(int, mostPerCommit);
        QFETCH(int, commits);
        const QString file = path(QTest::currentDataTag());
        auto writer = newStore(file, segment);
        QVERIFY(writer);
        const uint64_t seed = 7;
        const auto started = sample_run::start(*writer, seed, static_cast<size_t>(seriesCount));
        QVERIFY(started);
        auto reader = readerOf(file);
        QVERIFY(reader);
        std::mt19937 random(11);
        int64_t step = 0;
        std::vector<int64_t> had(static_cast<size_t>(seriesCount), 0);
        for (int c = 0; c < commits; ++c) {
            const int n = static_cast<int>(random() % static_cast<unsigned>(mostPerCommit + 1));
            for (int i = 0; i < n; ++i, ++step) {
                const auto values = sample_run::values(seed, static_cast<size_t>(seriesCount), step);
                writer->append(started->group, sample_run::axes(step), values);
            }
            QVERIFY(writer->commit());
            QCOMPARE(wholeDifference(*reader, started->run, seed, step), std::string());
            QCOMPARE(reader->runs()->front().steps, step);
            followOn(*reader, started->run, seed, had);
        }
        for (const int64_t samples : had)
            QCOMPARE(samples, step);
        QVERIFY(count(file, "SELECT count(*) FROM chunk") > 0);
        QVERIFY(writer->endAttempt(started->attempt, RunState::Done));
        QCOMPARE(count(file, "SELECT count(*) FROM frame"), 0);
        QCOMPARE(wholeDifference(*reader, started->run, seed, step), std::string());
        QCOMPARE(reader->runs()->front().steps, step);
    }

    void followOn(Reader& reader, RunId run, uint64_t seed, std::vector<int64_t>& had) {
        const auto series = reader.series(run);
        for (size_t i = 0; i < had.size(); ++i) {
            const auto data = reader.samples((*series)[i].id, had[i]);
            QVERIFY(data);
            QCOMPARE(sample_run::difference(*data, seed, i, had[i]), std::string());
            had[i] += static_cast<int64_t>(data->value.size());
        }
    }

    void sealingIsSpreadOverCommits() {
        const QString file = path("spread.octet");
        auto writer = newStore(file, 1000);
        const auto started = sample_run::start(*writer, 1, 317);  // 320 channels with the axes: 10 a commit
        QVERIFY(started);
        for (int64_t step = 0; step < 1000; ++step) {
            writer->append(started->group, sample_run::axes(step), sample_run::values(1, 317, step));
        }
        QVERIFY(writer->commit());
        for (int part = 1; part <= 32; ++part) {
            QCOMPARE(count(file, "SELECT count(*) FROM frame"), 1);
            QVERIFY(writer->commit());
            QCOMPARE(count(file, "SELECT count(*) FROM chunk"), 10 * part);
        }
        QVERIFY(writer->commit());
        QCOMPARE(count(file, "SELECT count(*) FROM frame"), 0);
    }

    void aChunkNamesItsExtremes() {
        const float inf = std::numeric_limits<float>::infinity();
        const float nan = std::numeric_limits<float>::quiet_NaN();
        const std::vector<float> mixed{1.0f, nan, -3.5f, inf, 2.0f, -inf}, none{nan, inf};
        const ChunkSummary summary = summarise(std::span<const float>(mixed));
        QCOMPARE(summary.min.value(), -3.5);
        QCOMPARE(summary.max.value(), 2.0);
        QCOMPARE(summary.nonFinite, 3);
        QVERIFY(!summarise(std::span<const float>(none)).min);
        QCOMPARE(summarise(std::span<const float>(none)).nonFinite, 2);
    }

    void changedIsSaidOncePerCommitOfAnother() {
        const QString file = path("changed.octet");
        auto writer = newStore(file);
        const auto started = sample_run::start(*writer, 1, 2);
        auto reader = readerOf(file);
        QVERIFY(*reader->changed());
        QVERIFY(!*reader->changed());
        writer->append(started->group, sample_run::axes(0), sample_run::values(1, 2, 0));
        QVERIFY(writer->commit());
        QVERIFY(*reader->changed());
        QVERIFY(!*reader->changed());
    }

    void anotherProcessFollowsWithoutGapOrRepeat() {
        const QString file = path("followed.octet");
        auto writer = newStore(file, 50);
        const int64_t steps = 1500;
        const auto started = sample_run::start(*writer, 21, 40);
        QVERIFY(started);
        QProcess child;
        child.start(STORE_CHILD, {"follow", file, QString::number(steps)});
        QVERIFY(child.waitForReadyRead(20000));
        for (int64_t step = 0; step < steps; ++step) {
            writer->append(started->group, sample_run::axes(step), sample_run::values(21, 40, step));
            if (step % 7 == 6) QVERIFY(writer->commit());
        }
        QVERIFY(writer->commit());
        QVERIFY(child.waitForFinished(70000));
        const QByteArray said = child.readAll();
        QVERIFY2(child.exitCode() == 0, said.constData());
        qInfo("%s", said.trimmed().constData());
    }

    void twoWritersShareAStore() {
        const QString file = path("shared.octet");
        QProcess a, b;
        a.start(STORE_CHILD, {"append", file, "1", "30", "400", "3"});
        b.start(STORE_CHILD, {"append", file, "2", "50", "400", "4"});
        QVERIFY(a.waitForFinished(60000));
        QVERIFY(b.waitForFinished(60000));
        QVERIFY2(a.exitCode() == 0, a.readAll().right(300).constData());
        QVERIFY2(b.exitCode() == 0, b.readAll().right(300).constData());
        QProcess check;
        check.start(STORE_CHILD, {"check", file});
        QVERIFY(check.waitForFinished(60000));
        QCOMPARE(check.readAll().trimmed(), QByteArray("samples 32000"));
        auto reader = readerOf(file);
        const auto runs = reader->runs();
        QCOMPARE(runs->size(), size_t{2});
        for (const RunInfo& run : *runs)
            QCOMPARE(run.state, RunState::Done);
    }

    void nothingIsLostWhileTheDiskIsFull() {
        const QString file = path("full.octet");
        newStore(file).reset();
        const int64_t ballastPages = 600;
        {
            SQLite::Database raw(file.toStdString(), SQLite::OPEN_READWRITE);
            raw.exec("CREATE TABLE ballast(data BLOB); INSERT INTO ballast VALUES(zeroblob(4800000))");
        }
        WriterOptions options;
        options.segmentSamples = 32;
        options.maxPageCount = count(file, "PRAGMA page_count") + 20;
        QVERIFY(options.maxPageCount > ballastPages / 2);
        auto writer = std::move(Writer::open(file.toStdString(), options)).value();
        const auto started = sample_run::start(*writer, 5, 400);
        QVERIFY(started);
        int64_t step = 0, committed = 0, failures = 0;
        for (; step < 200; ++step) {
            writer->append(started->group, sample_run::axes(step), sample_run::values(5, 400, step));
            writer->addEvent(started->run, {EventKind::Note, static_cast<double>(step), "", "a step", nullptr});
            if (step % 8 != 7) continue;
            const auto done = writer->commit();
            if (done) committed = step + 1;
            if (done) continue;
            ++failures;
            QVERIFY2(done.error().message.find("no space") != std::string::npos, done.error().message.c_str());
            QVERIFY(!done.error().hint.empty());
        }
        QVERIFY(failures > 3);
        auto reader = readerOf(file);
        QCOMPARE(wholeDifference(*reader, started->run, 5, committed), std::string());
        QCOMPARE(static_cast<int64_t>(reader->events(started->run)->size()), committed);
        QVERIFY(!writer->setState(started->run, RunState::Paused) || committed > 0);
        {
            SQLite::Database raw(file.toStdString(), SQLite::OPEN_READWRITE, 5000);
            QCOMPARE(raw.execAndGet("PRAGMA integrity_check").getString(), std::string("ok"));
            raw.exec("DROP TABLE ballast");  // space appears
        }
        QVERIFY(writer->commit());
        QCOMPARE(wholeDifference(*reader, started->run, 5, step), std::string());
        QCOMPARE(static_cast<int64_t>(reader->events(started->run)->size()), step);
        QVERIFY(writer->endAttempt(started->attempt, RunState::Done));
        QCOMPARE(wholeDifference(*reader, started->run, 5, step), std::string());
    }

    void descriptionsComeBack() {
        const QString file = path("described.octet");
        auto writer = newStore(file);
        const Json spec{{"octet_run", 1}, {"name", "비교 실험"}};
        const auto experiment = writer->addExperiment({"compare", spec, 0.25});
        NewRun run;
        run.experiment = *experiment;
        run.name = "hybrid-16 seed 2";
        run.recipeName = "hybrid-16";
        run.recipe = {{"octet_recipe", 1}};
        run.effective = {{"kind", "delayed"}};
        run.environment = {{"threads", 2}};
        run.seed = 2;
        run.plannedSteps = 300;
        run.baseline = true;
        const auto id = writer->addRun(run);
        run.hidden = true;
        run.baseline = false;
        QVERIFY(writer->addRun(run));
        const std::vector<NewLayer> layers{{"lm_head", 256, 64, false, "last layer", {{"fprop", "BF16"}}},
                                           {"model.q", 64, 64, true, "converted", {{"fprop", "E4M3 x E4M3"}}}};
        QVERIFY(writer->addLayers(*id, layers));
        QVERIFY(writer->addRunRecipe(*id, 0, run.recipe, run.effective));
        auto reader = readerOf(file);
        QCOMPARE(reader->experiments()->size(), size_t{1});
        QCOMPARE(reader->experiments()->front().spec, spec);
        QCOMPARE(reader->experiments()->front().barPercent.value(), 0.25);
        QCOMPARE(reader->runs()->size(), size_t{1});
        QCOMPARE(reader->runs(true)->size(), size_t{2});
        QCOMPARE(reader->runs()->front().recipeChanges, 0);
        QVERIFY(writer->addRunRecipe(*id, 50, {{"octet_recipe", 1}, {"name", "other"}}, run.effective));
        const RunInfo read = reader->runs()->front();
        QCOMPARE(read.recipeChanges, 1);
        QCOMPARE(read.name, run.name);
        QCOMPARE(read.seed, int64_t{2});
        QCOMPARE(read.plannedSteps, int64_t{300});
        QVERIFY(read.baseline && !read.hidden && read.recipe == run.recipe && read.environment == run.environment);
        const auto readLayers = reader->layers(*id);
        QCOMPARE(readLayers->size(), size_t{2});
        QCOMPARE(readLayers->at(0).name, std::string("lm_head"));
        QVERIFY(readLayers->at(1).converted && readLayers->at(1).gemms == layers[1].gemms);
        QVERIFY(!writer->addRun({}));  // no such experiment
    }

    void eventsAndExponentsComeBack() {
        const QString file = path("events.octet");
        auto writer = newStore(file);
        const auto started = sample_run::start(*writer, 1, 1);
        writer->addEvent(started->run, {EventKind::ColdStart, 0, "model.q", "Gradients were flushed.", {{"steps", 1}}});
        writer->addEvent(started->run, {EventKind::NotFinite, std::nan(""), "", std::string("bad \xFF byte"), nullptr});
        Exponents counts{"model.q", "weight", 16, std::vector<uint32_t>(256, 0), 1, 2, 3, 4};
        counts.counts[100] = 7;
        counts.counts[130] = 4000000000u;
        Exponents empty{"model.q", "weight", 32, std::vector<uint32_t>(256, 0), 9, 0, 0, 0};
        writer->addExponents(started->run, counts);
        writer->addExponents(started->run, empty);
        auto reader = readerOf(file);
        QVERIFY(reader->events(started->run)->empty());  // waits for the commit
        QVERIFY(writer->commit());
        const auto events = reader->events(started->run);
        QCOMPARE(events->size(), size_t{2});
        QCOMPARE(events->at(0).kind, EventKind::ColdStart);
        QCOMPARE(events->at(0).layer, std::string("model.q"));
        QVERIFY(events->at(0).detail == Json({{"steps", 1}}));
        QVERIFY(std::isnan(events->at(1).step));
        QVERIFY(events->at(1).detail.is_null());
        const auto operands = reader->exponentOperands(started->run);
        QCOMPARE(operands->size(), size_t{1});
        const auto all = reader->exponents(started->run, operands->front());
        QVERIFY(*all == std::vector<Exponents>({counts, empty}));
        QVERIFY(*reader->exponents(started->run, operands->front(), 17) == std::vector<Exponents>{empty});
    }

    void damagedSamplesAreSaid() {
        const QString file = path("damaged.octet");
        auto writer = newStore(file);
        const auto started = sample_run::start(*writer, 1, 2);
        writer->append(started->group, sample_run::axes(0), sample_run::values(1, 2, 0));
        QVERIFY(writer->commit());
        {
            SQLite::Database raw(file.toStdString(), SQLite::OPEN_READWRITE, 5000);
            raw.exec("UPDATE frame SET data = x'0000', n = 1000000");
        }
        auto reader = readerOf(file);
        const auto data = reader->samples(reader->series(started->run)->front().id);
        QVERIFY(!data);
        QCOMPARE(data.error().code, ErrorCode::Unreadable);
        QCOMPARE(reader->samples({99}).error().code, ErrorCode::NotFound);
    }
};

QTEST_GUILESS_MAIN(TstStoreSamples)
#include "tst_store_samples.moc"
