// SPDX-License-Identifier: GPL-3.0-or-later
// A card: frame with a head (title in capitals, one dim line on how to read it, widgets on the right) and a body.
#pragma once

#include <QFrame>

class QHBoxLayout;
class QLabel;
class QVBoxLayout;

namespace octet::ui {

class ElidedLabel;

class Card final : public QFrame {
    Q_OBJECT

public:
    explicit Card(const QString& title, QWidget* parent = nullptr);

    void setTitle(const QString& title);
    void setCaption(const QString& caption);
    /// Puts a widget at the right end of the head.
    void addToHead(QWidget* widget);
    [[nodiscard]] QVBoxLayout* body() const { return m_body; }

private:
    QLabel* m_title;
    ElidedLabel* m_caption;
    QHBoxLayout* m_head;
    QVBoxLayout* m_body;
};

}  // namespace octet::ui
