// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/settings.h"

#include <QFileInfo>
#include <QSettings>

namespace octet::ui {
namespace {

constexpr int kRecentLimit = 12;
const QString kTheme = QStringLiteral("theme"), kGeometry = QStringLiteral("window/geometry"),
              kRecent = QStringLiteral("recent"), kGflops = QStringLiteral("measuredGflops");

}  // namespace

ThemeChoice Settings::theme() {
    const QString name = QSettings().value(kTheme).toString();
    if (name == QStringLiteral("light")) return ThemeChoice::Light;
    return name == QStringLiteral("dark") ? ThemeChoice::Dark : ThemeChoice::System;
}

void Settings::setTheme(ThemeChoice choice) {
    const char* name = choice == ThemeChoice::Light ? "light" : choice == ThemeChoice::Dark ? "dark" : "system";
    QSettings().setValue(kTheme, QLatin1String(name));
}

QByteArray Settings::windowGeometry() {
    return QSettings().value(kGeometry).toByteArray();
}

void Settings::setWindowGeometry(const QByteArray& geometry) {
    QSettings().setValue(kGeometry, geometry);
}

QStringList Settings::recentProjects() {
    QStringList paths = QSettings().value(kRecent).toStringList();
    paths.removeIf([](const QString& path) { return !QFileInfo(path).isFile(); });
    return paths;
}

void Settings::addRecentProject(const QString& path) {
    const QString absolute = QFileInfo(path).absoluteFilePath();
    QStringList paths = QSettings().value(kRecent).toStringList();
    paths.removeAll(absolute);
    paths.prepend(absolute);
    QSettings().setValue(kRecent, paths.mid(0, kRecentLimit));
}

void Settings::clearRecentProjects() {
    QSettings().remove(kRecent);
}

double Settings::measuredGflops() {
    return QSettings().value(kGflops).toDouble();
}

void Settings::setMeasuredGflops(double gflops) {
    QSettings().setValue(kGflops, gflops);
}

}  // namespace octet::ui
