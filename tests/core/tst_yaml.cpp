// SPDX-License-Identifier: Apache-2.0
// YAML typed as PyYAML 6.0's safe loader types it, with places, and everything that is refused.
#include <QElapsedTimer>
#include <QTest>
#include <cmath>

#include "engine/core/yaml.h"

using namespace octet;
using Kind = MarkedValue::Kind;

class TstYaml : public QObject {
    Q_OBJECT
private slots:
    void scalarsHaveTheTypesOfPyYaml_data();
    void scalarsHaveTheTypesOfPyYaml();
    void numbersHaveTheirValue_data();
    void numbersHaveTheirValue();
    void placesNameLineAndColumn_data();
    void placesNameLineAndColumn();
    void aByteOrderMarkAndCrlfAreAccepted();
    void anchorsAndMergesAreFilledIn();
    void badTextIsRefusedWithItsPlace_data();
    void badTextIsRefusedWithItsPlace();
    void hostileTextIsRefusedWithinASecond_data();
    void hostileTextIsRefusedWithinASecond();
    void jsonHasPlacesToo();
    void jsonIsTypedAsJson();
};

namespace {

MarkedValue read(const std::string& text) {
    auto parsed = parseYaml(text, "a.yaml");
    if (!parsed.ok()) qFatal("%s", parsed.error().message.c_str());
    return std::move(parsed).value();
}

QByteArray name(Kind kind) {
    static const QByteArray names[] = {"null", "boolean", "integer", "float", "text", "date", "list", "map"};
    return names[static_cast<int>(kind)];
}

}  // namespace

void TstYaml::scalarsHaveTheTypesOfPyYaml_data() {
    QTest::addColumn<QByteArray>("written");
    QTest::addColumn<QByteArray>("kind");
    const std::pair<const char*, const char*> rows[] = {
        {"NO", "boolean"},
        {"no", "boolean"},
        {"off", "boolean"},
        {"Yes", "boolean"},
        {"ON", "boolean"},
        {"y", "text"},
        {"n", "text"},
        {"nO", "text"},
        {"True", "boolean"},
        {"1e-4", "text"},
        {"1e3", "text"},
        {"1.0e3", "text"},
        {"1.0e+3", "float"},
        {"1.e-4", "float"},
        {"0o17", "text"},
        {"017", "integer"},
        {"08", "text"},
        {"1_000", "integer"},
        {"0x1F", "integer"},
        {"0b101", "integer"},
        {"1:30", "integer"},
        {"1:30.5", "float"},
        {"1:60", "text"},
        {"+12", "integer"},
        {"-0", "integer"},
        {"1.", "float"},
        {".5", "float"},
        {"-.5", "text"},
        {".inf", "float"},
        {"-.INF", "float"},
        {".NaN", "float"},
        {"nan", "text"},
        {"inf", "text"},
        {"~", "null"},
        {"null", "null"},
        {"NULL", "null"},
        {"none", "text"},
        {"None", "text"},
        {"2026-12-01", "date"},
        {"2026-1-1", "text"},
        {"1.2.3", "text"},
        {"\"NO\"", "text"},
        {"'16'", "text"},
        {"(false, false)", "text"},
        {"1__0", "integer"},
        {"1e+3", "text"},
        {"12e03", "text"},
        {"!!str 16", "text"},
        {"!!int '7'", "integer"},
        {"16 # length", "integer"},
        {"MS-AMP", "text"},
        {"190:20:30", "integer"},
    };
    for (const auto& [written, kind] : rows)
        QTest::newRow(written) << QByteArray(written) << QByteArray(kind);
}

void TstYaml::scalarsHaveTheTypesOfPyYaml() {
    QFETCH(QByteArray, written);
    QFETCH(QByteArray, kind);
    const MarkedValue map = read("key: " + written.toStdString() + "\n");
    QCOMPARE(name(map.find("key")->kind), kind);
}

void TstYaml::numbersHaveTheirValue_data() {
    QTest::addColumn<QByteArray>("written");
    QTest::addColumn<double>("value");
    const std::pair<const char*, double> rows[] = {{"1_000", 1000},    {"017", 15},       {"-0x1F", -31},
                                                   {"0b101", 5},       {"1:30", 90},      {"190:20:30", 685230},
                                                   {"1:30.5", 90.5},   {"1.0e+3", 1000},  {"-1.5", -1.5},
                                                   {".inf", INFINITY}, {"1_0.5_0", 10.5}, {"-017", -15}};
    for (const auto& [written, value] : rows)
        QTest::newRow(written) << QByteArray(written) << value;
}

