// SPDX-License-Identifier: Apache-2.0
#include "engine/core/text.h"

#include <QTest>
#include <cmath>
#include <cstdio>
#include <limits>

#include "engine/core/hash.h"
#include "engine/core/json.h"
#include "engine/core/result.h"
#include "tests/support/comma_locale.h"

using namespace std::string_literals;

class TstText : public QObject {
    Q_OBJECT
private slots:
    void nearestWord_data();
    void nearestWord();
    void globs_data();
    void globs();
    void splitting();
    void trimming();
    void integers_data();
    void integers();
    void numbers_data();
    void numbers();
    void numbersIgnoreTheLocale();
    void numberTextReadsBack();
    void digitsAreGrouped();
    void hashesHaveTheirPublishedValues();
    void exitCodesFollowTheKindOfError();
    void resultHoldsAValueOrAnError();
};

void TstText::nearestWord_data() {
    QTest::addColumn<QString>("word");
    QTest::addColumn<QString>("nearest");  // empty: none is close
    QTest::newRow("the word itself") << "margin"
                                     << "margin";
    QTest::newRow("one letter missing") << "margn"
                                        << "margin";
    QTest::newRow("one letter too much") << "marginn"
                                         << "margin";
    QTest::newRow("two letters exchanged") << "interavl"
                                           << "interval";
    QTest::newRow("letter case is ignored") << "FP8_Format"
                                            << "fp8_format";
    QTest::newRow("the longer name of an older page") << "amax_history_length"
                                                      << "amax_history_len";
    QTest::newRow("a start of a known word") << "amax_hist"
                                             << "amax_history_len";
    QTest::newRow("a start with two letters exchanged") << "amxa_hist"
                                                        << "amax_history_len";
    QTest::newRow("the nearer of two") << "amax_compute_alg"
                                       << "amax_compute_algo";
    QTest::newRow("another word") << "learning_rate"
                                  << "";
    QTest::newRow("three letters that start a known word are too few") << "fp8"
                                                                       << "";
    QTest::newRow("no letters") << ""
                                << "";
}

void TstText::nearestWord() {
    QFETCH(QString, word);
    QFETCH(QString, nearest);
    const std::vector<std::string> known{"margin", "interval", "fp8_format", "amax_history_len", "amax_compute_algo"};
    QCOMPARE(QString::fromStdString(octet::nearestWord(word.toStdString(), known).value_or("")), nearest);
    QVERIFY(!octet::nearestWord(word.toStdString(), {}));
}

void TstText::globs_data() {
    QTest::addColumn<QString>("pattern");
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("matched");
    QTest::newRow("a plain word matches itself") << "lm_head"
                                                 << "lm_head" << true;
    QTest::newRow("a plain word does not match a longer one") << "gate"
                                                              << "gate_up" << false;
    QTest::newRow("a plain word does not match inside") << "gate"
                                                        << "mlp.gate" << false;
    QTest::newRow("star at the end") << "model.layers.*"
                                     << "model.layers.3.mlp" << true;
    QTest::newRow("star covers nothing") << "lm_head*"
                                         << "lm_head" << true;
    QTest::newRow("star at the start") << "*.down_proj"
                                       << "model.layers.3.mlp.down_proj" << true;
    QTest::newRow("star goes back for a later match") << "*ab"
                                                      << "aab_ab" << true;
    QTest::newRow("two stars") << "*layers.1*proj"
                               << "model.layers.11.q_proj" << true;
    QTest::newRow("two stars in the wrong order") << "*proj*layers"
                                                  << "layers.proj" << false;
    QTest::newRow("many stars stay quick") << "*a*a*a*a*a*a*a*b" << QString(2000, 'a') << false;
    QTest::newRow("question mark is one character") << "layers.?"
                                                    << "layers.3" << true;
    QTest::newRow("question mark is not none") << "layers.?"
                                               << "layers." << false;
    QTest::newRow("question mark is not two") << "layers.?"
                                              << "layers.31" << false;
    QTest::newRow("a dot is a dot") << "a.b"
                                    << "axb" << false;
    QTest::newRow("brackets are letters") << "a[0]"
                                          << "a[0]" << true;
    QTest::newRow("letter case counts") << "LM_head"
                                        << "lm_head" << false;
    QTest::newRow("nothing matches nothing") << ""
                                             << "" << true;
    QTest::newRow("nothing does not match something") << ""
                                                      << "a" << false;
    QTest::newRow("star matches nothing") << "*"
                                          << "" << true;
}

