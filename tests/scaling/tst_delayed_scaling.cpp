// SPDX-License-Identifier: Apache-2.0
// Delayed scaling against te_delayed.json (transformer_engine 2.20.2) and the worked examples of the fact sheet.
#include <QtTest>
#include <cmath>

#include "engine/scaling/delayed_scaling.h"
#include "tests/support/golden.h"

using namespace octet;
using namespace octet::scaling;

namespace {

AmaxAlgo algoFrom(const Json& name) {
    return name == "max" ? AmaxAlgo::Max : AmaxAlgo::MostRecent;
}

DelayedScalingRule ruleFrom(const Json& row, UpdatePath path) {
    DelayedScalingRule rule;
    rule.fp8Max = row["fp8_max"].get<float>();
    rule.margin = row["margin"].get<int>();
    rule.algo = algoFrom(row["algo"]);
    rule.path = path;
    if (row.contains("history_len")) rule.historyLen = row["history_len"].get<int>();
    return rule;
}

const char* pathKey(UpdatePath path) {
    return path == UpdatePath::Fused ? "fused" : "unfused";
}

void compareRows(const std::vector<float>& got, const std::vector<float>& expected, const QString& where) {
    QCOMPARE(got.size(), expected.size());
    for (size_t i = 0; i < got.size(); ++i) {
        QVERIFY2(tests::sameFloat(got[i], expected[i]),
                 qPrintable(QString("%1, row %2: got %3, expected %4")
                                .arg(where)
                                .arg(i)
                                .arg(tests::hexOf(got[i]), tests::hexOf(expected[i]))));
    }
}

void compareFloat(float got, float expected, const QString& where) {
    compareRows({got}, {expected}, where);
}

}  // namespace

Q_DECLARE_METATYPE(std::vector<float>)
Q_DECLARE_METATYPE(octet::scaling::DelayedScalingRule)

class TstDelayedScaling final : public QObject {
    Q_OBJECT

private slots:
    void goldenSequences_data();
    void goldenSequences();
    void goldenHistoryOf1024();
    void goldenUpdatesAfterAllReduce();
    void workedExamples_data();
    void workedExamples();
    void infinityFreezesTheScaleUntilItLeavesTheWindow();
    void aLongHistoryRemembersItsMaximum_data();
    void aLongHistoryRemembersItsMaximum();
    void stagingKeepsTheLargestAndIgnoresNan();
    void documentedIntervalMakesTheScaleAtEveryThirdUpdate();
    void coldUntilAnAmaxMadeTheScale();
    void tinyAmaxesNeverGiveAnInfiniteScale_data();
    void tinyAmaxesNeverGiveAnInfiniteScale();
};

void TstDelayedScaling::goldenSequences_data() {
    QTest::addColumn<int>("index");
    QTest::addColumn<bool>("fused");
    const Json golden = tests::goldenJson("te_delayed.json");
    for (size_t i = 0; i < golden["cases"].size(); ++i) {
        const Json& row = golden["cases"][i];
        for (const bool fused : {true, false}) {
            QTest::addRow("%s, length %d, %s, %s %s, margin %d, %s", row["sequence"].get<std::string>().c_str(),
                          row["history_len"].get<int>(), row["algo"].get<std::string>().c_str(),
                          row["format"].get<std::string>().c_str(), row["direction"].get<std::string>().c_str(),
                          row["margin"].get<int>(), fused ? "fused" : "unfused")
                << static_cast<int>(i) << fused;
        }
    }
    qInfo("te_delayed.json: %zu sequences on two paths, 1,160 steps of history 1024, %zu updates after an all-reduce",
          golden["cases"].size(), golden["after_all_reduce"].size());
}