void TstYaml::numbersHaveTheirValue() {
    QFETCH(QByteArray, written);
    QFETCH(double, value);
    QCOMPARE(typedScalar(written.toStdString()).value.get<double>(), value);
}

void TstYaml::placesNameLineAndColumn_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<int>("line");
    QTest::addColumn<int>("column");
    QTest::addColumn<QByteArray>("bytes");
    const auto row = [](const char* title, const char* text, int line, int column, const char* bytes) {
        QTest::newRow(title) << QByteArray(text) << line << column << QByteArray(bytes);
    };
    row("a plain value", "a: 1\nkey: 1e3  # text\n", 2, 6, "1e3");
    row("a value after Korean text", "'길이': x\n\"이름\": {key: 16, b: 2}\n", 2, 13, "16");
    row("a quoted value", "key: 'it''s'\n", 1, 6, "'it''s'");
    row("a string with a colon inside", "key: a:b\n", 1, 6, "a:b");
    row("a value in a nested map", "a:\n  key:   TE\n", 2, 10, "TE");
    row("a tagged value", "key: !!str 16\n", 1, 12, "16");
    row("an empty value", "key:\nb: 1\n", 1, 5, "");
    row("CRLF", "a: 1\r\nkey: no\r\n", 2, 6, "no");
    row("a block scalar", "key: |\n  a\n  b\nc: 1\n", 1, 6, "|\n  a\n  b");
}

void TstYaml::placesNameLineAndColumn() {
    QFETCH(QByteArray, text);
    QFETCH(int, line);
    QFETCH(int, column);
    QFETCH(QByteArray, bytes);
    const MarkedValue map = read(text.toStdString());
    const MarkedValue* value = map.find("key");
    for (const MarkedValue& item : map.items) {
        if (!value) value = item.find("key");
    }
    QVERIFY(value);
    if (!bytes.isEmpty()) QCOMPARE(value->place.line, line);
    if (!bytes.isEmpty()) QCOMPARE(value->place.column, column);
    QCOMPARE(text.mid(qsizetype(value->place.offset), qsizetype(value->place.end - value->place.offset)), bytes);
}

void TstYaml::aByteOrderMarkAndCrlfAreAccepted() {
    const std::string text = "\xEF\xBB\xBFkey: 1\r\nb: two\r\n";
    const MarkedValue map = read(text);
    QCOMPARE(map.find("key")->place.column, 6);
    QCOMPARE(text.substr(map.find("b")->place.offset, 3), std::string("two"));
    QCOMPARE(map.find("b")->text, std::string("two"));
}

void TstYaml::anchorsAndMergesAreFilledIn() {
    const MarkedValue map = read("a: &x {p: 1, q: 2}\nb: *x\nc:\n  <<: *x\n  q: 3\n");
    QCOMPARE(map.json().dump(), std::string(R"({"a":{"p":1,"q":2},"b":{"p":1,"q":2},"c":{"q":3,"p":1}})"));
}

void TstYaml::badTextIsRefusedWithItsPlace_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QStringList>("facts");
    const auto row = [](const char* title, const QByteArray& text, const QStringList& facts) {
        QTest::newRow(title) << text << facts;
    };
    row("a key twice", "a: 1\nb: 2\na: 3\n", {"line 3", "\"a\"", "line 1", "Keep one"});
    row("a boolean key twice", "no: 1\noff: 3\n", {"line 2", "line 1"});
    row("a tab as indentation", "a:\n\tb: 1\n", {"line 2, column 1", "tab", "spaces"});
    row("a tab before a value", "a:\tb\n", {"line 1, column 3", "tab"});
    row("a tab after a value", "a: b\t\n", {"line 1, column 5", "tab"});
    row("no UTF-8", "# \xBD\xC7\xC7\xE8\na: 1\n", {"byte 2 (line 1)", "cp949"});
    row("a control character", QByteArray("a: \x04 1\n"), {"0x04", "line 1, column 4"});
    row("two documents", "a: 1\n---\nb: 2\n", {"second document", "line 2"});
    row("a Python tag", "a: !!python/object:os.system x\n", {"safe loader", "line 1, column"});
    row("an unclosed bracket", "a: [1, 2\n", {"not valid YAML", "line"});
    row("an unclosed quote", "a: 'b\n", {"not valid YAML"});
    row("a map as key", "? {a: 1}\n: 2\n", {"key"});
    row("an unknown alias", "a: *x\n", {"not valid YAML", "line 1"});
    row("an alias inside its anchor", "a: &x [1, *x]\n", {"inside its own anchor"});
}

