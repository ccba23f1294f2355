// SPDX-License-Identifier: GPL-3.0-or-later
// The stack as a person meets it: what gestures and keys do, what goes out as picture and table.
#include "tests/ui/plot_stage.h"
#include "ui/plots/plot_bench.h"
using namespace octet;
using namespace octet::ui;

class TstTrackStack final : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates)); }
    void init() { applyTheme(*qApp, ThemeChoice::Light); }
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
    void timesArePrinted();
};

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
    *sparse->axes = {{1, 3}, {1, 3}, {1, 3}};
    sparse->values.append(std::vector<float>{0.5F, 2});
    Stage stage({trackOf("loss", {curveOf(1, recording({1, kNan, -std::numeric_limits<float>::infinity(), 0.1F})),
                                  curveOf(2, sparse), curveOf(3, recording(ramp(4)))})});
    stage.selection.setVisible(store::RunId{3}, false);
    QCOMPARE(stage.stack.visibleCsv(),
             QStringLiteral("step,loss run-1,loss run-2\n0,1,\n1,nan,0.5\n2,-inf,\n3,0.1,2\n"));
}

void TstTrackStack::timesArePrinted() {
    auto figures = benchFrames();
    for (const PlotFigure& figure : benchOverview(1'000'000))
        figures.push_back(figure);
    for (const PlotFigure& figure : figures) {
        qInfo("%s: median %.1f ms, worst %.1f ms, budget %.0f ms (%s)", qPrintable(figure.name), figure.median,
              figure.worst, figure.budget, qPrintable(figure.what));
        QVERIFY(figure.median > 0);
    }
}

QTEST_MAIN(TstTrackStack)
#include "tst_track_stack.moc"
