// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/window_bench.h"

#include <fmt/format.h>
#include <malloc.h>

#include <QApplication>
#include <QFile>
#include <QProcess>
#include <QSettings>
#include <QTemporaryDir>
#include <QTimer>
#include <algorithm>
#include <clocale>
#include <memory>
#include <optional>

#include "engine/core/json.h"
#include "engine/core/result.h"
#include "ui/plots/plot_bench.h"
#include "ui/runs/runs_place.h"
#include "ui/shell/growing_store.h"
#include "ui/shell/loop_watch.h"
#include "ui/shell/main_window.h"
#include "ui/widgets/message_strip.h"
#include "ui/widgets/theme.h"

namespace octet::ui {
namespace {

constexpr int kStarts = 5, kStartLimitMs = 60'000;
constexpr double kFirstPaintBudgetMs = 500, kFollowFrameBudgetMs = 50, kWarmUpShare = 0.25, kWarmUpLeastS = 5;
const QStringList kNames{QStringLiteral("first_paint"), QStringLiteral("frame"), QStringLiteral("overview"),
                         QStringLiteral("follow")};

struct BenchRequest {
    bool json = false;
    QStringList only = kNames;
    double seconds = 10;
    int64_t overviewSamples = 100'000'000;
    [[nodiscard]] bool wants(const char* name) const { return only.contains(QLatin1String(name)); }
};

struct BenchFigure {
    std::string name;
    double value = 0;
    std::string unit;
    double ratio = 0;     // of the budget
    std::string against;  // the budget, and what was measured
};
using Figures = std::vector<BenchFigure>;

Error usage(const std::string& message) {
    return {ErrorCode::Usage, message, "See octet --help."};
}

Result<double> positive(const QString& option, const QString& value) {
    bool isNumber = false;
    const double number = value.toDouble(&isNumber);
    if (isNumber && number > 0 && number <= 1e9) return number;
    return usage(fmt::format("{} takes a number above 0, not \"{}\".", option.toStdString(), value.toStdString()));
}

Result<void> take(BenchRequest& request, const QString& option, const QString& value) {
    if (option == QStringLiteral("--only")) {
        request.only = value.split(QLatin1Char(','));
        for (const QString& name : request.only)
            if (!kNames.contains(name))
                return usage(fmt::format("--only knows {}, not \"{}\".",
                                         kNames.join(QStringLiteral(", ")).toStdString(), name.toStdString()));
        return {};
    }
    const bool isKnown = option == QStringLiteral("--seconds") || option == QStringLiteral("--minutes") ||
                         option == QStringLiteral("--overview-samples");
    if (!isKnown) return usage(fmt::format("--bench does not know the option \"{}\".", option.toStdString()));
    const auto number = positive(option, value);
    if (!number) return number.error();
    if (option == QStringLiteral("--overview-samples"))
        request.overviewSamples = static_cast<int64_t>(*number);
    else
        request.seconds = option == QStringLiteral("--minutes") ? *number * 60 : *number;
    return {};
}

Result<BenchRequest> requestFrom(QStringList arguments) {
    BenchRequest request;
    arguments.removeAll(QStringLiteral("--bench"));
    request.json = arguments.removeAll(QStringLiteral("--json")) > 0;
    for (int i = 0; i < arguments.size(); i += 2) {
        if (i + 1 == arguments.size()) return usage(fmt::format("{} needs a value.", arguments[i].toStdString()));
        if (const auto taken = take(request, arguments[i], arguments[i + 1]); !taken) return taken.error();
    }
    return request;
}

BenchFigure milliseconds(const char* name, double value, double budget, const std::string& what) {
    return {name, value, "ms", value / budget, fmt::format("budget {} ms; {}", budget, what)};
}

/// Anonymous memory of this process: what it has allocated and not given back.
double memoryMiB() {
    malloc_trim(0);
    QFile status(QStringLiteral("/proc/self/status"));
    if (!status.open(QIODevice::ReadOnly)) return 0;
    for (const QByteArray& line : status.readAll().split('\n'))
        if (line.startsWith("RssAnon:")) return line.mid(8).trimmed().split(' ').front().toDouble() / 1024;
    return 0;
}

/// One start of this program, ended behind its first paint.
std::optional<double> oneStart() {
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("OCTET_FIRST_PAINT"), QStringLiteral("exit"));
    environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QGuiApplication::platformName());
    process.setProcessEnvironment(environment);
    process.start(QCoreApplication::applicationFilePath(), {});
    if (!process.waitForFinished(kStartLimitMs) || process.exitCode() != 0) return {};
    static const QByteArray kBefore = "first paint after ";
    const QByteArray words = process.readAllStandardError();
    const auto at = words.indexOf(kBefore);
    if (at < 0) return {};
    return words.mid(at + kBefore.size()).split(' ').front().toDouble();
}

Result<void> benchFirstPaint(Figures& figures) {
    std::vector<double> times;
    for (int start = 0; start < kStarts; ++start) {
        const auto time = oneStart();
        if (!time) return Error{ErrorCode::Failed, "The program did not show its window when it was started.", ""};
        times.push_back(*time);
    }
    std::ranges::sort(times);
    figures.push_back(milliseconds("first_paint", times[times.size() / 2], kFirstPaintBudgetMs,
                                   fmt::format("median of {} starts, worst {:.0f} ms", kStarts, times.back())));
    return {};
}

void addPlots(Figures& figures, const std::vector<PlotFigure>& measured) {
    for (const PlotFigure& one : measured)
        figures.push_back(milliseconds(one.name.toStdString().c_str(), one.median, one.budget,
                                       fmt::format("{}; worst {:.1f} ms", one.what.toStdString(), one.worst)));
}

