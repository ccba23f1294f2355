// SPDX-License-Identifier: GPL-3.0-or-later
// The three clicks with a real pointer: an X server without a screen (Xvfb) and xdotool, which moves, clicks and types.
// Skipped where these two programs or octet-engine are missing.
#include <QDialogButtonBox>
#include <QProcess>
#include <QPushButton>
#include <QStandardPaths>
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

void xdotool(const QStringList& arguments) {
    QProcess process;
    process.start(QStringLiteral("xdotool"), arguments);
    if (!process.waitForFinished(20'000) || process.exitCode() != 0)
        qFatal("xdotool failed: %s", process.readAllStandardError().constData());
}

/// Moves the pointer there and presses the left button.
void click(const QWidget& widget, const QPoint& at) {
    const QPoint place = widget.mapToGlobal(at);
    xdotool({QStringLiteral("mousemove"), QString::number(place.x()), QString::number(place.y()),
             QStringLiteral("click"), QStringLiteral("1")});
}

/// Starts an X server; its display, or nothing.
QByteArray startServer(QProcess& server) {
    const bool hasTools = !QStandardPaths::findExecutable(QStringLiteral("Xvfb")).isEmpty() &&
                          !QStandardPaths::findExecutable(QStringLiteral("xdotool")).isEmpty();
    if (!hasTools) return {};
    server.start(QStringLiteral("Xvfb"), {QStringLiteral("-displayfd"), QStringLiteral("1"), QStringLiteral("-screen"),
                                          QStringLiteral("0"), QStringLiteral("1400x900x24")});
    while (server.waitForReadyRead(20'000))
        if (server.canReadLine()) return ":" + server.readLine().trimmed();
    return {};
}

}  // namespace

class TstRealMouse final : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void threeClicksAndTheDialog();

private:
    QTemporaryDir m_home;
};

void TstRealMouse::initTestCase() {
    if (QGuiApplication::platformName() != QStringLiteral("xcb")) QSKIP("Xvfb or xdotool is not installed.");
    if (QByteArray(OCTET_ENGINE).isEmpty()) QSKIP("octet-engine is not built here (OCTET_TRAIN is off).");
    qputenv("HOME", m_home.path().toUtf8());
    qputenv("XDG_CONFIG_HOME", m_home.filePath(QStringLiteral("config")).toUtf8());
    qputenv("XDG_RUNTIME_DIR", m_home.path().toUtf8());
    applyTheme(*qApp, ThemeChoice::Light);
}

void TstRealMouse::threeClicksAndTheDialog() {
    MainWindow window;
    window.workbench()->launcher()->setWorker(smallWorker(m_home.filePath(QStringLiteral("worker"))));
    window.setGeometry(0, 0, 1280, 800);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));

    const QPushButton* compare = window.home()->compareButton();
    click(*compare, compare->rect().center());  // click 1
    QTRY_COMPARE_WITH_TIMEOUT(window.currentPlace(), QStringLiteral("runs"), kStartMs);
    const auto* layers = window.runs()->findChild<QTableView*>(QStringLiteral("layers"));
    QTRY_VERIFY2_WITH_TIMEOUT(hasLayers(*layers), qPrintable(window.messages()->sentence()), kStartMs);

    const QModelIndex second = layers->model()->index(1, 0);
    click(*layers->viewport(), layers->visualRect(second).center());  // click 2
    const Selection& selection = *window.workbench()->selection();
    QTRY_VERIFY(selection.layers().size() == 1 && !layers->selectionModel()->selectedRows().isEmpty());
    QCOMPARE(layers->selectionModel()->selectedRows().front().data(RunLayerModel::NameRole).toString(),
             selection.layers().front());

    const auto* exports = window.runs()->findChild<QPushButton*>(QStringLiteral("exportRecipe"));
    QTRY_VERIFY_WITH_TIMEOUT(exports->isEnabled(), kStartMs);
    // The dialog runs its own loop, so its button is pressed from inside of it. (A key would need a window manager.)
    QTimer press;
    press.setInterval(500);
    connect(&press, &QTimer::timeout, this, [] {
        const QWidget* dialog = QApplication::activeModalWidget();
        const auto* buttons = dialog ? dialog->findChild<QDialogButtonBox*>() : nullptr;
        const QPushButton* save = buttons ? buttons->button(QDialogButtonBox::Save) : nullptr;
        if (save) click(*save, save->rect().center());
    });
    press.start();
    click(*exports, exports->rect().center());  // click 3
    const QString kwargs = m_home.filePath(QStringLiteral("Octet/hybrid-16.accelerate.json"));
    QTRY_VERIFY2_WITH_TIMEOUT(window.messages()->sentence().contains(kwargs), qPrintable(window.messages()->sentence()),
                              kStartMs);
    press.stop();
    checkExport(kwargs, m_home.filePath(QStringLiteral("Octet/hybrid-16.octet.json")));
    QTRY_VERIFY_WITH_TIMEOUT(allDone(*window.workbench()->project()), kTrainMs);
}

int main(int argc, char** argv) {
    QProcess server;
    const QByteArray display = startServer(server);
    qputenv("QT_QPA_PLATFORM", display.isEmpty() ? "offscreen" : "xcb");
    if (!display.isEmpty()) qputenv("DISPLAY", display);
    int result = 0;
    {
        QApplication application(argc, argv);
        TstRealMouse test;
        result = QTest::qExec(&test, argc, argv);
    }
    server.terminate();
    server.waitForFinished(5'000);
    return result;
}

#include "tst_real_mouse.moc"
