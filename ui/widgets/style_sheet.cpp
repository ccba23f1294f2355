// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/style_sheet.h"

#include <QStyle>
#include <QVariant>
#include <QWidget>

#include "ui/widgets/theme.h"

namespace octet::ui {
namespace {

// @name stands for a colour of Theme; longer names are replaced first.
const char* const kButtons = R"(
QPushButton, QToolButton { background: @card; color: @ink; border: 1px solid @line; border-radius: 6px; padding: 4px 10px; }
QPushButton:hover, QToolButton:hover { background: @hover; }
QPushButton:pressed, QToolButton:pressed { background: @line; }
QPushButton:disabled, QToolButton:disabled { color: @faint; background: @bg; }
QPushButton:focus, QToolButton:focus { border-color: @accent; }
QPushButton:checked, QToolButton:checked { background: @accentSoft; color: @accent; }
QPushButton[role="main"] { background: @accent; border-color: @accent; color: @accentInk; font-weight: 600; }
QPushButton[role="main"]:hover { background: @mainHover; }
QPushButton[role="main"]:focus { border: 2px solid @ink; padding: 3px 9px; }
QPushButton[role="main"]:disabled { background: @hover; border-color: @line; color: @faint; }
QPushButton[role="quiet"], QToolButton[role="quiet"] { background: transparent; border-color: transparent; color: @dim; padding: 3px; }
QPushButton[role="quiet"]:hover, QToolButton[role="quiet"]:hover { background: @hover; color: @ink; }
QPushButton[role="quiet"]:checked, QToolButton[role="quiet"]:checked { background: @accentSoft; color: @accent; }
QPushButton[role="quiet"]:focus, QToolButton[role="quiet"]:focus { border-color: @accent; }
QPushButton[role="tab"], QToolButton[role="tab"] { background: transparent; border-color: transparent; color: @dim; padding: 5px 12px; }
QPushButton[role="tab"]:hover, QToolButton[role="tab"]:hover { background: @hover; color: @ink; }
QPushButton[role="tab"]:checked, QToolButton[role="tab"]:checked { background: @accentSoft; color: @accent; font-weight: 600; }
QPushButton[role="tab"]:focus, QToolButton[role="tab"]:focus { border-color: @accent; }
QPushButton[role="segment"], QToolButton[role="segment"] { color: @dim; border-radius: 0; padding: 4px 12px; margin-left: -1px; }
QPushButton[role="segment"][edge="first"] { border-top-left-radius: 6px; border-bottom-left-radius: 6px; margin-left: 0; }
QPushButton[role="segment"][edge="last"] { border-top-right-radius: 6px; border-bottom-right-radius: 6px; }
QPushButton[role="segment"]:checked { background: @accentSoft; color: @accent; font-weight: 600; }
QToolButton::menu-indicator { image: none; }
)";

const char* const kInputs = R"(
QLineEdit, QAbstractSpinBox, QComboBox { background: @bg; color: @ink; border: 1px solid @line; border-radius: 6px; padding: 3px 8px; min-height: 18px; selection-background-color: @accentSoft; selection-color: @ink; }
QPlainTextEdit, QTextEdit, QTextBrowser { background: @bg; color: @ink; border: 1px solid @line; border-radius: 6px; padding: 4px; selection-background-color: @accentSoft; selection-color: @ink; }
QLineEdit:focus, QAbstractSpinBox:focus, QComboBox:focus, QPlainTextEdit:focus, QTextEdit:focus { border-color: @accent; }
QLineEdit:disabled, QAbstractSpinBox:disabled, QComboBox:disabled { color: @faint; }
QLineEdit[invalid="true"], QAbstractSpinBox[invalid="true"], QComboBox[invalid="true"] { border-color: @bad; }
QComboBox { padding-right: 2px; }
QComboBox::drop-down { border: 0; width: 22px; }
QComboBox::down-arrow { image: url(:/icons/chevron-down.svg); width: 12px; height: 12px; }
QComboBox QAbstractItemView { background: @card; border: 1px solid @line; padding: 2px; outline: 0; }
QComboBox QAbstractItemView::item { min-height: 24px; padding: 0 6px; }
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button { border: 0; background: transparent; width: 16px; }
QAbstractSpinBox::up-arrow { image: url(:/icons/chevron-up.svg); width: 9px; height: 9px; }
QAbstractSpinBox::down-arrow { image: url(:/icons/chevron-down.svg); width: 9px; height: 9px; }
QCheckBox, QRadioButton { color: @ink; spacing: 6px; background: transparent; border: 1px solid transparent; border-radius: 4px; padding: 1px; }
QCheckBox:focus, QRadioButton:focus { border-color: @accent; }
QCheckBox:disabled, QRadioButton:disabled { color: @faint; }
QCheckBox::indicator, QRadioButton::indicator, QAbstractItemView::indicator { width: 13px; height: 13px; border: 1px solid @faint; border-radius: 3px; background: @bg; }
QRadioButton::indicator { border-radius: 7px; }
QCheckBox::indicator:checked, QAbstractItemView::indicator:checked { background: @accent; border-color: @accent; image: url(:/icons/check-@theme.svg); }
QCheckBox::indicator:indeterminate { background: @accentSoft; border-color: @accent; }
QRadioButton::indicator:checked { background: @accent; border: 3px solid @bg; outline: 1px solid @accent; }
QSlider::groove:horizontal { height: 4px; background: @line; border-radius: 2px; }
QSlider::handle:horizontal { width: 14px; height: 14px; margin: -5px 0; border-radius: 7px; background: @accent; }
QProgressBar { background: @hover; border: 0; border-radius: 3px; max-height: 6px; min-height: 6px; }
QProgressBar::chunk { background: @accent; border-radius: 3px; }
)";