void TstDelayedScaling::goldenSequences() {
    QFETCH(int, index);
    QFETCH(bool, fused);
    static const Json golden = tests::goldenJson("te_delayed.json");
    const Json& row = golden["cases"][static_cast<size_t>(index)];
    const auto path = fused ? UpdatePath::Fused : UpdatePath::Unfused;
    const Json& expected = row[pathKey(path)];
    const auto staged = tests::floatsFromWords(row["staged"].get<std::string>());
    const auto scales = tests::floatsFromWords(expected["scale"].get<std::string>());
    const auto inverses = tests::floatsFromWords(expected["scale_inv"].get<std::string>());
    DelayedScaling state(ruleFrom(row, path));
    for (size_t step = 0; step < staged.size(); ++step) {
        state.setStaged(staged[step]);
        state.update();
        const QString where = QString("step %1").arg(step);
        compareFloat(state.scale(), scales[step], where + " scale");
        compareFloat(state.scaleInv(), inverses[step], where + " scale_inv");
        compareRows(state.history(), tests::floatsFromWords(expected["history"][step].get<std::string>()), where);
        if (QTest::currentTestFailed()) return;
    }
}

void TstDelayedScaling::goldenHistoryOf1024() {
    const Json golden = tests::goldenJson("te_delayed.json")["history_1024"];
    const auto staged = tests::floatsFromWords(golden["staged"].get<std::string>());
    QCOMPARE(staged.size(), size_t{1160});
    for (const auto path : {UpdatePath::Fused, UpdatePath::Unfused}) {
        const auto scales = tests::floatsFromWords(golden[pathKey(path)]["scale"].get<std::string>());
        DelayedScaling state(ruleFrom(golden, path));
        for (size_t step = 0; step < staged.size(); ++step) {
            state.setStaged(staged[step]);
            state.update();
            compareFloat(state.scale(), scales[step], QString("%1 step %2").arg(pathKey(path)).arg(step));
            if (QTest::currentTestFailed()) return;
        }
    }
}

void TstDelayedScaling::goldenUpdatesAfterAllReduce() {
    const Json golden = tests::goldenJson("te_delayed.json")["after_all_reduce"];
    QCOMPARE(golden.size(), size_t{12});
    for (const Json& row : golden) {
        for (const auto path : {UpdatePath::Fused, UpdatePath::Unfused}) {
            const float oldScale = tests::floatsFromWords(row["old_scale"].get<std::string>()).front();
            DelayedScaling state(ruleFrom(row, path), tests::floatsFromWords(row["history"].get<std::string>()),
                                 oldScale);
            state.update(tests::floatsFromWords(row["reduced"].get<std::string>()).front());
            const Json& expected = row[pathKey(path)];
            compareFloat(state.scale(), tests::floatsFromWords(expected["scale"].get<std::string>()).front(),
                         pathKey(path));
            compareRows(state.history(), tests::floatsFromWords(expected["history"].get<std::string>()), pathKey(path));
        }
    }
}

