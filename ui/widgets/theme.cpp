// SPDX-License-Identifier: GPL-3.0-or-later
// Tokens of the two themes (mock.css), the palette made from them, and the palette of the runs.
#include "ui/widgets/theme.h"

#include <QApplication>
#include <QPalette>
#include <QStyleFactory>
#include <QToolTip>
#include <QWidget>
#include <array>

#include "ui/widgets/portal_theme.h"
#include "ui/widgets/style_sheet.h"

namespace octet::ui {
namespace {

constexpr int kTextPx = 13, kCaptionPx = 11, kNumberPx = 12;

Theme makeLight() {
    Theme theme;
    theme.dark = false;
    theme.bg = QColor(0xf6, 0xf7, 0xf9);
    theme.card = QColor(0xff, 0xff, 0xff);
    theme.line = QColor(0xdf, 0xe3, 0xe8);
    theme.ink = QColor(0x1b, 0x24, 0x30);
    theme.dim = QColor(0x66, 0x71, 0x7f);
    theme.faint = QColor(0x6b, 0x76, 0x83);
    theme.accent = QColor(0x25, 0x63, 0xc9);
    theme.accentSoft = QColor(0xe6, 0xee, 0xfb);
    theme.accentInk = QColor(0xff, 0xff, 0xff);
    theme.ok = QColor(0x1a, 0x7f, 0x52);
    theme.okSoft = QColor(0xe3, 0xf4, 0xec);
    theme.warn = QColor(0x9a, 0x58, 0x00);  // one step darker than the mock: 4.5:1 on warnSoft
    theme.warnSoft = QColor(0xfd, 0xf1, 0xdc);
    theme.bad = QColor(0xb3, 0x26, 0x1e);
    theme.badSoft = QColor(0xfb, 0xe6, 0xe4);
    theme.grid = QColor(0xec, 0xef, 0xf3);
    theme.hover = QColor(0xee, 0xf1, 0xf5);
    theme.band = QColor(0x25, 0x63, 0xc9, 0x1a);
    return theme;
}

Theme makeDark() {
    Theme theme;
    theme.dark = true;
    theme.bg = QColor(0x14, 0x18, 0x1d);
    theme.card = QColor(0x1b, 0x20, 0x27);
    theme.line = QColor(0x2c, 0x33, 0x3c);
    theme.ink = QColor(0xe6, 0xea, 0xef);
    theme.dim = QColor(0x98, 0xa3, 0xb0);
    theme.faint = QColor(0x8b, 0x96, 0xa3);
    theme.accent = QColor(0x6a, 0xa5, 0xff);
    theme.accentSoft = QColor(0x1f, 0x2f, 0x47);
    theme.accentInk = QColor(0x0e, 0x13, 0x18);
    theme.ok = QColor(0x56, 0xc5, 0x96);
    theme.okSoft = QColor(0x17, 0x33, 0x2a);
    theme.warn = QColor(0xe8, 0xb4, 0x5a);
    theme.warnSoft = QColor(0x3a, 0x2d, 0x14);
    theme.bad = QColor(0xff, 0x8a, 0x80);
    theme.badSoft = QColor(0x43, 0x21, 0x1f);
    theme.grid = QColor(0x24, 0x2a, 0x32);
    theme.hover = QColor(0x24, 0x2b, 0x34);
    theme.band = QColor(0x6a, 0xa5, 0xff, 0x22);
    return theme;
}

QPalette paletteOf(const Theme& theme) {
    QPalette palette;
    palette.setColor(QPalette::Window, theme.bg);
    palette.setColor(QPalette::Base, theme.card);
    palette.setColor(QPalette::AlternateBase, theme.bg);
    palette.setColor(QPalette::Button, theme.card);
    palette.setColor(QPalette::ToolTipBase, theme.card);
    palette.setColor(QPalette::ToolTipText, theme.ink);
    palette.setColor(QPalette::PlaceholderText, theme.faint);
    palette.setColor(QPalette::Highlight, theme.accentSoft);
    palette.setColor(QPalette::HighlightedText, theme.ink);
    palette.setColor(QPalette::Link, theme.accent);
    palette.setColor(QPalette::LinkVisited, theme.accent);
    palette.setColor(QPalette::Light, theme.card);
    palette.setColor(QPalette::Midlight, theme.hover);
    palette.setColor(QPalette::Mid, theme.line);
    palette.setColor(QPalette::Dark, theme.line);
    palette.setColor(QPalette::Shadow, theme.line);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::BrightText})
        palette.setColor(role, theme.ink);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, theme.faint);
    return palette;
}

