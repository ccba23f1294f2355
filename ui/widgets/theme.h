// SPDX-License-Identifier: GPL-3.0-or-later
// Colours and sizes of the window, light and dark. The application's palette says which of the two is on, so a widget
// asks themeOf(this) whenever it paints and repaints on QEvent::PaletteChange; there is no global theme object.
#pragma once

#include <QColor>
#include <QFont>

class QApplication;
class QWidget;

namespace octet::ui {

struct Theme {
    bool dark = false;
    QColor bg, card, line, ink, dim, faint, accent, accentSoft, accentInk;  // accentInk: text on accent
    QColor ok, okSoft, warn, warnSoft, bad, badSoft, grid, hover, band;
};

enum class ThemeChoice { System, Light, Dark };

[[nodiscard]] const Theme& lightTheme();
[[nodiscard]] const Theme& darkTheme();
[[nodiscard]] const Theme& themeOf(const QWidget* widget);

/// Palette, fonts and style sheet of the whole program. System asks the desktop portal (org.freedesktop.appearance).
void applyTheme(QApplication& application, ThemeChoice choice);

/// Colour of the n-th run: Okabe-Ito, a lighter variant on dark; from the ninth run on colours repeat (with dashes).
[[nodiscard]] QColor runColour(int index, const Theme& theme);
[[nodiscard]] Qt::PenStyle runPenStyle(int index);

[[nodiscard]] QFont textFont();     // Noto Sans 13 px
[[nodiscard]] QFont captionFont();  // 11 px capitals
[[nodiscard]] QFont numberFont();   // JetBrains Mono 12 px, tabular digits

}  // namespace octet::ui
