// SPDX-License-Identifier: GPL-3.0-or-later
// The shared selection says each change once, and nothing when nothing changes.
#include <QSignalSpy>
#include <QTest>
#include <functional>

#include "ui/documents/selection.h"

using namespace octet;
using ui::Selection;

class TstUiSelection final : public QObject {
    Q_OBJECT

private slots:
    void saysEachChangeOnce_data();
    void saysEachChangeOnce();
    void anotherAxisDropsTheCursor();
};

using Change = std::function<void(Selection&)>;
using SignalOf = void (Selection::*)();
Q_DECLARE_METATYPE(Change)
Q_DECLARE_METATYPE(SignalOf)

void TstUiSelection::saysEachChangeOnce_data() {
    QTest::addColumn<Change>("change");
    QTest::addColumn<SignalOf>("signal");
    const auto row = [](const char* name, Change change, SignalOf signal) {
        QTest::newRow(name) << std::move(change) << signal;
    };
    row(
        "hiding a run", [](Selection& s) { s.setVisible({7}, false); }, &Selection::visibilityChanged);
    row(
        "choosing a run", [](Selection& s) { s.setCurrentRun({3}); }, &Selection::currentRunChanged);
    row(
        "pinning a baseline", [](Selection& s) { s.setBaseline({3}); }, &Selection::baselineChanged);
    row(
        "choosing an experiment", [](Selection& s) { s.setExperiment({2}); }, &Selection::experimentChanged);
    row(
        "choosing layers", [](Selection& s) { s.setLayers({QStringLiteral("lm_head")}); }, &Selection::layersChanged);
    row(
        "choosing an operand", [](Selection& s) { s.setOperand(QStringLiteral("input")); }, &Selection::layersChanged);
    row(
        "moving the cursor", [](Selection& s) { s.setCursor(12.5); }, &Selection::cursorChanged);
    row(
        "choosing an axis", [](Selection& s) { s.setXAxis(ui::XAxis::Tokens); }, &Selection::xAxisChanged);
    row(
        "choosing a preset", [](Selection& s) { s.setPreset(ui::ViewPreset::Compare); }, &Selection::presetChanged);
    row(
        "leaving Follow", [](Selection& s) { s.setFollows(false); }, &Selection::followsChanged);
}

void TstUiSelection::saysEachChangeOnce() {
    QFETCH(Change, change);
    QFETCH(SignalOf, signal);
    Selection selection;
    QSignalSpy spy(&selection, signal);
    change(selection);
    QCOMPARE(spy.count(), 1);
    change(selection);
    QCOMPARE(spy.count(), 1);
}

void TstUiSelection::anotherAxisDropsTheCursor() {
    Selection selection;
    selection.setCursor(40.0);
    selection.setXAxis(ui::XAxis::WallTime);
    QVERIFY(!selection.cursor());
}

QTEST_GUILESS_MAIN(TstUiSelection)
#include "tst_ui_selection.moc"
