// SPDX-License-Identifier: GPL-3.0-or-later
// octet: the window. Arguments and wiring only.
//   octet [PROJECT.octet | RECIPE.octet.json]
//   octet --compare         starts the guided comparison at once
//   octet --render ...      draws a place into a file without a display
//   octet --bench           measures start, drawing and following
// OCTET_FIRST_PAINT=1 prints how long the start took; =exit also ends the program then.
#include <fmt/format.h>

#include <QApplication>
#include <QPushButton>
#include <QTimer>
#include <clocale>

#include "engine/core/version.h"
#include "ui/shell/first_paint.h"
#include "ui/shell/home_place.h"
#include "ui/shell/main_window.h"
#include "ui/shell/render.h"
#include "ui/shell/settings.h"
#include "ui/shell/window_bench.h"

namespace {

const QString kCompare = QStringLiteral("--compare");

constexpr const char* kUsage =
    "Usage: octet [PROJECT.octet | RECIPE.octet.json]\n"
    "       octet --compare     starts the guided comparison, HYBRID with E4M3 and a baseline, at once\n"
    "       octet --render home|recipe|live|compare --store P --out FILE.png [--size WxH] [--scale 2] [--theme dark]\n"
    "                      [--recipe preset:NAME or FILE]\n";

QStringList argumentsOf(int argc, char** argv) {
    QStringList list;
    for (int i = 1; i < argc; ++i)
        list << QString::fromLocal8Bit(argv[i]);
    return list;
}

/// Qt aborts without one, so this is asked first.
bool hasDisplay(const QStringList& arguments) {
    if (arguments.contains(QStringLiteral("-platform")) || !qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) return true;
    return !qEnvironmentVariableIsEmpty("DISPLAY") || !qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY");
}

int refuse(const char* sentence) {
    fmt::print(stderr, "octet: {}\n", sentence);
    return 2;
}

void reportFirstPaint(QWidget& window) {
    const QByteArray wish = qgetenv("OCTET_FIRST_PAINT");
    if (wish.isEmpty()) return;
    octet::ui::measureFirstPaint(window, [ends = wish == "exit"](double milliseconds) {
        fmt::print(stderr, "first paint after {:.0f} ms\n", milliseconds);
        if (ends) QCoreApplication::exit(0);
    });
}

int showWindow(int argc, char** argv) {
    QApplication application(argc, argv);
    std::setlocale(LC_NUMERIC, "C");  // files use a dot; QLocale still formats for the screen
    QApplication::setOrganizationName(QStringLiteral("Octet"));
    QApplication::setApplicationName(QStringLiteral("octet"));
    QApplication::setDesktopFileName(QStringLiteral("octet"));
    octet::ui::applyTheme(application, octet::ui::Settings::theme());
    octet::ui::MainWindow window;
    reportFirstPaint(window);
    window.show();
    QStringList files = QApplication::arguments().mid(1);
    if (files.removeAll(kCompare) > 0)
        QTimer::singleShot(0, &window, [&window] { window.home()->compareButton()->click(); });
    if (!files.isEmpty()) QTimer::singleShot(0, &window, [&window, files] { window.openFile(files.constFirst()); });
    return QApplication::exec();
}

}  // namespace

int main(int argc, char** argv) {
    const QStringList arguments = argumentsOf(argc, argv);
    if (arguments.contains(QStringLiteral("--help")) || arguments.contains(QStringLiteral("-h"))) {
        fmt::print("{}{}       octet --version\n", kUsage, octet::ui::kBenchUsage);
        return 0;
    }
    if (arguments.contains(QStringLiteral("--render"))) return octet::ui::runRender(arguments);
    if (arguments.contains(QStringLiteral("--bench"))) return octet::ui::runBench(arguments);
    if (arguments.contains(QStringLiteral("--version"))) {
        fmt::print("octet {}\n", octet::version());
        return 0;
    }
    for (const QString& argument : arguments) {
        if (argument.startsWith(QStringLiteral("--")) && argument != kCompare)
            return refuse("Unknown option; see octet --help.");
    }
    if (!hasDisplay(arguments)) {
        return refuse(
            "There is no display: neither DISPLAY nor WAYLAND_DISPLAY is set. Use octet --render to draw "
            "into a file, or octet-engine to train and compare without a window.");
    }
    return showWindow(argc, argv);
}
