// SPDX-License-Identifier: GPL-3.0-or-later
// What the program remembers between starts: theme, window, recent files. (What belongs to a project is in its store.)
#pragma once

#include <QByteArray>
#include <QStringList>

#include "ui/widgets/theme.h"

namespace octet::ui {

struct Settings {
    [[nodiscard]] static ThemeChoice theme();
    static void setTheme(ThemeChoice choice);

    [[nodiscard]] static QByteArray windowGeometry();
    static void setWindowGeometry(const QByteArray& geometry);

    /// Stores that were opened, newest first; those that are gone are left out.
    [[nodiscard]] static QStringList recentProjects();
    static void addRecentProject(const QString& path);
    static void clearRecentProjects();

    /// Speed of training that was measured last on this machine's processor; 0: never.
    [[nodiscard]] static double measuredGflops();
    static void setMeasuredGflops(double gflops);
};

}  // namespace octet::ui
