// SPDX-License-Identifier: GPL-3.0-or-later
// The few kinds of text that the cards of the Recipe place are made of.
#pragma once

#include <QString>

class QFrame;
class QLabel;
class QPushButton;
class QScrollArea;
class QWidget;

namespace octet::ui {

[[nodiscard]] QLabel* dimLabel(const QString& text, QWidget* parent);
[[nodiscard]] QLabel* helpLabel(const QString& text, QWidget* parent);  // small, dim, wrapped
[[nodiscard]] QLabel* wrappedLabel(const QString& text, QWidget* parent);
[[nodiscard]] QLabel* captionLabel(const QString& text, QWidget* parent);
[[nodiscard]] QFrame* hairline(QWidget* parent);

/// A scroll area that shows the card through; its page scrolls up and down only.
[[nodiscard]] QScrollArea* pageScroll(QWidget* page, QWidget* parent);

/// One of several buttons in a row of which one is down.
enum class Edge { First, Middle, Last };
[[nodiscard]] QPushButton* segmentButton(const QString& text, Edge edge, QWidget* parent);

}  // namespace octet::ui