void TstDelayedScaling::workedExamples_data() {
    QTest::addColumn<DelayedScalingRule>("rule");
    QTest::addColumn<std::vector<float>>("history");
    QTest::addColumn<float>("oldScale");
    QTest::addColumn<uint>("scaleBits");
    QTest::addColumn<std::vector<float>>("after");
    using Rows = std::vector<float>;
    const auto row = [](const char* name, DelayedScalingRule rule, Rows history, float old, uint bits, Rows after) {
        QTest::newRow(name) << rule << history << old << bits << after;
    };
    const auto rule = [](float fp8Max, int margin, AmaxAlgo algo = AmaxAlgo::Max, UpdatePath path = UpdatePath::Fused) {
        return DelayedScalingRule{fp8Max, margin, 0, algo, path, 1};
    };
    const auto unfused = UpdatePath::Unfused;
    row("1 max of the window", rule(448, 0), {3.5f, 1, 2, 7}, 1, 0x42800000, {0, 2, 7, 3.5f});
    row("2 most recent", rule(448, 0, AmaxAlgo::MostRecent), {3.5f, 1, 2, 7}, 1, 0x43000000, {0, 2, 7, 3.5f});
    row("3 margin 2", rule(448, 2), {3.5f, 1, 2, 7}, 1, 0x41800000, {0, 2, 7, 3.5f});
    row("4 the oldest still counts", rule(448, 0), {3.5f, 9, 2, 7}, 1, 0x42471C72, {0, 2, 7, 3.5f});
    row("5 small gradients", rule(57344, 0), {2e-5f, 1e-5f, 5e-5f}, 1, 0x4E88B800, {0, 5e-5f, 2e-5f});
    row("6 nothing recorded, fused: no roll", rule(448, 0), {0, 4, 2}, 7, 0x40E00000, {0, 4, 2});
    row("6 nothing recorded, unfused: rolls", rule(448, 0, AmaxAlgo::Max, unfused), {0, 4, 2}, 7, 0x42E00000,
        {0, 2, 0});
    row("7 infinity leaves the window", rule(448, 0), {2, INFINITY, 1, 3}, 100, 0x42C80000, {0, 1, 3, 2});
    row("9 NaN staged, fused: ignored", rule(448, 0), {NAN, 1, 3, 2}, 100, 0x43155555, {0, 3, 2, NAN});
    row("9 NaN staged, unfused: scale kept", rule(448, 0, AmaxAlgo::Max, unfused), {NAN, 1, 3, 2}, 100, 0x42C80000,
        {0, 3, 2, NAN});
    row("10 NaN, most recent: scale kept", rule(448, 0, AmaxAlgo::MostRecent), {NAN, 1, 3, 2}, 100, 0x42C80000,
        {0, 3, 2, NAN});
    row("11 tiny amax clamps to the largest float", rule(448, 0), {1e-37f}, 1, 0x7F7FFFFF, {0});
    row("12 one row and a margin", rule(448, 1), {0.875f}, 1, 0x43800000, {0});
    row("13 first value", rule(57344, 0), {1, 0, 0, 0}, 1, 0x47600000, {0, 0, 0, 1});
    row("14 tiny amax with margin, fused: finite", rule(448, 3), {1e-36f, 0}, 1, 0x7E2884D4, {0, 1e-36f});
    row("14 tiny amax with margin, unfused: clamped", rule(448, 3, AmaxAlgo::Max, unfused), {1e-36f, 0}, 1, 0x7F7FFFFF,
        {0, 1e-36f});
    row("16 large amax", rule(448, 0), {65504, 0}, 1, 0x3BE01C04, {0, 65504});
    row("17 margin 1", rule(448, 1), {3, 0, 0}, 1, 0x42955555, {0, 0, 3});
    row("18 margin 0", rule(448, 0), {3, 0, 0}, 1, 0x43155555, {0, 0, 3});
}

void TstDelayedScaling::workedExamples() {
    QFETCH(DelayedScalingRule, rule);
    QFETCH(std::vector<float>, history);
    QFETCH(float, oldScale);
    QFETCH(uint, scaleBits);
    QFETCH(std::vector<float>, after);
    DelayedScaling state(rule, history, oldScale);
    state.update();
    QCOMPARE(numerics::bitsOf(state.scale()), scaleBits);
    compareRows(state.history(), after, "history");
}

void TstDelayedScaling::infinityFreezesTheScaleUntilItLeavesTheWindow() {
    DelayedScaling state({}, {2, 1, 3, INFINITY}, 100);
    const std::vector<float> scales{100, 100, 100, 224};
    for (const float expected : scales) {
        state.setStaged(2);
        state.update();
        QCOMPARE(state.scale(), expected);
    }
    compareRows(state.history(), {0, 2, 2, 2}, "history");
}

void TstDelayedScaling::aLongHistoryRemembersItsMaximum_data() {
    QTest::addColumn<int>("length");
    for (const int length : {1, 2, 16, 1024, 65536})
        QTest::addRow("length %d", length) << length;
}

