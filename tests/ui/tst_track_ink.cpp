// SPDX-License-Identifier: GPL-3.0-or-later
// What leaves ink in a track: spikes, edges, averages, bands, what is not finite, and nothing that is hidden.
#include "tests/ui/plot_stage.h"

using namespace octet;
using namespace octet::ui;

class TstTrackInk final : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates)); }
    void init() { applyTheme(*qApp, ThemeChoice::Light); }
    void aSpikeOfOneSampleInAMillionIsDrawn();
    void c211TheSpikeIsInItsColumnAndReadOut();
    void c110aFinitePointsAreDotsAndNanAreTicks();
    void c110bInfinityStandsAtTheEdgesOutsideTheRange();
    void c110cNothingFiniteIsSaid();
    void steepEdgesHaveNoGap();
    void averagesAreDrawnSmooth();
    void hiddenRunsLeaveNoInk();
    void theDarkThemeHasNoWhiteSlab();
    void anEmptyStackTakesEverything();
    void seedsLeaveABandAroundTheirMean();
};

void TstTrackInk::aSpikeOfOneSampleInAMillionIsDrawn() {
    std::vector<float> values(1'000'000, 0.25F);
    values[437'123] = 1;
    Stage stage({trackOf("loss", {curveOf(1, recording(values))})});
    const QImage image = stage.grab();
    const QPoint top = stage.at(437'123, 0.0);
    const QRect area = stage.area();
    const QRect column(top.x() - 1, area.top(), 3, area.height());
    QVERIFY2(inkIn(image, column, stage.ink(1)) > area.height() * 8 / 10, "the spike reaches over the height");
    QRect upper(area.left(), area.top(), area.width(), area.height() / 2);
    QCOMPARE(inkIn(image, upper, stage.ink(1)), inkIn(image, upper & column, stage.ink(1)));
}

void TstTrackInk::c211TheSpikeIsInItsColumnAndReadOut() {
    const auto values = caseValues("c211_spike.csv");
    QCOMPARE(values.size(), 3000U);
    Stage stage({trackOf("loss", {curveOf(1, recording(values))})});
    stage.stack.resize(400 + stage.plot->width() - stage.area().width(), 400);
    const QImage image = stage.grab();
    QCOMPARE(stage.area().width(), 400);
    QVERIFY(stage.yRange().upper > 1.183 && stage.yRange().upper < 1.3);
    const int x = stage.at(1564, 0).x();
    const double share = (stage.yRange().upper - 1.183) / stage.yRange().size();
    const int y = stage.area().top() + static_cast<int>(share * stage.area().height());
    QVERIFY(inkIn(image, QRect(x, y - 1, 1, 3), stage.ink(1)) > 0);
    stage.selection.setCursor(1564);
    stage.draw();
    const QString spoken = stage.plot->accessibleDescription();
    QVERIFY2(spoken.contains(QStringLiteral("step 1,564")) && spoken.contains(QStringLiteral("1.183")),
             qPrintable(spoken));
    QVERIFY(stage.stack.visibleCsv().contains(QStringLiteral("\n1564,1.183\n")));
}

void TstTrackInk::c110aFinitePointsAreDotsAndNanAreTicks() {
    Stage stage({trackOf("loss", {curveOf(1, recording(caseValues("c110_a_nan.csv")))})});
    const QImage image = stage.grab();
    const QColor bad = themeOf(stage.plot).bad;
    for (int step = 0; step < 50; ++step) {
        const QPoint middle = stage.at(step, 0.5);
        const QRect around = QRect(middle.x() - 3, middle.y() - 6, 7, 13) & stage.area();
        const QRect edge = QRect(middle.x() - 2, stage.area().top(), 5, 7) & stage.area();
        QCOMPARE(inkIn(image, around, stage.ink(1), 120) > 0, step % 5 == 0);
        QCOMPARE(inkIn(image, edge, bad) > 0, step % 5 != 0);
    }
    QVERIFY(stage.plot->accessibleDescription().contains(QStringLiteral("40 NaN")));
}

void TstTrackInk::c110bInfinityStandsAtTheEdgesOutsideTheRange() {
    Stage stage({trackOf("loss", {curveOf(1, recording(caseValues("c110_b_inf.csv")))})});
    const QImage image = stage.grab();
    QVERIFY(std::fabs(stage.yRange().lower - (0.5 - 0.012)) < 1e-6);
    QVERIFY(std::fabs(stage.yRange().upper - (0.7 + 0.012)) < 1e-6);
    const QColor bad = themeOf(stage.plot).bad;
    const auto marked = [&](int step, bool bottom) {
        const QRect area = stage.area();
        return inkIn(image, QRect(stage.at(step, 0).x() - 2, bottom ? area.bottom() - 5 : area.top(), 5, 6), bad) > 0;
    };
    for (int step = 1; step < 6; ++step) {
        QCOMPARE(marked(step, false), step == 1 || step == 5);
        QCOMPARE(marked(step, true), step == 3);
    }
}

void TstTrackInk::c110cNothingFiniteIsSaid() {
    TrackCurve curve = curveOf(1, recording(caseValues("c110_c_all_nan.csv")));
    curve.dashed = true;
    Stage stage({trackOf("loss", {curve})});
    QCOMPARE(stage.yRange().lower, 0.0);
    QCOMPARE(stage.yRange().upper, 1.0);
    QVERIFY(stage.plot->accessibleDescription().contains(QStringLiteral("3 NaN")));
    const QRect words = stage.area().adjusted(10, 20, -10, -20);
    QVERIFY2(inkIn(stage.grab(), words, themeOf(stage.plot).dim, 90) > 50, "'no finite values (3 NaN)' stands there");
    stage.wheel(stage.at(1, 0.5), 3);
    stage.key(Qt::Key_F);
    QVERIFY(stage.selection.follows());
}

void TstTrackInk::steepEdgesHaveNoGap() {
    std::vector<float> values(100'000, 0);
    std::fill(values.begin() + 50'000, values.end(), 1.0F);
    Stage stage({trackOf("loss", {curveOf(1, recording(values))})});
    const QImage image = stage.grab();
    const int x = stage.at(50'000, 0).x();
    for (int y = stage.at(0, 0.1).y(); y < stage.at(0, 0.9).y(); ++y)
        QVERIFY2(inkIn(image, QRect(x - 2, y, 5, 1), stage.ink(1)) > 0, qPrintable(QString::number(y)));
}

void TstTrackInk::averagesAreDrawnSmooth() {
    auto values = ramp(50'000);
    TrackCurve curve = curveOf(1, recording(values));
    curve.smoothing = 0.9;
    Stage stage({trackOf("loss", {curve})});
    const QImage image = stage.grab();
    int shades = 0;
    for (const double share : {0.23, 0.43, 0.63, 0.83}) {
        const QRect column(stage.at(share * 50'000, 0).x(), stage.area().top(), 1, stage.area().height());
        const int full = inkIn(image, column, stage.ink(1), 12);
        const int any = inkIn(image, column, stage.ink(1), 300);
        QVERIFY2(any >= 1 && any <= 5, qPrintable(QString::number(any)));
        shades += any - full;
    }
    QVERIFY2(shades > 0, "its edges are shaded");
}

void TstTrackInk::hiddenRunsLeaveNoInk() {
    Stage stage(
        {trackOf("loss", {curveOf(1, recording(ramp(300))), curveOf(2, recording(std::vector<float>(300, 0.9F)))})});
    constexpr int kBlurred = 240;  // an antialiased line between two rows of pixels
    QVERIFY(inkIn(stage.grab(), stage.area(), stage.ink(2), kBlurred) > 300);
    stage.selection.setVisible(store::RunId{2}, false);
    QCOMPARE(inkIn(stage.grab(), stage.area(), stage.ink(2), kBlurred), 0);
    QVERIFY(inkIn(stage.grab(), stage.area(), stage.ink(1), kBlurred) > 100);
}

void TstTrackInk::theDarkThemeHasNoWhiteSlab() {
    Stage stage({trackOf("loss", {curveOf(1, recording(ramp(300)))}), trackOf("gap", {})});
    applyTheme(*qApp, ThemeChoice::Dark);
    QCoreApplication::processEvents();
    const QImage image = stage.grab();
    const int bright = inkIn(image, image.rect(), Qt::white, 150);
    QVERIFY2(bright < image.width() * image.height() / 200, qPrintable(QString::number(bright)));
    QVERIFY(isNear(image.pixel(stage.at(280, 0.95)), darkTheme().card, 6));
}

void TstTrackInk::anEmptyStackTakesEverything() {
    Stage stage({}, {{0, QStringLiteral("cold start")}});
    for (const int key : {Qt::Key_Home, Qt::Key_Right, Qt::Key_Plus, Qt::Key_Down, Qt::Key_F, Qt::Key_Escape})
        stage.key(key);
    stage.drag({10, 10}, {100, 100});
    stage.wheel({50, 50}, 1);
    QCOMPARE(stage.stack.visibleCsv(), QStringLiteral("step\n"));
    stage.stack.setTracks({trackOf("loss", {curveOf(1, nullptr)})}, {});
    stage.wheel(stage.at(0.5, 0.5), 1);
    QVERIFY(stage.grab().width() > 0);
}

void TstTrackInk::seedsLeaveABandAroundTheirMean() {
    TrackCurve curve = curveOf(1, recording(std::vector<float>(50, 2)));
    curve.low = recording(std::vector<float>(50, 1));
    curve.high = recording(std::vector<float>(50, 3));
    Track track;
    track.key = QStringLiteral("loss");
    track.curves = {curve};
    Stage stage({track});
    const QColor band = mixed(themeOf(stage.plot).card, stage.ink(1), 0.18);
    const QImage image = stage.grab();
    const QRect area = stage.area();
    const auto column = [&](double share) {
        return inkIn(image, QRect(area.left() + static_cast<int>(share * area.width()), area.top(), 1, area.height()),
                     band, 6);
    };
    const double height = area.height() / stage.yRange().size();  // pixels of 1
    for (const double share : {0.1, 0.5, 0.9})
        QVERIFY(std::abs(column(share) - 2 * height) < 8);
    QVERIFY(stage.yRange().lower < 1 && stage.yRange().upper > 3);
    const QString csv = stage.stack.visibleCsv();
    QVERIFY(csv.startsWith(QStringLiteral("step, run-1, run-1 least, run-1 most")));
    QVERIFY(csv.contains(QStringLiteral("\n7,2,1,3\n")));
}

QTEST_MAIN(TstTrackInk)
#include "tst_track_ink.moc"
