// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/render.h"

#include <fmt/format.h>

#include <QApplication>
#include <QFileInfo>
#include <QImageWriter>
#include <QPixmap>
#include <QSaveFile>
#include <QSettings>
#include <QTemporaryDir>
#include <algorithm>
#include <clocale>

#include "engine/core/result.h"
#include "engine/core/text.h"
#include "ui/recipe/recipe_place.h"
#include "ui/runs/runs_place.h"
#include "ui/shell/main_window.h"
#include "ui/widgets/message_strip.h"
#include "ui/widgets/theme.h"

namespace octet::ui {
namespace {

struct RenderRequest {
    QString what, store, out, recipe;
    QSize size{1280, 800};
    double scale = 1;
    ThemeChoice theme = ThemeChoice::Light;
};

Error usage(const std::string& message, const std::string& hint = "See octet --help.") {
    return {ErrorCode::Usage, message, hint};
}

Result<QSize> sizeFrom(const QString& text) {
    const QStringList parts = text.split(QLatin1Char('x'));
    const QSize size = parts.size() == 2 ? QSize(parts[0].toInt(), parts[1].toInt()) : QSize();
    const bool isUsable = size.width() >= 640 && size.height() >= 480 && size.width() <= 8192 && size.height() <= 8192;
    if (isUsable) return size;
    return usage(fmt::format("--size takes WIDTHxHEIGHT from 640x480 to 8192x8192, not \"{}\".", text.toStdString()),
                 "For example --size 1280x800.");
}

Result<double> scaleFrom(const QString& text) {
    bool isNumber = false;
    const double scale = text.toDouble(&isNumber);
    if (isNumber && scale >= 1 && scale <= 4) return scale;
    return usage(fmt::format("--scale takes a number from 1 to 4, not \"{}\".", text.toStdString()),
                 "For example --scale 2.");
}

Result<ThemeChoice> themeFrom(const QString& text) {
    if (text == QStringLiteral("light")) return ThemeChoice::Light;
    if (text == QStringLiteral("dark")) return ThemeChoice::Dark;
    return usage(fmt::format("--theme is light or dark, not \"{}\".", text.toStdString()));
}

/// Sets one option; the error says what is wrong with it.
Result<void> take(RenderRequest& request, const QString& option, const QString& value) {
    const auto put = [](auto& field, auto parsed) -> Result<void> {
        if (!parsed) return parsed.error();
        field = *parsed;
        return {};
    };
    if (option == QStringLiteral("--size")) return put(request.size, sizeFrom(value));
    if (option == QStringLiteral("--scale")) return put(request.scale, scaleFrom(value));
    if (option == QStringLiteral("--theme")) return put(request.theme, themeFrom(value));
    if (option == QStringLiteral("--store")) return request.store = value, Result<void>();
    if (option == QStringLiteral("--recipe")) return request.recipe = value, Result<void>();
    if (option == QStringLiteral("--out")) return request.out = value, Result<void>();
    if (option == QStringLiteral("--render")) return request.what = value, Result<void>();
    return usage(fmt::format("--render does not know the option \"{}\".", option.toStdString()));
}

Result<RenderRequest> requestFrom(const QStringList& arguments) {
    RenderRequest request;
    for (int i = 0; i < arguments.size(); i += 2) {
        if (i + 1 == arguments.size()) return usage(fmt::format("{} needs a value.", arguments[i].toStdString()));
        if (const auto taken = take(request, arguments[i], arguments[i + 1]); !taken) return taken.error();
    }
    const std::vector<std::string> places{"home", "recipe", "live", "compare"};
    const std::string what = request.what.toStdString();
    if (std::find(places.begin(), places.end(), what) == places.end())
        return usage(fmt::format("--render draws {}, not \"{}\".", fmt::join(places, ", "), what));
    if (request.out.isEmpty()) return usage("--render needs --out FILE.png.");
    const bool needsStore = what == "live" || what == "compare";
    if (needsStore && request.store.isEmpty())
        return usage(fmt::format("--render {} needs --store PROJECT.octet.", what));
    return request;
}

Result<void> showPlace(MainWindow& window, const RenderRequest& request) {
    const bool isRuns = request.what == QStringLiteral("live") || request.what == QStringLiteral("compare");
    if (!request.store.isEmpty() && !window.workbench()->openProject(request.store.toStdString())) {
        return Error{ErrorCode::Unreadable, window.messages()->sentence().toStdString(), ""};
    }
    window.showPlace(isRuns ? QStringLiteral("runs") : request.what);
    if (request.what == QStringLiteral("recipe") && !request.recipe.isEmpty()) {
        window.recipe()->openRecipe(request.recipe);
        if (window.messages()->kind() == MessageStrip::Kind::Error && !window.messages()->isHidden())
            return Error{ErrorCode::Unreadable, window.messages()->sentence().toStdString(), ""};
    }
    if (!isRuns) return {};
    const bool isLive = request.what == QStringLiteral("live");
    window.workbench()->selection()->setPreset(isLive ? ViewPreset::Live : ViewPreset::Compare);
    QCoreApplication::processEvents();  // lays the place out; nothing else runs in this program
    window.runs()->settle();
    return {};
}

Result<void> save(const QPixmap& picture, const QString& path) {
    QSaveFile file(path);
    QImageWriter writer(&file, "png");
    const bool isWritten = file.open(QIODevice::WriteOnly) && writer.write(picture.toImage()) && file.commit();
    if (isWritten) return {};
    const QString why = file.error() != QFileDevice::NoError ? file.errorString() : writer.errorString();
    return Error{ErrorCode::Failed, fmt::format("Can't write {}: {}.", path.toStdString(), why.toStdString()),
                 "Check the folder and its rights."};
}

Result<void> draw(QApplication& application, const RenderRequest& request) {
    applyTheme(application, request.theme);
    MainWindow window;
    window.workbench()->setRemembersProjects(false);
    window.resize(request.size);
    window.show();
    if (const auto shown = showPlace(window, request); !shown) return shown.error();
    window.resize(request.size);
    for (int round = 0; round < 3; ++round)
        QCoreApplication::processEvents();
    if (window.currentPlace() == QStringLiteral("runs")) window.runs()->settle();  // the resize made the tracks stale
    QCoreApplication::processEvents();                                             // shows labels that are new
    return save(window.grab(), request.out);
}

int refuse(const Error& error) {
    fmt::print(stderr, "octet: {}{}{}\n", error.message, error.hint.empty() ? "" : " ", error.hint);
    return exitCodeFor(error.code);
}

}  // namespace

int runRender(const QStringList& arguments) {
    const auto request = requestFrom(arguments);
    if (!request) return refuse(request.error());
    // Both are read when the application is made.
    qputenv("QT_QPA_PLATFORM", "offscreen");
    qputenv("QT_SCALE_FACTOR", QByteArray::number(request->scale));
    int count = 1;
    char name[] = "octet";
    char* names[] = {name, nullptr};
    const QTemporaryDir settings;  // a picture neither shows nor changes what a person's own window remembers
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, settings.path());
    QApplication application(count, names);
    std::setlocale(LC_NUMERIC, "C");
    QApplication::setOrganizationName(QStringLiteral("Octet"));
    QApplication::setApplicationName(QStringLiteral("octet"));
    const auto drawn = draw(application, *request);
    return drawn ? 0 : refuse(drawn.error());
}

}  // namespace octet::ui
