// SPDX-License-Identifier: GPL-3.0-or-later
// The story that must feel effortless, with a real worker: Compare HYBRID with E4M3, a layer, Export recipe. Only the
// model is smaller than a person's, so that it takes seconds.
#include <sys/mount.h>

#include <QLabel>
#include <QPushButton>
#include <QTemporaryDir>

#include "tests/ui/three_clicks.h"
#include "ui/models/run_layer_model.h"
#include "ui/runs/runs_place.h"
#include "ui/shell/home_place.h"
#include "ui/shell/main_window.h"
#include "ui/widgets/message_strip.h"
#include "ui/widgets/theme.h"

using namespace octet;
using namespace octet::ui;
using namespace octet::ui::three_clicks;

namespace {

QStringList shownTexts(const QWidget& widget) {
    QStringList texts;
    for (const QLabel* label : widget.findChildren<QLabel*>())
        if (label->isVisible()) texts << label->text();
    return texts;
}

}  // namespace

class TstThreeClicks final : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void compareLayerExport();
    void aDiskThatFillsUpIsOneSentence();

private:
    QTemporaryDir m_home;
};

void TstThreeClicks::initTestCase() {
    if (QByteArray(OCTET_ENGINE).isEmpty()) QSKIP("octet-engine is not built here (OCTET_TRAIN is off).");
    qputenv("HOME", m_home.path().toUtf8());
    qputenv("XDG_CONFIG_HOME", (m_home.path() + QStringLiteral("/config")).toUtf8());
    qputenv("XDG_RUNTIME_DIR", m_home.path().toUtf8());
    applyTheme(*qApp, ThemeChoice::Light);
}

void TstThreeClicks::compareLayerExport() {
    MainWindow window;
    window.workbench()->launcher()->setWorker(smallWorker(m_home.filePath(QStringLiteral("worker"))));
    const QString kwargs = m_home.filePath(QStringLiteral("Octet/hybrid-16.accelerate.json"));
    window.runs()->setExportPathChooser([](const QString& suggested) { return suggested; });
    window.show();

    QTest::mouseClick(window.home()->compareButton(), Qt::LeftButton);  // click 1
    QCOMPARE(window.currentPlace(), QStringLiteral("runs"));
    const auto* layers = window.runs()->findChild<QTableView*>(QStringLiteral("layers"));
    QTRY_VERIFY2_WITH_TIMEOUT(hasLayers(*layers), qPrintable(window.messages()->sentence()), kStartMs);
    auto* button = window.runs()->findChild<QPushButton*>(QStringLiteral("exportRecipe"));
    QTRY_VERIFY_WITH_TIMEOUT(button->isEnabled(), kStartMs);

    const QModelIndex second = layers->model()->index(1, 0);
    const QString layer = second.data(RunLayerModel::NameRole).toString();
    QTest::mouseClick(layers->viewport(), Qt::LeftButton, {}, layers->visualRect(second).center());  // click 2
    QCOMPARE(window.workbench()->selection()->layers(), QStringList{layer});

    QTest::mouseClick(button, Qt::LeftButton);  // click 3
    QVERIFY2(window.messages()->sentence().contains(kwargs), qPrintable(window.messages()->sentence()));
    checkExport(kwargs, m_home.filePath(QStringLiteral("Octet/hybrid-16.octet.json")));

    QTRY_VERIFY_WITH_TIMEOUT(allDone(*window.workbench()->project()), kTrainMs);
    window.runs()->settle();
    const auto hasVerdict = [&window] {  // a new label is shown by the event loop
        const QStringList texts = shownTexts(*window.runs());
        return texts.contains(QStringLiteral("Within noise")) || texts.contains(QStringLiteral("Beyond noise")) ||
               texts.contains(QStringLiteral("Not enough data"));
    };
    QTRY_VERIFY2(hasVerdict(), qPrintable(shownTexts(*window.runs()).join(QLatin1Char('\n'))));
    QCOMPARE(window.workbench()->selection()->layers(), QStringList{layer});
}

/// A real worker on a real disk of 700 kB, which takes the runs but not their samples. Needs the right to mount one.
void TstThreeClicks::aDiskThatFillsUpIsOneSentence() {
    QTemporaryDir disk;
    const QByteArray place = disk.path().toLocal8Bit();
    if (mount("none", place.constData(), "tmpfs", 0, "size=700k") != 0) QSKIP("Only root can mount a small disk.");
    const auto leave = qScopeGuard([&place] { umount2(place.constData(), MNT_DETACH); });
    MainWindow window;
    window.workbench()->launcher()->setWorker(QStringLiteral(OCTET_ENGINE));
    window.show();
    const QString words = QStringLiteral(
        "--recipe preset:hybrid-16 --recipe preset:baseline --model mlp:window=16,d=16,hidden=32,layers=1 "
        "--data synthetic:1 --steps 400 --threads 1 --store ");
    QVERIFY(window.workbench()->train(words.split(QLatin1Char(' '), Qt::SkipEmptyParts) +
                                      QStringList{disk.filePath(QStringLiteral("a.octet"))}));
    QTRY_VERIFY_WITH_TIMEOUT(window.messages()->isVisible(), kStartMs);
    QVERIFY2(window.messages()->sentence().contains(QStringLiteral("There is no space left to write")),
             qPrintable(window.messages()->sentence()));
    QCOMPARE(window.messages()->kind(), MessageStrip::Kind::Error);
    window.showPlace(QStringLiteral("runs"));  // and the window goes on
    window.showPlace(QStringLiteral("recipe"));
}

QTEST_MAIN(TstThreeClicks)
#include "tst_three_clicks.moc"