/// Runs the event loop; half of the time Live is shown, then Compare.
void followFor(MainWindow& window, double seconds, LoopWatch& watch, double& memoryWarm) {
    const double warmUp = std::min(seconds / 2, std::max(kWarmUpLeastS, kWarmUpShare * seconds));
    const auto at = [](double when, QObject* context, auto work) {
        QTimer::singleShot(static_cast<int>(when * 1000), Qt::PreciseTimer, context, work);
    };
    at(warmUp * 0.5, &window, [&window] { window.workbench()->selection()->setPreset(ViewPreset::Compare); });
    at(warmUp * 0.75, &window, [&window] { window.workbench()->selection()->setPreset(ViewPreset::Live); });
    at(warmUp, &window, [&] {
        memoryWarm = memoryMiB();
        watch.reset();
    });
    at((warmUp + seconds) / 2, &window, [&window] { window.workbench()->selection()->setPreset(ViewPreset::Compare); });
    at(seconds, &window, [] { QCoreApplication::exit(0); });  // quit() would ask whether to keep running
    QCoreApplication::exec();
}

Result<void> benchFollow(LoopWatch& watch, const GrowingStore& store, double seconds, Figures& figures) {
    if (!store.isWriting()) return Error{ErrorCode::Failed, "The store that should grow could not be written.", ""};
    MainWindow window;
    window.workbench()->setRemembersProjects(false);
    window.resize(1280, 800);
    window.show();
    if (!window.workbench()->openProject(store.path()))
        return Error{ErrorCode::Unreadable, window.messages()->sentence().toStdString(), ""};
    window.showPlace(QStringLiteral("runs"));
    double memoryWarm = 0;
    followFor(window, seconds, watch, memoryWarm);
    const double memory = memoryMiB();
    const store::RunInfo run = window.workbench()->project()->runs().front();
    const auto loss = window.workbench()->project()->series(run.id, {"", "", "", "loss", ""});
    const std::string what =
        fmt::format("{} series, {} steps in {:.0f} s", store.seriesCount(), loss ? loss->size() : 0, seconds);
    figures.push_back(
        milliseconds("follow.frame", watch.worstMs(), kFollowFrameBudgetMs, what + ", longest event on the clock"));
    figures.push_back(milliseconds("follow.frame.processor", watch.worstProcessorMs(), kFollowFrameBudgetMs,
                                   what + ", longest event in processor time"));
    figures.push_back({"follow.memory", memory - memoryWarm, "MiB", memoryWarm > 0 ? memory / memoryWarm : 0,
                       fmt::format("{:.1f} MiB after the warm-up; {}", memoryWarm, what)});
    figures.push_back({"follow.steps", static_cast<double>(loss ? loss->size() : 0), "steps",
                       loss ? static_cast<double>(loss->size()) / (seconds * kGrowingStepsPerSecond) : 0,
                       fmt::format("{} steps a second were written", kGrowingStepsPerSecond)});
    return {};
}

void print(const Figures& figures, bool json) {
    if (!json) {
        for (const BenchFigure& one : figures)
            fmt::print("{:24} {:10.2f} {:6} ratio {:5.2f}  {}\n", one.name, one.value, one.unit, one.ratio,
                       one.against);
        return;
    }
    Json list = Json::array();
    for (const BenchFigure& one : figures)
        list.push_back({{"name", one.name},
                        {"value", jsonNumber(one.value)},
                        {"unit", one.unit},
                        {"ratio", jsonNumber(one.ratio)},
                        {"against", one.against}});
    fmt::print("{}\n", Json{{"results", list}}.dump());
}

int refuse(const Error& error) {
    fmt::print(stderr, "octet: {}{}{}\n", error.message, error.hint.empty() ? "" : " ", error.hint);
    return exitCodeFor(error.code);
}

Result<Figures> measure(LoopWatch& application, const BenchRequest& request, std::unique_ptr<GrowingStore> store) {
    Figures figures;
    if (store) {
        if (const auto done = benchFollow(application, *store, request.seconds, figures); !done) return done.error();
        store.reset();  // its writer would disturb what follows
    }
    if (request.wants("first_paint"))
        if (const auto done = benchFirstPaint(figures); !done) return done.error();
    if (request.wants("frame")) addPlots(figures, benchFrames());
    if (request.wants("overview")) addPlots(figures, benchOverview(request.overviewSamples));
    return figures;
}

}  // namespace

int runBench(const QStringList& arguments) {
    const auto request = requestFrom(arguments);
    if (!request) return refuse(request.error());
    const QTemporaryDir folder;
    std::unique_ptr<GrowingStore> store;
    if (request->wants("follow"))
        store = std::make_unique<GrowingStore>(folder.filePath(QStringLiteral("growing.octet")).toStdString());
    const bool hasDisplay = !qEnvironmentVariableIsEmpty("DISPLAY") || !qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY");
    if (!hasDisplay && qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    int count = 1;
    char name[] = "octet";
    char* names[] = {name, nullptr};
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, folder.path());
    LoopWatch application(count, names);
    std::setlocale(LC_NUMERIC, "C");
    QApplication::setOrganizationName(QStringLiteral("Octet"));
    QApplication::setApplicationName(QStringLiteral("octet"));
    applyTheme(application, ThemeChoice::Light);
    const auto figures = measure(application, *request, std::move(store));
    if (!figures) return refuse(figures.error());
    print(*figures, request->json);
    return 0;
}

}  // namespace octet::ui
