// SPDX-License-Identifier: Apache-2.0
// Training text: documents, duplicates, the held-out part, synthetic text and its entropy, order of batches, schedule.
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "engine/train/batch_order.h"
#include "engine/train/corpus.h"
#include "engine/train/markov_text.h"
#include "engine/train/schedule.h"

using namespace octet;
using namespace octet::train;

namespace {

std::vector<uint8_t> bytesOf(const std::string& text) {
    return {text.begin(), text.end()};
}

/// Text of `words` numbered words that no other `tag` shares.
std::string uniqueText(char tag, int words) {
    std::string text;
    for (int i = 0; i < words; ++i)
        text += std::string(1, tag) + std::to_string(i * 7919) + (i % 9 == 8 ? "\n" : " ");
    return text;
}

bool contains(const std::vector<uint8_t>& bytes, const std::string& part) {
    return std::search(bytes.begin(), bytes.end(), part.begin(), part.end()) != bytes.end();
}

}  // namespace

class TstCorpus final : public QObject {
    Q_OBJECT

private slots:
    void wholeDocumentsAreHeldOut();
    void equalFilesAreReadOnce();
    void nearDuplicatesStayOnOneSide();
    void aSingleDocumentGivesItsLastTenth();
    void refusals_data();
    void refusals();
    void koreanAndSpacedPathsAreRead();
    void theSampleOfThisMachineIsRealText();
    void syntheticTextIsFixedBySeed();
    void entropyOfAKnownChain();
    void syntheticTextReachesItsEntropy();
    void unigramEntropyOfKnownText();
    void batchesDependOnSeedStepAndRowOnly();
    void evaluationWindowsCoverTheText();
    void learningRateWarmsUpAndFalls();
};

void TstCorpus::wholeDocumentsAreHeldOut() {
    std::vector<Document> documents;
    for (char tag = 'a'; tag <= 'z'; ++tag)
        documents.push_back({std::string(1, tag), bytesOf(uniqueText(tag, 500))});
    const Corpus corpus = splitDocuments(documents);
    QVERIFY(!corpus.heldOutNames.empty());
    const double share = static_cast<double>(corpus.heldOut.size()) /
                         static_cast<double>(corpus.heldOut.size() + corpus.training.size());
    QVERIFY2(share >= 0.10 && share < 0.20, qPrintable(QString::number(share)));
    const std::set<std::string> heldOut(corpus.heldOutNames.begin(), corpus.heldOutNames.end());
    for (const Document& document : documents) {
        const std::string text(document.bytes.begin(), document.bytes.end());
        QCOMPARE(contains(corpus.heldOut, text), heldOut.contains(document.name));
        QCOMPARE(contains(corpus.training, text), !heldOut.contains(document.name));
    }
    const Corpus again = splitDocuments({documents.rbegin(), documents.rend()});
    QCOMPARE(std::set<std::string>(again.heldOutNames.begin(), again.heldOutNames.end()), heldOut);
}

void TstCorpus::equalFilesAreReadOnce() {
    const auto text = bytesOf(uniqueText('q', 1000));
    const Corpus corpus = splitDocuments({{"one", text}, {"same", text}, {"empty", {}}});
    QCOMPARE(corpus.training.size() + corpus.heldOut.size(), text.size());
}

void TstCorpus::nearDuplicatesStayOnOneSide() {
    std::vector<Document> documents;
    for (char tag = 'a'; tag <= 'p'; ++tag) {
        const std::string text = uniqueText(tag, 500);
        documents.push_back({std::string(1, tag) + "1", bytesOf(text + uniqueText(static_cast<char>(tag - 32), 150))});
        documents.push_back({std::string(1, tag) + "2", bytesOf("second edition\n" + text)});
    }
    const Corpus corpus = splitDocuments(documents);
    std::map<char, int> heldOut;
    for (const std::string& name : corpus.heldOutNames)
        ++heldOut[name[0]];
    QVERIFY(!heldOut.empty());
    for (const auto& [tag, count] : heldOut)
        QVERIFY2(count == 2, qPrintable(QString("only one of %1").arg(tag)));
}