const char* const kViews = R"(
QAbstractItemView { background: @card; color: @ink; border: 0; outline: 0; selection-background-color: @accentSoft; selection-color: @ink; alternate-background-color: @bg; }
QTableView { gridline-color: @grid; }
QAbstractItemView::item:hover { background: @hover; }
QAbstractItemView::item:selected { background: @accentSoft; color: @ink; }
QTableView:focus, QTreeView:focus, QListView:focus { border: 1px solid @accent; }
QTableView, QTreeView, QListView { border: 1px solid transparent; }
QHeaderView { background: @card; border: 0; }
QHeaderView::section { background: @card; color: @dim; border: 0; border-bottom: 1px solid @grid; padding: 3px 6px; }
QTableCornerButton::section { background: @card; border: 0; }
QTreeView::branch { background: @card; border-image: none; image: none; }
QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: @line; border-radius: 3px; margin: 2px; }
QScrollBar::handle:vertical { min-height: 24px; }
QScrollBar::handle:horizontal { min-width: 24px; }
QScrollBar::handle:hover { background: @faint; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QScrollArea { border: 0; background: transparent; }
QSplitter::handle { background: transparent; }
QSplitter::handle:hover { background: @line; }
)";

const char* const kFrames = R"(
QToolTip { background: @card; color: @ink; border: 1px solid @line; padding: 4px 6px; }
QMenu { background: @card; color: @ink; border: 1px solid @line; padding: 4px; }
QMenu::item { padding: 5px 22px 5px 12px; border-radius: 4px; }
QMenu::item:selected { background: @accentSoft; color: @ink; }
QMenu::item:disabled { color: @faint; }
QMenu::separator { height: 1px; background: @line; margin: 4px 8px; }
QMenu::icon { padding-left: 8px; }
QMenu::indicator { width: 12px; height: 12px; left: 5px; }
QMenu::indicator:checked { image: url(:/icons/check-@ontheme.svg); }
QTabWidget::pane { border: 0; }
QTabBar { background: transparent; }
QTabBar::tab { background: transparent; color: @dim; border: 1px solid transparent; border-radius: 6px; padding: 4px 10px; margin-right: 2px; }
QTabBar::tab:hover { background: @hover; color: @ink; }
QTabBar::tab:selected { background: @accentSoft; color: @accent; }
QTabBar::tab:focus { border-color: @accent; }
QGroupBox { border: 1px solid @line; border-radius: 8px; margin-top: 8px; padding: 8px; }
QGroupBox::title { subcontrol-origin: margin; left: 10px; color: @dim; }
QLabel { background: transparent; }
QLabel[role="dim"] { color: @dim; }
QLabel[role="caption"] { color: @dim; }
QLabel[role="bad"] { color: @bad; }
QLabel[role="ok"] { color: @ok; }
QLabel[role="warn"] { color: @warn; }
QDialog, QMessageBox { background: @card; }
QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }
QFrame[role="card"] { background: @card; border: 1px solid @line; border-radius: 8px; }
QFrame[role="message"] { background: @accentSoft; border: 0; border-bottom: 1px solid @line; }
QFrame[role="message"][kind="error"] { background: @badSoft; }
QFrame[role="bar"] { background: @card; border: 0; }
QFrame[role="hairline"] { background: @line; border: 0; max-height: 1px; min-height: 1px; }
QFrame[role="side"] { background: @card; border: 0; border-right: 1px solid @line; }
)";

void replaceAll(QString& text, const char* name, const QColor& colour) {
    text.replace(QLatin1Char('@') + QLatin1String(name), colour.name(QColor::HexRgb));
}

}  // namespace

QString styleSheetOf(const Theme& theme) {
    QString sheet;
    for (const char* part : {kButtons, kInputs, kViews, kFrames})
        sheet += QLatin1String(part);
    // The check mark of a menu stands on the card, that of a box on the accent.
    sheet.replace(QStringLiteral("@ontheme"), theme.dark ? QStringLiteral("light") : QStringLiteral("dark"));
    sheet.replace(QStringLiteral("@theme"), theme.dark ? QStringLiteral("dark") : QStringLiteral("light"));
    replaceAll(sheet, "mainHover", theme.dark ? theme.accent.lighter(108) : theme.accent.darker(110));
    replaceAll(sheet, "accentSoft", theme.accentSoft);
    replaceAll(sheet, "accentInk", theme.accentInk);
    replaceAll(sheet, "accent", theme.accent);
    replaceAll(sheet, "badSoft", theme.badSoft);
    const std::pair<const char*, QColor> rest[] = {{"card", theme.card}, {"line", theme.line},   {"ink", theme.ink},
                                                   {"dim", theme.dim},   {"faint", theme.faint}, {"hover", theme.hover},
                                                   {"grid", theme.grid}, {"bad", theme.bad},     {"ok", theme.ok},
                                                   {"warn", theme.warn}, {"bg", theme.bg}};
    for (const auto& [name, colour] : rest)
        replaceAll(sheet, name, colour);
    return sheet;
}

void setStyleProperty(QWidget* widget, const char* name, const QVariant& value) {
    if (widget->property(name) == value) return;
    widget->setProperty(name, value);
    widget->style()->unpolish(widget);
    widget->style()->polish(widget);
    widget->update();
}

}  // namespace octet::ui