void TstText::globs() {
    QFETCH(QString, pattern);
    QFETCH(QString, text);
    QFETCH(bool, matched);
    QCOMPARE(octet::globMatches(pattern.toStdString(), text.toStdString()), matched);
}

void TstText::splitting() {
    using Words = std::vector<std::string>;
    QCOMPARE(octet::split("a,b,c", ','), (Words{"a", "b", "c"}));
    QCOMPARE(octet::split("a,,c,", ','), (Words{"a", "", "c", ""}));
    QCOMPARE(octet::split("", ','), (Words{""}));
    QCOMPARE(octet::split(",", ','), (Words{"", ""}));
}

void TstText::trimming() {
    QCOMPARE(octet::trimmed("  a b\t\r\n"), "a b"s);
    QCOMPARE(octet::trimmed(" \t\n"), ""s);
    QCOMPARE(octet::trimmed(""), ""s);
}

void TstText::integers_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("valid");
    QTest::addColumn<qlonglong>("value");
    QTest::newRow("zero") << "0" << true << 0LL;
    QTest::newRow("negative") << "-64" << true << -64LL;
    QTest::newRow("plus sign") << "+16" << true << 16LL;
    QTest::newRow("leading zeros are decimal") << "010" << true << 10LL;
    QTest::newRow("largest") << "9223372036854775807" << true << std::numeric_limits<qlonglong>::max();
    QTest::newRow("one above the largest") << "9223372036854775808" << false << 0LL;
    QTest::newRow("a fraction") << "1.5" << false << 0LL;
    QTest::newRow("an exponent") << "1e3" << false << 0LL;
    QTest::newRow("hexadecimal") << "0x10" << false << 0LL;
    QTest::newRow("a unit behind") << "16 steps" << false << 0LL;
    QTest::newRow("blank in front") << " 16" << false << 0LL;
    QTest::newRow("nothing") << "" << false << 0LL;
    QTest::newRow("a sign alone") << "+" << false << 0LL;
    QTest::newRow("two signs") << "+-5" << false << 0LL;
}

void TstText::integers() {
    QFETCH(QString, text);
    QFETCH(bool, valid);
    QFETCH(qlonglong, value);
    const auto parsed = octet::parseInteger(text.toStdString());
    QCOMPARE(parsed.has_value(), valid);
    if (valid) QCOMPARE(static_cast<qlonglong>(*parsed), value);
}

void TstText::numbers_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("valid");
    QTest::addColumn<double>("value");
    QTest::newRow("a fraction") << "0.1" << true << 0.1;
    QTest::newRow("an exponent") << "1e-3" << true << 0.001;
    QTest::newRow("a whole number") << "3" << true << 3.0;
    QTest::newRow("no digit before the point") << ".5" << true << 0.5;
    QTest::newRow("plus sign") << "+2.5" << true << 2.5;
    QTest::newRow("decimal comma") << "0,1" << false << 0.0;
    QTest::newRow("grouped digits") << "1,000" << false << 0.0;
    QTest::newRow("a unit behind") << "2.0x" << false << 0.0;
    QTest::newRow("too large for a double") << "1e999" << false << 0.0;
    QTest::newRow("nothing") << "" << false << 0.0;
}

void TstText::numbers() {
    QFETCH(QString, text);
    QFETCH(bool, valid);
    QFETCH(double, value);
    const auto parsed = octet::parseNumber(text.toStdString());
    QCOMPARE(parsed.has_value(), valid);
    if (valid) QVERIFY(*parsed == value);
}

void TstText::numbersIgnoreTheLocale() {
    const CommaLocale comma;
    QVERIFY2(comma.active(), "the C library did not take the made-up locale");
    char printed[8];
    snprintf(printed, sizeof printed, "%.2f", 0.25);
    QCOMPARE(std::string(printed), "0,25"s);

    const auto parsed = octet::parseNumber("0.25");
    QVERIFY(parsed && *parsed == 0.25);
    QVERIFY(!octet::parseNumber("0,25"));
    QCOMPARE(octet::numberText(0.25), "0.25"s);
    QCOMPARE(octet::jsonNumber(0.25).dump(), "0.25"s);
    QCOMPARE(octet::numberFromJson(*octet::parseJson("1.5e-3", "text")), std::optional<double>(1.5e-3));
}

