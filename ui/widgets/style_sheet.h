// SPDX-License-Identifier: GPL-3.0-or-later
// The style sheet of all standard widgets in one theme. Widgets opt into variants by dynamic properties:
// QPushButton/QToolButton "role" = "main" | "quiet" | "tab" | "segment"; QLabel "role" = "dim" | "caption" | "bad";
// QLineEdit, QComboBox, QSpinBox "invalid" = true.
#pragma once

#include <QString>

class QWidget;

namespace octet::ui {

struct Theme;

[[nodiscard]] QString styleSheetOf(const Theme& theme);

/// Sets a property that the style sheet looks at, and styles the widget again.
void setStyleProperty(QWidget* widget, const char* name, const QVariant& value);

}  // namespace octet::ui