void TstCorpus::aSingleDocumentGivesItsLastTenth() {
    const auto text = bytesOf(uniqueText('x', 2000));
    const Corpus corpus = splitDocuments({{"only", text}});
    QCOMPARE(corpus.heldOut.size(), text.size() / 10);
    QVERIFY(std::equal(corpus.heldOut.rbegin(), corpus.heldOut.rend(), text.rbegin()));
}

void TstCorpus::refusals_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QString>("spec");
    QTest::addColumn<QStringList>("words");
    const QByteArray none;
    QTest::newRow("an empty file") << "empty.txt" << QByteArray("") << "text:%1/empty.txt"
                                   << QStringList{"empty.txt", "no bytes"};
    QTest::newRow("shorter than a batch") << "short.txt" << QByteArray("abcdefghij") << "text:%1/short.txt"
                                          << QStringList{"1032", "short.txt", "--batch"};
    QTest::newRow("a path that is not there")
        << "" << none << "text:%1/nothing.txt" << QStringList{"nothing.txt", "No such file"};
    QTest::newRow("an empty folder") << "" << none << "text:%1" << QStringList{"no bytes"};
    QTest::newRow("a bare path") << "a.txt" << QByteArray("a") << "%1/a.txt"
                                 << QStringList{"text:PATH", "Did you mean text:"};
    QTest::newRow("another kind") << "" << none << "tokens:%1" << QStringList{"text:PATH", "synthetic:SEED"};
    QTest::newRow("a seed that is not a number") << "" << none << "synthetic:x" << QStringList{"whole number", "\"x\""};
}

void TstCorpus::refusals() {
    QFETCH(QString, file);
    QFETCH(QByteArray, content);
    QFETCH(QString, spec);
    QFETCH(QStringList, words);
    QTemporaryDir folder;
    if (!file.isEmpty()) {
        QFile out(folder.filePath(file));
        QVERIFY(out.open(QIODevice::WriteOnly));
        out.write(content);
    }
    const auto corpus =
        loadCorpus(spec.contains("%1") ? spec.arg(folder.path()).toStdString() : spec.toStdString(), {129, 8, 256});
    QVERIFY(!corpus.ok());
    const QString text = QString::fromStdString(corpus.error().message + " " + corpus.error().hint);
    for (const QString& word : words)
        QVERIFY2(text.contains(word), qPrintable(text + " lacks " + word));
}

void TstCorpus::koreanAndSpacedPathsAreRead() {
    QTemporaryDir folder;
    const QString path = folder.filePath(QString::fromUtf8("내 자료 #1 (50%)"));
    QVERIFY(QDir().mkpath(path));
    QFile out(path + QString::fromUtf8("/글.txt"));
    QVERIFY(out.open(QIODevice::WriteOnly));
    out.write(QByteArray::fromStdString(uniqueText('k', 2000)));
    out.close();
    QVERIFY(loadCorpus("text:" + path.toStdString(), {129, 8, 256}).ok());
}

