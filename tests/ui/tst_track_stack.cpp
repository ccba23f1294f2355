// SPDX-License-Identifier: GPL-3.0-or-later
// The stack as a person meets it: what leaves ink, what gestures and keys do, what goes out as picture and table.
#include <QtTest>

#include "tests/ui/plot_samples.h"
#include "ui/plots/plot_bench.h"
#include "ui/plots/stack_plot.h"
#include "ui/widgets/theme.h"

using namespace octet;
using namespace octet::ui;

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

struct Stage {
    Selection selection;
    TrackStack stack{&selection};
    StackPlot* plot = stack.findChild<StackPlot*>();

    explicit Stage(std::vector<Track> tracks, std::vector<StackMarker> markers = {}, QSize size = {900, 500}) {
        stack.resize(size);
        stack.setTracks(std::move(tracks), std::move(markers));
        stack.show();
        [[maybe_unused]] const bool shown = QTest::qWaitForWindowExposed(&stack);
        draw();
    }

    void draw() { [[maybe_unused]] const double ms = stack.redrawNow(); }
    QImage grab() {
        draw();
        return plot->grab().toImage().convertToFormat(QImage::Format_RGB32);
    }
    QRect area(size_t card = 0) const { return plot->scene().cards[card].rect->rect(); }
    QCPRange yRange(size_t card = 0) const { return plot->scene().cards[card].rect->axis(QCPAxis::atLeft)->range(); }
    QPoint at(double x, double share, size_t card = 0) const {
        const QCPRange range = plot->xRange();
        const QRect rect = area(card);
        return {rect.left() + static_cast<int>((x - range.lower) / range.size() * rect.width()),
                rect.top() + static_cast<int>(share * rect.height())};
    }
    QColor ink(int run) const { return runColour(run - 1, themeOf(plot)); }
    void key(int key, Qt::KeyboardModifiers modifiers = {}) {
        QTest::keyClick(plot, static_cast<Qt::Key>(key), modifiers);
    }
    void wheel(QPoint where, int notches) {
        QWheelEvent event(QPointF(where), plot->mapToGlobal(QPointF(where)), {}, {0, 120 * notches}, Qt::NoButton,
                          Qt::NoModifier, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(plot, &event);
    }
    void drag(QPoint from, QPoint to, Qt::MouseButton button = Qt::LeftButton, Qt::KeyboardModifiers modifiers = {}) {
        QTest::mousePress(plot, button, modifiers, from);
        QMouseEvent move(QEvent::MouseMove, QPointF(to), plot->mapToGlobal(QPointF(to)), Qt::NoButton, button,
                         modifiers);
        QCoreApplication::sendEvent(plot, &move);
        QTest::mouseRelease(plot, button, modifiers, to);
    }
};

bool isNear(QRgb pixel, const QColor& colour, int tolerance = 40) {
    return std::abs(qRed(pixel) - colour.red()) + std::abs(qGreen(pixel) - colour.green()) +
               std::abs(qBlue(pixel) - colour.blue()) <=
           tolerance;
}

int inkIn(const QImage& image, const QRect& where, const QColor& colour, int tolerance = 40) {
    int count = 0;
    for (int y = where.top(); y <= where.bottom(); ++y)
        for (int x = where.left(); x <= where.right(); ++x)
            count += isNear(image.pixel(x, y), colour, tolerance);
    return count;
}

std::vector<float> ramp(int samples) {
    std::vector<float> values(static_cast<size_t>(samples));
    for (size_t index = 0; index < values.size(); ++index)
        values[index] = static_cast<float>(index) / static_cast<float>(samples);
    return values;
}

}  // namespace

class TstTrackStack final : public QObject {
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
    void growthIsFollowedUntilAZoom();
    void redrawsAreBundledAndOnlyWhenVisible();
    void theWheelZoomsWhereItStands();
    void dragsZoomABoxOrPan();
    void viewsHaveAHistory();
    void keysMoveTheCrosshair();
    void legendEntriesClick();
    void anotherAxisKeepsTheStretch();
    void knownTracksKeepTheirZoom();
    void picturesAreWritten();
    void theTableHoldsWhatIsSeen();
    void anEmptyStackTakesEverything();
    void timesArePrinted();
};

