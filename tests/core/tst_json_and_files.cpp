// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>
#include <unistd.h>
#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <csignal>
#include <limits>

#include "engine/core/files.h"
#include "engine/core/json.h"

using octet::ErrorCode;
using octet::Json;
using namespace std::string_literals;

class TstJsonAndFiles : public QObject {
    Q_OBJECT
private slots:
    void badJsonIsASentence_data();
    void badJsonIsASentence();
    void duplicateKeysAreFoundOnlyInOneObject();
    void byteOrderMarkIsSkipped();
    void keysKeepTheirOrder();
    void koreanTextSurvives();
    void numbersThatAreNotFiniteTravelAsText_data();
    void numbersThatAreNotFiniteTravelAsText();
    void numberFromJsonRefusesOtherThings();
    void kindsAreNamed();
    void prettyJsonIsForPeople();

    void filesReadBack_data();
    void filesReadBack();
    void readingRefuses();
    void readingWithoutRights();
    void writingReplacesTheWholeFile();
    void writingIntoAMissingFolder();
    void writingOverAFolder();
    void writingWithoutRights();
    void fullDiskLeavesTheOldFile();
};

namespace {

/// Sets a limit on file size for as long as it lives: writing beyond it fails as a full disk does.
class FileSizeLimit {
public:
    explicit FileSizeLimit(rlim_t bytes) : m_signal(std::signal(SIGXFSZ, SIG_IGN)) {
        getrlimit(RLIMIT_FSIZE, &m_before);
        const rlimit limit{bytes, m_before.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FileSizeLimit() {
        setrlimit(RLIMIT_FSIZE, &m_before);
        std::signal(SIGXFSZ, m_signal);
    }

private:
    void (*m_signal)(int);
    rlimit m_before{};
};

/// Root may do everything with every file, so for as long as this lives root acts as somebody else, who owns `dir`.
class OrdinaryUser {
public:
    explicit OrdinaryUser(const QTemporaryDir& dir) {
        constexpr uid_t somebody = 65534;
        if (geteuid() != 0) return;
        m_changed =
            chown(dir.path().toUtf8().constData(), somebody, static_cast<gid_t>(-1)) == 0 && seteuid(somebody) == 0;
    }
    ~OrdinaryUser() {
        if (m_changed && seteuid(0) != 0) qFatal("cannot become root again");
    }
    OrdinaryUser(const OrdinaryUser&) = delete;
    OrdinaryUser& operator=(const OrdinaryUser&) = delete;

private:
    bool m_changed = false;
};

std::string at(const QTemporaryDir& dir, const char* name) {
    return dir.filePath(name).toStdString();
}

QStringList namesIn(const QTemporaryDir& dir) {
    return QDir(dir.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
}

bool mentions(const octet::Error& error, const std::string& text) {
    return (error.message + " " + error.hint).find(text) != std::string::npos;
}

}  // namespace

void TstJsonAndFiles::badJsonIsASentence_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("mentioned");
    QTest::newRow("nothing") << QByteArray() << "not valid JSON";
    QTest::newRow("a bracket is missing") << QByteArray("{\"a\": 1") << "byte";
    QTest::newRow("something behind the end") << QByteArray("{} x") << "byte 4";
    QTest::newRow("a bare NaN") << QByteArray("{\"a\": NaN}") << "not valid JSON";
    QTest::newRow("a comment") << QByteArray("{} // x") << "not valid JSON";
    QTest::newRow("a comma behind the last entry") << QByteArray("[1,]") << "not valid JSON";
    QTest::newRow("single quotes") << QByteArray("{'a': 1}") << "not valid JSON";
    QTest::newRow("a byte that is not UTF-8") << QByteArray("[\"\xFF\"]") << "not valid JSON";
    QTest::newRow("a number too large for a double") << QByteArray("[1e999]") << "out of range";
    QTest::newRow("a key twice") << QByteArray("{\"margin\": 0, \"margin\": 1}") << "\"margin\" twice";
    QTest::newRow("a key twice, deep inside")
        << QByteArray("{\"te\": [{\"a\": 0, \"b\": {}, \"a\": 1}]}") << "\"a\" twice";
    QTest::newRow("a key twice, spelt with an escape") << QByteArray("{\"a\": 0, \"\\u0061\": 1}") << "\"a\" twice";
}

void TstJsonAndFiles::badJsonIsASentence() {
    QFETCH(QByteArray, text);
    QFETCH(QString, mentioned);
    const auto parsed = octet::parseJson(text.toStdString(), "recipe file r.json");
    QVERIFY(!parsed);
    QCOMPARE(parsed.error().code, ErrorCode::Usage);
    QVERIFY2(parsed.error().message.starts_with("recipe file r.json "), parsed.error().message.c_str());
    QVERIFY2(mentions(parsed.error(), mentioned.toStdString()), parsed.error().message.c_str());
    QVERIFY(!parsed.error().hint.empty());
}

void TstJsonAndFiles::duplicateKeysAreFoundOnlyInOneObject() {
    QVERIFY(octet::parseJson(R"({"a": {"a": 1}, "b": [{"a": 1}, {"a": 2}]})", "text").ok());
    QVERIFY(octet::parseJson(R"({"a": 1, "A": 2})", "text").ok());
}

void TstJsonAndFiles::byteOrderMarkIsSkipped() {
    const auto parsed = octet::parseJson("\xEF\xBB\xBF{\"a\": 1}\r\n", "text");
    QVERIFY(parsed && (*parsed)["a"] == 1);
}

void TstJsonAndFiles::keysKeepTheirOrder() {
    const auto parsed = octet::parseJson(R"({"z": 1, "a": 2, "m": 3})", "text");
    QVERIFY(parsed.ok());
    QCOMPARE(parsed->dump(), R"({"z":1,"a":2,"m":3})"s);
}

void TstJsonAndFiles::koreanTextSurvives() {
    const auto parsed = octet::parseJson("{\"name\": \"\xED\x95\x9C\xEA\xB5\xAD\xEC\x96\xB4\"}", "text");
    QVERIFY(parsed.ok());
    QCOMPARE((*parsed)["name"].get<std::string>(), "한국어"s);
}

void TstJsonAndFiles::numbersThatAreNotFiniteTravelAsText_data() {
    QTest::addColumn<double>("value");
    QTest::addColumn<QString>("written");
    QTest::newRow("a finite number stays one") << 0.5 << "0.5";
    QTest::newRow("NaN") << std::numeric_limits<double>::quiet_NaN() << "\"NaN\"";
    QTest::newRow("infinity") << std::numeric_limits<double>::infinity() << "\"Infinity\"";
    QTest::newRow("minus infinity") << -std::numeric_limits<double>::infinity() << "\"-Infinity\"";
}

void TstJsonAndFiles::numbersThatAreNotFiniteTravelAsText() {
    QFETCH(double, value);
    QFETCH(QString, written);
    const Json json = octet::jsonNumber(value);
    QCOMPARE(QString::fromStdString(json.dump()), written);
    const auto back = octet::numberFromJson(*octet::parseJson(json.dump(), "text"));
    QVERIFY(back.has_value());
    QVERIFY(std::isnan(value) ? std::isnan(*back) : *back == value);
}

void TstJsonAndFiles::numberFromJsonRefusesOtherThings() {
    QCOMPARE(octet::numberFromJson(Json(3)), std::optional<double>(3.0));
    for (const Json& other : {Json("nan"), Json("3"), Json(true), Json(nullptr), Json::array({1.0}), Json::object()}) {
        QVERIFY2(!octet::numberFromJson(other), other.dump().c_str());
    }
}

void TstJsonAndFiles::kindsAreNamed() {
    QCOMPARE(octet::jsonKind(Json(true)), "true"s);
    QCOMPARE(octet::jsonKind(Json(16)), "the whole number 16"s);
    QCOMPARE(octet::jsonKind(Json(1.5)), "the number 1.5"s);
    QCOMPARE(octet::jsonKind(Json("max")), "the text \"max\""s);
    QCOMPARE(octet::jsonKind(Json::array({1, 2, 3})), "a list of 3"s);
    QCOMPARE(octet::jsonKind(Json::object()), "an object"s);
    QCOMPARE(octet::jsonKind(Json(nullptr)), "null"s);
}

void TstJsonAndFiles::prettyJsonIsForPeople() {
    const std::string text =
        R"({"name":"a","te":{"margin":0,"layers":[true,false]},"rules":[{"keep":true}],"none":[],"o":{}})";
    const std::string pretty = octet::prettyJson(*octet::parseJson(text, "text"));
    QCOMPARE(QString::fromStdString(pretty), QString(R"({
  "name": "a",
  "te": {
    "margin": 0,
    "layers": [true, false]
  },
  "rules": [
    {
      "keep": true
    }
  ],
  "none": [],
  "o": {}
}
)"));
    QCOMPARE(octet::parseJson(pretty, "text")->dump(), text);
    QCOMPARE(octet::prettyJson(Json("a byte that is not UTF-8: \xFF")),
             "\"a byte that is not UTF-8: \xEF\xBF\xBD\"\n"s);
}

void TstJsonAndFiles::filesReadBack_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("bytes");
    QTest::newRow("text") << "a.txt" << QByteArray("one\ntwo\n");
    QTest::newRow("line ends of Windows stay") << "a.txt" << QByteArray("one\r\ntwo\r\n");
    QTest::newRow("an empty file") << "empty" << QByteArray();
    QTest::newRow("zero bytes inside") << "a.bin" << QByteArray("a\0b\0", 4);
    QTest::newRow("a Korean path with blanks") << "한국어 이름.json" << QByteArray("{}");
    QTest::newRow("three megabytes") << "large" << QByteArray(3 << 20, 'x');
}

void TstJsonAndFiles::filesReadBack() {
    QFETCH(QString, name);
    QFETCH(QByteArray, bytes);
    QTemporaryDir dir;
    const std::filesystem::path path = dir.filePath(name).toStdString();
    QVERIFY(octet::writeFileAtomically(path, bytes.toStdString()).ok());
    const auto back = octet::readFile(path);
    QVERIFY(back.ok());
    QVERIFY(*back == bytes.toStdString());
    QCOMPARE(namesIn(dir), QStringList{name});
}

void TstJsonAndFiles::readingRefuses() {
    QTemporaryDir dir;
    const auto missing = octet::readFile(at(dir, "missing.json"));
    QVERIFY(!missing && mentions(missing.error(), "missing.json"));
    QCOMPARE(missing.error().code, ErrorCode::NotFound);
    QVERIFY(!missing.error().hint.empty());

    const auto folder = octet::readFile(dir.path().toStdString());
    QVERIFY(!folder && mentions(folder.error(), "is a folder"));
    QCOMPARE(folder.error().code, ErrorCode::Usage);

    QVERIFY(octet::writeFileAtomically(at(dir, "five"), "12345").ok());
    QVERIFY(octet::readFile(at(dir, "five"), 5).ok());
    const auto large = octet::readFile(at(dir, "five"), 4);
    QVERIFY(!large && mentions(large.error(), "5 bytes") && mentions(large.error(), "at most 4"));

    const auto below = octet::readFile(at(dir, "five") + "/below");
    QVERIFY(!below && mentions(below.error(), "Not a directory"));
}

void TstJsonAndFiles::readingWithoutRights() {
    QTemporaryDir dir;
    const OrdinaryUser user(dir);
    QVERIFY(geteuid() != 0);
    QVERIFY(octet::writeFileAtomically(at(dir, "closed"), "x").ok());
    QVERIFY(QFile::setPermissions(dir.filePath("closed"), {}));
    const auto closed = octet::readFile(at(dir, "closed"));
    QVERIFY(!closed && mentions(closed.error(), "Permission denied") && mentions(closed.error(), "rights"));
    QCOMPARE(closed.error().code, ErrorCode::Unreadable);
}

void TstJsonAndFiles::writingReplacesTheWholeFile() {
    QTemporaryDir dir;
    QVERIFY(octet::writeFileAtomically(at(dir, "a"), "a long first text").ok());
    QVERIFY(octet::writeFileAtomically(at(dir, "a"), "short").ok());
    QCOMPARE(*octet::readFile(at(dir, "a")), "short"s);
    QCOMPARE(namesIn(dir), QStringList{"a"});
    QVERIFY(QFile::permissions(dir.filePath("a")).testFlag(QFile::ReadOther));
}

void TstJsonAndFiles::writingIntoAMissingFolder() {
    QTemporaryDir dir;
    const auto written = octet::writeFileAtomically(at(dir, "no/such/a"), "x");
    QVERIFY(!written && mentions(written.error(), "no/such/a"));
    QCOMPARE(written.error().code, ErrorCode::NotFound);
    QVERIFY(namesIn(dir).isEmpty());
}

void TstJsonAndFiles::writingOverAFolder() {
    QTemporaryDir dir;
    QVERIFY(QDir(dir.path()).mkdir("folder"));
    const auto written = octet::writeFileAtomically(at(dir, "folder"), "x");
    QVERIFY(!written && mentions(written.error(), "folder"));
    QCOMPARE(namesIn(dir), QStringList{"folder"});
}

void TstJsonAndFiles::writingWithoutRights() {
    QTemporaryDir dir;
    const OrdinaryUser user(dir);
    QVERIFY(geteuid() != 0);
    QVERIFY(QDir(dir.path()).mkdir("closed"));
    QVERIFY(QFile::setPermissions(dir.filePath("closed"), QFile::ReadOwner | QFile::ExeOwner));
    const auto written = octet::writeFileAtomically(at(dir, "closed/a"), "x");
    QVERIFY(QFile::setPermissions(dir.filePath("closed"), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    QVERIFY(!written && mentions(written.error(), "Permission denied"));
}

void TstJsonAndFiles::fullDiskLeavesTheOldFile() {
    QTemporaryDir dir;
    QVERIFY(octet::writeFileAtomically(at(dir, "a"), "the old text").ok());
    {
        const FileSizeLimit limit(64 << 10);
        const auto written = octet::writeFileAtomically(at(dir, "a"), std::string(1 << 20, 'x'));
        QVERIFY(!written && mentions(written.error(), at(dir, "a")));
    }
    QCOMPARE(*octet::readFile(at(dir, "a")), "the old text"s);
    QCOMPARE(namesIn(dir), QStringList{"a"});
}

QTEST_GUILESS_MAIN(TstJsonAndFiles)
#include "tst_json_and_files.moc"