QFont withFamilies(const QStringList& families, int pixels) {
    QFont font;
    font.setFamilies(families);
    font.setPixelSize(pixels);
    return font;
}

void show(QApplication& application, const Theme& theme) {
    application.setPalette(paletteOf(theme));
    QToolTip::setPalette(paletteOf(theme));
    application.setStyleSheet(styleSheetOf(theme));
}

}  // namespace

const Theme& lightTheme() {
    static const Theme theme = makeLight();
    return theme;
}

const Theme& darkTheme() {
    static const Theme theme = makeDark();
    return theme;
}

const Theme& themeOf(const QWidget* widget) {
    const QPalette palette = widget ? widget->palette() : QGuiApplication::palette();
    return palette.color(QPalette::Window).lightness() < 128 ? darkTheme() : lightTheme();
}

void applyTheme(QApplication& application, ThemeChoice choice) {
    delete application.findChild<PortalTheme*>(QString(), Qt::FindDirectChildrenOnly);
    application.setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    application.setFont(textFont());
    if (choice != ThemeChoice::System) {
        show(application, choice == ThemeChoice::Dark ? darkTheme() : lightTheme());
        return;
    }
    auto* portal = new PortalTheme(&application);
    show(application, portal->prefersDark() ? darkTheme() : lightTheme());
    QObject::connect(portal, &PortalTheme::preferenceChanged, &application,
                     [&application, portal] { show(application, portal->prefersDark() ? darkTheme() : lightTheme()); });
}

QColor runColour(int index, const Theme& theme) {
    // Okabe-Ito in an order that keeps the first three apart for every reader; grey stands last. Yellow is left out on
    // white (1.3:1) and the pale ones are darkened there: every line has at least 3:1 against its card.
    static const std::array<QColor, 8> light{
        QColor(0x00, 0x72, 0xb2), QColor(0xd5, 0x5e, 0x00), QColor(0x5b, 0x66, 0x73), QColor(0x00, 0x8f, 0x68),
        QColor(0xb8, 0x58, 0x90), QColor(0xa8, 0x78, 0x00), QColor(0x2a, 0x8f, 0xc4), QColor(0x7a, 0x4f, 0xb5)};
    static const std::array<QColor, 8> dark{
        QColor(0x56, 0xb4, 0xe9), QColor(0xf0, 0x89, 0x4a), QColor(0xaa, 0xb4, 0xc0), QColor(0x4f, 0xd0, 0xa6),
        QColor(0xe3, 0x9a, 0xc4), QColor(0xf2, 0xc1, 0x4e), QColor(0x8f, 0xd0, 0xff), QColor(0xb9, 0x9a, 0xf0)};
    const auto at = static_cast<size_t>(index < 0 ? 0 : index) % light.size();
    return theme.dark ? dark[at] : light[at];
}

Qt::PenStyle runPenStyle(int index) {
    constexpr std::array styles{Qt::SolidLine, Qt::DashLine, Qt::DotLine, Qt::DashDotLine};
    return styles[static_cast<size_t>(index < 0 ? 0 : index) / 8 % styles.size()];
}

QFont textFont() {
    return withFamilies(
        {QStringLiteral("Noto Sans"), QStringLiteral("Noto Sans CJK KR"), QStringLiteral("DejaVu Sans")}, kTextPx);
}

QFont captionFont() {
    QFont font = textFont();
    font.setPixelSize(kCaptionPx);
    font.setWeight(QFont::DemiBold);
    font.setCapitalization(QFont::AllUppercase);
    font.setLetterSpacing(QFont::PercentageSpacing, 104);
    return font;
}

QFont numberFont() {
    QFont font = withFamilies({QStringLiteral("JetBrains Mono"), QStringLiteral("Noto Sans Mono"),
                               QStringLiteral("DejaVu Sans Mono"), QStringLiteral("Noto Sans CJK KR")},
                              kNumberPx);
    font.setStyleHint(QFont::Monospace);
    font.setFixedPitch(true);
    return font;
}

}  // namespace octet::ui