void TstDelayedScaling::aLongHistoryRemembersItsMaximum() {
    QFETCH(int, length);
    DelayedScaling state(DelayedScalingRule{448, 0, length, AmaxAlgo::Max, UpdatePath::Fused, 1});
    state.stage(7);
    state.update();
    QCOMPARE(state.scale(), 64.0f);
    const int checked = std::min(length, 2000);  // 65,536 updates of 65,536 rows would take minutes
    for (int step = 1; step < checked; ++step) {
        state.stage(1);
        state.update();
        QCOMPARE(state.scale(), 64.0f);
    }
    if (checked == length) {
        state.stage(1);
        state.update();
        QCOMPARE(state.scale(), 448.0f);
    }
    QCOMPARE(state.history().size(), static_cast<size_t>(length));
}

void TstDelayedScaling::stagingKeepsTheLargestAndIgnoresNan() {
    DelayedScaling state(DelayedScalingRule{});
    state.stage(2);
    state.stage(NAN);
    state.stage(1);
    QCOMPARE(state.staged(), 2.0f);
    state.stage(INFINITY);
    QCOMPARE(state.staged(), INFINITY);
}

void TstDelayedScaling::documentedIntervalMakesTheScaleAtEveryThirdUpdate() {
    DelayedScaling state(DelayedScalingRule{448, 0, 1, AmaxAlgo::Max, UpdatePath::Fused, 3});
    const float amaxes[] = {1, 2, 4, 8, 16, 32, 64};
    const float scales[] = {448, 448, 448, 56, 56, 56, 7};
    for (int update = 0; update < 7; ++update) {
        state.stage(amaxes[update]);
        state.update();
        QCOMPARE(state.scale(), scales[update]);
    }
}

void TstDelayedScaling::coldUntilAnAmaxMadeTheScale() {
    DelayedScaling state(DelayedScalingRule{});
    QVERIFY(state.isCold());
    state.update();
    QVERIFY(state.isCold());
    state.stage(448);  // makes scale 1 again, but a known one
    state.update();
    QVERIFY(!state.isCold());
}

void TstDelayedScaling::tinyAmaxesNeverGiveAnInfiniteScale_data() {
    QTest::addColumn<float>("fp8Max");
    QTest::addColumn<float>("amax");
    QTest::addColumn<uint>("scaleBits");
    const auto row = [](float fp8Max, float amax, uint bits) {
        QTest::addRow("F %g, amax %g", static_cast<double>(fp8Max), static_cast<double>(amax))
            << fp8Max << amax << bits;
    };
    row(448, 1e-30f, 0x75B0B471);
    row(448, 1e-33f, 0x7AAC9036);
    row(448, 1e-34f, 0x7C57B443);
    row(448, 1.6e-34f, 0x7C06D0AA);
    row(448, 1.7e-34f, 0x7BFDC504);
    row(448, 1e-36f, 0x7F7FFFFF);
    row(448, 1.32e-36f, 0x7F7F54E5);
    row(448, 1e-45f, 0x7F7FFFFF);
    row(448, 0.0f, 0x3F800000);
    row(448, INFINITY, 0x3F800000);
    row(448, NAN, 0x3F800000);
    row(57344, 1e-30f, 0x7930B471);
    row(57344, 1e-33f, 0x7E2C9036);
}

void TstDelayedScaling::tinyAmaxesNeverGiveAnInfiniteScale() {
    QFETCH(float, fp8Max);
    QFETCH(float, amax);
    QFETCH(uint, scaleBits);
    DelayedScaling state(DelayedScalingRule{fp8Max, 0, 1, AmaxAlgo::Max, UpdatePath::Fused, 1});
    state.setStaged(amax);
    state.update();
    QCOMPARE(numerics::bitsOf(state.scale()), scaleBits);
}

QTEST_GUILESS_MAIN(TstDelayedScaling)
#include "tst_delayed_scaling.moc"