void TstCorpus::theSampleOfThisMachineIsRealText() {
    const auto corpus = loadCorpus("sample", {129, 8, 256});
    QVERIFY(corpus.ok());
    QVERIFY(corpus->training.size() > 50'000);
    if (std::filesystem::exists("/usr/share/common-licenses/GPL-3")) {
        QVERIFY(!corpus->entropyFloor);
        QVERIFY2(corpus->unigramEntropy > 2.8 && corpus->unigramEntropy < 3.5,
                 qPrintable(QString::number(corpus->unigramEntropy)));
    }
    QCOMPARE(loadCorpus("sample", {129, 8, 256})->hash, corpus->hash);
}

void TstCorpus::syntheticTextIsFixedBySeed() {
    const auto a = loadCorpus("synthetic:3", {129, 8, 256}), b = loadCorpus("synthetic:3", {129, 8, 256});
    const auto c = loadCorpus("synthetic:4", {129, 8, 256});
    QCOMPARE(a->hash, b->hash);
    QVERIFY(a->hash != c->hash);
    QVERIFY(a->entropyFloor && *a->entropyFloor > 0.5 && *a->entropyFloor < std::log(32.0));
    QVERIFY(loadCorpus("synthetic:3", {129, 8, 16}).ok());  // a small vocabulary gets fewer symbols
}

void TstCorpus::entropyOfAKnownChain() {
    // Two symbols; the next repeats the last with probability 3/4, whatever came before: H = -(3/4 ln 3/4 + 1/4 ln
    // 1/4).
    const std::vector<double> transition{0.75, 0.25, 0.25, 0.75, 0.75, 0.25, 0.25, 0.75};
    const double expected = -(0.75 * std::log(0.75) + 0.25 * std::log(0.25));
    QVERIFY(std::abs(entropyRate(transition, 2) - expected) < 1e-12);
    // A cycle is certain; a fair coin is ln 2.
    QVERIFY(std::abs(entropyRate(std::vector<double>(8, 0.5), 2) - std::log(2.0)) < 1e-12);
}

void TstCorpus::syntheticTextReachesItsEntropy() {
    const MarkovText text = makeMarkovText(5, 8);
    // Conditional entropy given two symbols, from counts: close to the exact rate from above, biased by few parts in
    // 1e4.
    std::map<std::pair<int, int>, std::map<int, double>> counts;
    for (size_t i = 2; i < text.bytes.size(); ++i)
        ++counts[{text.bytes[i - 2], text.bytes[i - 1]}][text.bytes[i]];
    double entropy = 0;
    for (const auto& [pair, next] : counts) {
        double all = 0;
        for (const auto& [symbol, count] : next)
            all += count;
        for (const auto& [symbol, count] : next)
            entropy -= count * std::log(count / all);
    }
    entropy /= static_cast<double>(text.bytes.size() - 2);
    QVERIFY2(std::abs(entropy - text.entropy) < 0.005,
             qPrintable(QString("%1 against %2").arg(entropy).arg(text.entropy)));
}

void TstCorpus::unigramEntropyOfKnownText() {
    QCOMPARE(unigramEntropy({}), 0.0);
    QCOMPARE(unigramEntropy(bytesOf("aaaa")), 0.0);
    QVERIFY(std::abs(unigramEntropy(bytesOf("abab")) - std::log(2.0)) < 1e-15);
}

void TstCorpus::batchesDependOnSeedStepAndRowOnly() {
    const BatchOrder order{1, 10'000, 129, 8, 2};
    std::set<int64_t> offsets;
    for (int64_t step = 0; step < 50; ++step) {
        for (int64_t micro = 0; micro < 2; ++micro) {
            for (int64_t row = 0; row < 8; ++row) {
                const int64_t offset = order.trainingOffset(step, micro, row);
                QVERIFY(offset >= 0 && offset + 129 <= 10'000);
                QCOMPARE(offset, order.trainingOffset(step, micro, row));
                offsets.insert(offset);
            }
        }
    }
    QVERIFY(offsets.size() > 700);
    QVERIFY(order.hash() != (BatchOrder{2, 10'000, 129, 8, 2}.hash()));
    QVERIFY(order.hash() != (BatchOrder{1, 10'000, 129, 4, 4}.hash()));
    QCOMPARE((BatchOrder{1, 129, 129, 8, 1}.trainingOffset(3, 0, 1)), int64_t{0});
}

void TstCorpus::evaluationWindowsCoverTheText() {
    QCOMPARE(BatchOrder::evaluationOffset(0, 64, 1000, 129), int64_t{0});
    QCOMPARE(BatchOrder::evaluationOffset(63, 64, 1000, 129), int64_t{871});
    QCOMPARE(BatchOrder::evaluationOffset(0, 1, 1000, 129), int64_t{0});
}

void TstCorpus::learningRateWarmsUpAndFalls() {
    recipe::OptimizerSpec spec;
    spec.lr = 1e-3;
    spec.minLr = 1e-4;
    spec.warmupSteps = 10;
    QCOMPARE(learningRateAt(spec, 0, 110), 1e-4);
    QCOMPARE(learningRateAt(spec, 9, 110), 1e-3);
    QCOMPARE(learningRateAt(spec, 10, 110), 1e-3);
    QVERIFY(std::abs(learningRateAt(spec, 109, 110) - 1e-4) < 1e-12);
    spec.schedule = recipe::Schedule::Constant;
    QCOMPARE(learningRateAt(spec, 109, 110), 1e-3);
    spec.warmupSteps = 0;
    spec.schedule = recipe::Schedule::Cosine;
    QCOMPARE(learningRateAt(spec, 0, 1), 1e-3);
}

QTEST_GUILESS_MAIN(TstCorpus)
#include "tst_corpus.moc"