void TstYaml::badTextIsRefusedWithItsPlace() {
    QFETCH(QByteArray, text);
    QFETCH(QStringList, facts);
    TextPlace place;
    const auto parsed = parseYaml(text.toStdString(), "a.yaml", &place);
    QVERIFY(!parsed.ok());
    QVERIFY(place.line > 0);
    const QString said = QString::fromStdString(parsed.error().message + " " + parsed.error().hint);
    for (const QString& fact : facts)
        QVERIFY2(said.contains(fact), qPrintable(said + " lacks " + fact));
}

void TstYaml::hostileTextIsRefusedWithinASecond_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("fact");
    QByteArray bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i < 20; ++i) {
        bomb += "a" + QByteArray::number(i) + ": &a" + QByteArray::number(i) + " [";
        for (int k = 0; k < 9; ++k)
            bomb += (k ? ", *a" : "*a") + QByteArray::number(i - 1);
        bomb += "]\n";
    }
    QTest::newRow("aliases that grow nine to the twentieth") << bomb << QStringLiteral("aliases");
    QTest::newRow("50 MB") << QByteArray(50 << 20, 'a') << QStringLiteral("52428800 bytes");
    QTest::newRow("nothing but open brackets") << QByteArray(250'000, '[') << QStringLiteral("not valid YAML");
    QTest::newRow("nothing but open braces") << QByteArray(250'000, '{') << QStringLiteral("not valid YAML");
    QTest::newRow("nothing but list marks") << QByteArray("- ").repeated(125'000) << QStringLiteral("not valid YAML");
    QTest::newRow("more values than a configuration has")
        << "[" + QByteArray("a,").repeated(120'000) + "a]" << QStringLiteral("20000 values");
}

void TstYaml::hostileTextIsRefusedWithinASecond() {
    QFETCH(QByteArray, text);
    QFETCH(QString, fact);
    const std::string bytes = text.toStdString();
    QElapsedTimer timer;
    timer.start();
    const auto parsed = parseYaml(bytes, "a.yaml");
    const qint64 elapsed = timer.elapsed();
    QVERIFY(!parsed.ok());
    QVERIFY2(QString::fromStdString(parsed.error().message).contains(fact), parsed.error().message.c_str());
    qInfo("%lld ms", static_cast<long long>(elapsed));
    QVERIFY(elapsed < 1000);
}

void TstYaml::jsonHasPlacesToo() {
    const std::string text = "{\n\t\"a\": [1, true],\n  \"key\": {\"b\\\"c\": \"\\u00e9 x\"}\n}\n";
    const MarkedValue map = parseMarkedJson(text, "a.json").value();
    QCOMPARE(map.find("a")->items[1].place.line, 2);
    QCOMPARE(map.find("a")->items[1].place.column, 11);
    const MarkedValue* inner = map.find("key")->find("b\"c");
    QVERIFY(inner);
    QCOMPARE(inner->text, std::string("\xC3\xA9 x"));
    QCOMPARE(text.substr(inner->place.offset, inner->place.end - inner->place.offset), std::string("\"\\u00e9 x\""));
    QVERIFY(map.json() == Json::parse(text));
    TextPlace place;
    QVERIFY(!parseMarkedJson("{\n \"a\": 1,\n}", "a.json", &place).ok());
    QCOMPARE(place.line, 3);
}

void TstYaml::jsonIsTypedAsJson() {
    const MarkedValue map =
        parseMarkedJson(R"({"a": 1e-4, "b": "NO", "c": null, "d": 3, "e": {}, "f": []})", "a").value();
    QCOMPARE(name(map.find("a")->kind), QByteArray("float"));
    QCOMPARE(name(map.find("b")->kind), QByteArray("text"));
    QCOMPARE(name(map.find("c")->kind), QByteArray("null"));
    QCOMPARE(name(map.find("d")->kind), QByteArray("integer"));
    QCOMPARE(name(map.find("e")->kind), QByteArray("map"));
    QCOMPARE(name(map.find("f")->kind), QByteArray("list"));
}

QTEST_APPLESS_MAIN(TstYaml)
#include "tst_yaml.moc"
