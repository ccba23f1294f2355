// SPDX-License-Identifier: GPL-3.0-or-later
// The story that must feel effortless, with a real worker: Compare HYBRID with E4M3, a layer, Export recipe. Only the
// model is smaller than a person's, so that it takes seconds.
#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QTemporaryDir>
#include <QtTest>

#include "engine/core/files.h"
#include "engine/recipe/recipe_json.h"
#include "ui/models/run_layer_model.h"
#include "ui/runs/runs_place.h"
#include "ui/shell/home_place.h"
#include "ui/shell/main_window.h"
#include "ui/widgets/message_strip.h"
#include "ui/widgets/theme.h"

#ifndef OCTET_ENGINE
#define OCTET_ENGINE ""
#endif

using namespace octet;
using namespace octet::ui;

namespace {

constexpr int kStartMs = 60'000, kTrainMs = 240'000;

template <typename T>
T take(Result<T> result) {
    if (!result) qFatal("%s", result.error().message.c_str());
    return std::move(result).value();
}

/// octet-engine with a small model and 30 instead of 300 steps; everything else is what the window asked for.
QString smallWorker(const QString& path) {
    QFile script(path);
    if (!script.open(QIODevice::WriteOnly)) qFatal("can't write %s", qPrintable(path));
    script.write(
        "#!/bin/bash\narguments=()\n"
        "for a in \"$@\"; do [ \"$a\" = 300 ] && a=30; arguments+=(\"$a\"); done\n"
        "exec " OCTET_ENGINE " \"${arguments[@]}\" --model llama:d=64,layers=2,heads=2,ctx=32 --eval-every 10\n");
    script.close();
    script.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    return path;
}

QStringList shownTexts(const QWidget& widget) {
    QStringList texts;
    for (const QLabel* label : widget.findChildren<QLabel*>())
        if (label->isVisible()) texts << label->text();
    return texts;
}

bool allDone(const Project& project) {
    int done = 0;
    for (const store::RunInfo& run : project.runs())
        done += !run.hidden && run.state == store::RunState::Done;
    return done == 3;
}

}  // namespace

class TstThreeClicks final : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void compareLayerExport();

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
    QTRY_VERIFY2_WITH_TIMEOUT(layers->model() && layers->model()->rowCount() > 2,
                              qPrintable(window.messages()->sentence()), kStartMs);
    auto* button = window.runs()->findChild<QPushButton*>(QStringLiteral("exportRecipe"));
    QTRY_VERIFY_WITH_TIMEOUT(button->isEnabled(), kStartMs);

    const QModelIndex second = layers->model()->index(1, 0);
    const QString layer = second.data(RunLayerModel::NameRole).toString();
    QTest::mouseClick(layers->viewport(), Qt::LeftButton, {}, layers->visualRect(second).center());  // click 2
    QCOMPARE(window.workbench()->selection()->layers(), QStringList{layer});

    QTest::mouseClick(button, Qt::LeftButton);  // click 3
    QVERIFY2(window.messages()->sentence().contains(kwargs), qPrintable(window.messages()->sentence()));
    const Json json = take(parseJson(take(readFile(kwargs.toStdString())), "kwargs"));
    const auto exported =
        take(recipe::loadRecipe(m_home.filePath(QStringLiteral("Octet/hybrid-16.octet.json")).toStdString())).recipe;
    QVERIFY(exported == take(recipe::loadRecipe("preset:hybrid-16")).recipe);
    QCOMPARE(json["amax_history_len"].get<int>(), exported.te.amaxHistoryLen);
    QCOMPARE(json["margin"].get<int>(), exported.te.margin);
    QCOMPARE(json["fp8_format"].get<std::string>(), std::string("HYBRID"));
    QCOMPARE(json["amax_compute_algo"].get<std::string>(), std::string("max"));

    QTRY_VERIFY_WITH_TIMEOUT(allDone(*window.workbench()->project()), kTrainMs);
    window.runs()->settle();
    const auto hasVerdict = [&window] {  // a new label is shown by the event loop
        const QStringList texts = shownTexts(*window.runs());
        return texts.contains(QStringLiteral("Within noise")) || texts.contains(QStringLiteral("Beyond noise"));
    };
    QTRY_VERIFY2(hasVerdict(), qPrintable(shownTexts(*window.runs()).join(QLatin1Char('\n'))));
    QCOMPARE(window.workbench()->selection()->layers(), QStringList{layer});
}

QTEST_MAIN(TstThreeClicks)
#include "tst_three_clicks.moc"