void TstTrackStack::aSpikeOfOneSampleInAMillionIsDrawn() {
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

void TstTrackStack::c211TheSpikeIsInItsColumnAndReadOut() {
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

void TstTrackStack::c110aFinitePointsAreDotsAndNanAreTicks() {
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

void TstTrackStack::c110bInfinityStandsAtTheEdgesOutsideTheRange() {
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

void TstTrackStack::c110cNothingFiniteIsSaid() {
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

void TstTrackStack::steepEdgesHaveNoGap() {
    std::vector<float> values(100'000, 0);
    std::fill(values.begin() + 50'000, values.end(), 1.0F);
    Stage stage({trackOf("loss", {curveOf(1, recording(values))})});
    const QImage image = stage.grab();
    const int x = stage.at(50'000, 0).x();
    for (int y = stage.at(0, 0.1).y(); y < stage.at(0, 0.9).y(); ++y)
        QVERIFY2(inkIn(image, QRect(x - 2, y, 5, 1), stage.ink(1)) > 0, qPrintable(QString::number(y)));
}

void TstTrackStack::averagesAreDrawnSmooth() {
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

void TstTrackStack::hiddenRunsLeaveNoInk() {
    Stage stage(
        {trackOf("loss", {curveOf(1, recording(ramp(300))), curveOf(2, recording(std::vector<float>(300, 0.9F)))})});
    constexpr int kBlurred = 240;  // an antialiased line between two rows of pixels
    QVERIFY(inkIn(stage.grab(), stage.area(), stage.ink(2), kBlurred) > 300);
    stage.selection.setVisible(store::RunId{2}, false);
    QCOMPARE(inkIn(stage.grab(), stage.area(), stage.ink(2), kBlurred), 0);
    QVERIFY(inkIn(stage.grab(), stage.area(), stage.ink(1), kBlurred) > 100);
}

void TstTrackStack::theDarkThemeHasNoWhiteSlab() {
    Stage stage({trackOf("loss", {curveOf(1, recording(ramp(300)))}), trackOf("gap", {})});
    applyTheme(*qApp, ThemeChoice::Dark);
    QCoreApplication::processEvents();
    const QImage image = stage.grab();
    const int bright = inkIn(image, image.rect(), Qt::white, 150);
    QVERIFY2(bright < image.width() * image.height() / 200, qPrintable(QString::number(bright)));
    QVERIFY(isNear(image.pixel(stage.at(280, 0.95)), darkTheme().card, 6));
}

void TstTrackStack::growthIsFollowedUntilAZoom() {
    auto view = recording(ramp(100));
    Stage stage({trackOf("loss", {curveOf(1, view)})});
    QCOMPARE(stage.plot->xRange().upper, 99.0);
    appendSamples(*view, ramp(100));
    stage.stack.refresh();
    QTRY_COMPARE(stage.plot->xRange().upper, 199.0);
    stage.wheel(stage.at(100, 0.5), 1);
    QVERIFY(!stage.selection.follows());
    const QCPRange zoomed = stage.plot->xRange();
    appendSamples(*view, ramp(100));
    stage.draw();
    QCOMPARE(stage.plot->xRange(), zoomed);
    QTest::mouseDClick(stage.plot, Qt::LeftButton, {}, stage.at(100, 0.5));
    QVERIFY(stage.selection.follows());
    QCOMPARE(stage.plot->xRange().upper, 299.0);
}

void TstTrackStack::redrawsAreBundledAndOnlyWhenVisible() {
    Stage stage({trackOf("loss", {curveOf(1, recording(ramp(100)))})});
    QElapsedTimer clock;
    clock.start();
    const int before = stage.plot->redrawCount();
    while (clock.elapsed() < 250) {
        stage.stack.refresh();
        QCoreApplication::processEvents();
    }
    const int redraws = stage.plot->redrawCount() - before;
    QVERIFY2(redraws >= 1 && redraws <= clock.elapsed() / 40 + 1, qPrintable(QString::number(redraws)));
    stage.stack.hide();
    const int hidden = stage.plot->redrawCount();
    stage.stack.refresh();
    QTest::qWait(60);
    QCOMPARE(stage.plot->redrawCount(), hidden);
    stage.stack.show();
    QTRY_VERIFY(stage.plot->redrawCount() > hidden);
}

void TstTrackStack::theWheelZoomsWhereItStands() {
    Stage stage(
        {trackOf("loss", {curveOf(1, recording(ramp(1000)))}), trackOf("gap", {curveOf(1, recording(ramp(1000)))})});
    const QCPRange y = stage.yRange(1);
    stage.wheel(stage.at(250, 0.5), 1);
    QVERIFY(stage.plot->xRange().size() < 900);
    QVERIFY2(std::fabs((250 - stage.plot->xRange().lower) / stage.plot->xRange().size() - 0.25) < 0.01,
             "what is under the mouse stays there");
    const QCPRange x = stage.plot->xRange(), fitted = stage.yRange(1);
    QVERIFY2(fitted.size() < y.size(), "y fits what is visible");
    stage.wheel({stage.area().left() - 10, stage.area().center().y()}, 1);
    QCOMPARE(stage.plot->xRange(), x);
    QCOMPARE(stage.yRange(1), fitted);
    QVERIFY(stage.yRange(0).size() < fitted.size() * 0.9);
    for (int notch = 0; notch < 400; ++notch)
        stage.wheel(stage.at(300, 0.5), 5);
    QVERIFY(std::isfinite(stage.plot->xRange().size()) && stage.plot->xRange().size() > 0);
    for (int notch = 0; notch < 400; ++notch)
        stage.wheel(stage.area().center(), -5);
    QVERIFY2(stage.plot->xRange().size() < 4100, "nobody gets lost");
}

void TstTrackStack::dragsZoomABoxOrPan() {
    Stage stage({trackOf("loss", {curveOf(1, recording(ramp(1000)))})});
    stage.drag(stage.at(200, 0.5), stage.at(400, 0.51));
    QVERIFY(std::fabs(stage.plot->xRange().lower - 200) < 3 && std::fabs(stage.plot->xRange().upper - 400) < 3);
    const QCPRange x = stage.plot->xRange();
    stage.drag(stage.at(300, 0.5), stage.at(350, 0.5), Qt::LeftButton, Qt::ShiftModifier);
    QVERIFY(std::fabs(stage.plot->xRange().lower - (x.lower - 50)) < 3);
    stage.drag(stage.at(300, 0.5), stage.at(250, 0.5), Qt::MiddleButton);
    QVERIFY(std::fabs(stage.plot->xRange().lower - x.lower) < 3);
    const QCPRange y = stage.yRange();
    stage.drag(stage.at(250, 0.25), stage.at(300, 0.75));
    QVERIFY(std::fabs(stage.yRange().size() - y.size() / 2) < 0.02 * y.size());
    stage.key(Qt::Key_F);
    QCOMPARE(stage.plot->xRange().upper, 999.0);
}

void TstTrackStack::viewsHaveAHistory() {
    Stage stage({trackOf("loss", {curveOf(1, recording(ramp(1000)))})});
    stage.drag(stage.at(200, 0.5), stage.at(800, 0.5));
    const QCPRange first = stage.plot->xRange();
    stage.drag(stage.at(300, 0.5), stage.at(400, 0.5));
    const QCPRange second = stage.plot->xRange();
    stage.key(Qt::Key_Left, Qt::AltModifier);
    QCOMPARE(stage.plot->xRange(), first);
    stage.key(Qt::Key_Left, Qt::AltModifier);
    QVERIFY(stage.selection.follows());
    stage.key(Qt::Key_Left, Qt::AltModifier);
    stage.key(Qt::Key_Right, Qt::AltModifier);
    stage.key(Qt::Key_Right, Qt::AltModifier);
    QCOMPARE(stage.plot->xRange(), second);
}

void TstTrackStack::keysMoveTheCrosshair() {
    Stage stage({trackOf("loss", {curveOf(1, recording(ramp(100)))})});
    stage.key(Qt::Key_Home);
    QCOMPARE(stage.selection.cursor().value_or(-1), 0.0);
    stage.key(Qt::Key_Right);
    stage.key(Qt::Key_Right, Qt::ShiftModifier);
    QCOMPARE(stage.selection.cursor().value_or(-1), 11.0);
    stage.key(Qt::Key_Left);
    QCOMPARE(stage.selection.cursor().value_or(-1), 10.0);
    stage.key(Qt::Key_End);
    QCOMPARE(stage.selection.cursor().value_or(-1), 99.0);
    const double before = stage.plot->xRange().size();
    stage.key(Qt::Key_Plus);
    QVERIFY(stage.plot->xRange().size() < before);
    stage.key(Qt::Key_Home);
    QVERIFY2(stage.plot->xRange().contains(0), "the view moves along");
    QTest::mouseMove(stage.plot, stage.at(5.5, 0.5));
    QTRY_COMPARE(stage.selection.cursor().value_or(-1), 5.0);
    stage.key(Qt::Key_Escape);
    QVERIFY(!stage.selection.cursor());
}

void TstTrackStack::legendEntriesClick() {
    Stage stage({trackOf("loss", {curveOf(1, recording(ramp(100))), curveOf(2, recording(ramp(50)))})});
    const auto& legend = stage.plot->scene().cards[0].legend;
    QCOMPARE(legend.size(), 2U);
    QSignalSpy clicked(&stage.stack, &TrackStack::legendClicked);
    const QPoint where = legend[1].area.center().toPoint();
    QTest::mouseClick(stage.plot, Qt::LeftButton, {}, where);
    QTest::mouseDClick(stage.plot, Qt::LeftButton, {}, where);
    QVERIFY(clicked.size() >= 2);
    QCOMPARE(clicked.front().at(0).value<store::RunId>().value, 2);
    QCOMPARE(clicked.front().at(1).toBool(), false);
    QCOMPARE(clicked.back().at(1).toBool(), true);
    QVERIFY2(stage.selection.follows(), "a click in the head is no zoom");
}

void TstTrackStack::anotherAxisKeepsTheStretch() {
    Stage stage({trackOf("loss", {curveOf(1, recording(ramp(1000)))})});
    stage.drag(stage.at(200, 0.5), stage.at(400, 0.5));
    stage.selection.setXAxis(XAxis::WallTime);
    QVERIFY(std::fabs(stage.plot->xRange().lower - 100) < 2 && std::fabs(stage.plot->xRange().upper - 200) < 2);
    stage.key(Qt::Key_F);
    QCOMPARE(stage.plot->xRange().upper, 499.5);
}

void TstTrackStack::knownTracksKeepTheirZoom() {
    auto view = recording(ramp(1000));
    Stage stage({trackOf("loss", {curveOf(1, view)})});
    stage.drag(stage.at(200, 0.2), stage.at(400, 0.8));
    const QCPRange x = stage.plot->xRange(), y = stage.yRange();
    stage.stack.setTracks({trackOf("gap", {}), trackOf("loss", {curveOf(1, view)})}, {});
    stage.draw();
    QCOMPARE(stage.plot->xRange(), x);
    QCOMPARE(stage.yRange(1), y);
}

void TstTrackStack::picturesAreWritten() {
    QTemporaryDir folder;
    Stage stage({trackOf("loss", {curveOf(1, recording(ramp(5000)))})}, {{2500, QStringLiteral("recipe")}});
    const QString png = folder.filePath(QStringLiteral("seen.png")), svg = folder.filePath(QStringLiteral("seen.svg"));
    QVERIFY(stage.stack.exportImage(png, 2));
    const QImage image(png);
    QCOMPARE(image.size(), stage.plot->size() * 2);
    QVERIFY(inkIn(image.convertToFormat(QImage::Format_RGB32), image.rect(), stage.ink(1)) > 1000);
    QVERIFY(stage.stack.exportImage(svg, 1));
    QFile file(svg);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray text = file.readAll();
    QVERIFY(text.contains("<svg") && text.contains("polyline") && text.contains("recipe"));
    QVERIFY(!stage.stack.exportImage(folder.filePath(QStringLiteral("seen.doc")), 1));
    QVERIFY(!stage.stack.exportImage(folder.filePath(QStringLiteral("no/such/seen.png")), 1));
}

void TstTrackStack::theTableHoldsWhatIsSeen() {
    auto sparse = std::make_shared<SeriesView>();
    sparse->step = sparse->tokens = sparse->wallTime = {1, 3};
    sparse->values.append(std::vector<float>{0.5F, 2});
    Stage stage({trackOf("loss", {curveOf(1, recording({1, kNan, -std::numeric_limits<float>::infinity(), 0.1F})),
                                  curveOf(2, sparse), curveOf(3, recording(ramp(4)))})});
    stage.selection.setVisible(store::RunId{3}, false);
    QCOMPARE(stage.stack.visibleCsv(),
             QStringLiteral("step,loss run-1,loss run-2\n0,1,\n1,nan,0.5\n2,-inf,\n3,0.1,2\n"));
}

void TstTrackStack::anEmptyStackTakesEverything() {
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

void TstTrackStack::timesArePrinted() {
    for (const PlotFigure& figure : benchPlots(1'000'000)) {
        qInfo("%s: median %.1f ms, worst %.1f ms, budget %.0f ms (%s)", qPrintable(figure.name), figure.median,
              figure.worst, figure.budget, qPrintable(figure.what));
        QVERIFY(figure.median > 0);
    }
}

QTEST_MAIN(TstTrackStack)
#include "tst_track_stack.moc"