void TstText::numberTextReadsBack() {
    for (const double value : {0.0, 0.1, 1.0 / 3.0, 448.0, 1e-300, 5e-324, -57344.0, 1.7976931348623157e308}) {
        const auto back = octet::parseNumber(octet::numberText(value));
        QVERIFY2(back && *back == value, octet::numberText(value).c_str());
    }
    QVERIFY(std::signbit(*octet::parseNumber(octet::numberText(-0.0))));
    QCOMPARE(octet::numberText(448.0), "448"s);
    QCOMPARE(octet::numberText(std::numeric_limits<double>::quiet_NaN()), "NaN"s);
    QCOMPARE(octet::numberText(std::numeric_limits<double>::infinity()), "Infinity"s);
    QCOMPARE(octet::numberText(-std::numeric_limits<double>::infinity()), "-Infinity"s);
}

void TstText::digitsAreGrouped() {
    QCOMPARE(octet::groupedDigits(0), "0"s);
    QCOMPARE(octet::groupedDigits(999), "999"s);
    QCOMPARE(octet::groupedDigits(1000), "1,000"s);
    QCOMPARE(octet::groupedDigits(1234567), "1,234,567"s);
    QCOMPARE(octet::groupedDigits(-65536), "-65,536"s);
    QCOMPARE(octet::groupedDigits(std::numeric_limits<long long>::min()), "-9,223,372,036,854,775,808"s);
}

// FNV-1a 64 from its authors' list of test vectors; SplitMix64 from its reference program, first output of a seed.
void TstText::hashesHaveTheirPublishedValues() {
    const auto hash = [](const QByteArray& text, uint64_t state = octet::kFnvStart) {
        return octet::fnv1a({reinterpret_cast<const uint8_t*>(text.data()), static_cast<size_t>(text.size())}, state);
    };
    QCOMPARE(hash(""), uint64_t{0xcbf29ce484222325});
    QCOMPARE(hash("a"), uint64_t{0xaf63dc4c8601ec8c});
    QCOMPARE(hash("foobar"), uint64_t{0x85944171f73967e8});
    QCOMPARE(hash("bar", hash("foo")), hash("foobar"));
    QCOMPARE(octet::mixed(0), uint64_t{0xe220a8397b1dcdaf});
    QCOMPARE(octet::mixed(1234567), uint64_t{6457827717110365317});
    QVERIFY(octet::mixedUnit(0) == static_cast<double>(0xe220a8397b1dcdaf >> 11) / 9007199254740992.0);
}

void TstText::exitCodesFollowTheKindOfError() {
    using octet::ErrorCode;
    for (const ErrorCode before :
         {ErrorCode::Usage, ErrorCode::Refused, ErrorCode::NotFound, ErrorCode::Unreadable, ErrorCode::NewerVersion}) {
        QCOMPARE(octet::exitCodeFor(before), 2);
    }
    QCOMPARE(octet::exitCodeFor(ErrorCode::Busy), 1);
    QCOMPARE(octet::exitCodeFor(ErrorCode::Failed), 1);
    QCOMPARE(std::string(octet::errorCodeName(ErrorCode::NotFound)), "not_found"s);
    QCOMPARE(std::string(octet::errorCodeName(ErrorCode::NewerVersion)), "newer_version"s);
}

void TstText::resultHoldsAValueOrAnError() {
    const octet::Result<int> value = 3;
    QVERIFY(value.ok() && *value == 3);
    const octet::Result<int> wrong = octet::Error{octet::ErrorCode::Usage, "Expected a number.", ""};
    QVERIFY(!wrong && wrong.error().message == "Expected a number.");
    QVERIFY(octet::Result<void>().ok());
    // A text is a value, not an error, although both are made of text.
    QVERIFY(octet::Result<std::string>(std::string("text")).ok());
}

QTEST_GUILESS_MAIN(TstText)
#include "tst_text.moc"
