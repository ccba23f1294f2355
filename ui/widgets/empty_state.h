// SPDX-License-Identifier: GPL-3.0-or-later
// What stands where nothing is yet: a sentence on what will appear here, and the one button that makes it appear.
#pragma once

#include <QWidget>

class QLabel;
class QPushButton;

namespace octet::ui {

class EmptyState final : public QWidget {
    Q_OBJECT

public:
    /// @param button  no button when empty
    explicit EmptyState(const QString& sentence, const QString& button = {}, QWidget* parent = nullptr);

    void setSentence(const QString& sentence);
    [[nodiscard]] QPushButton* button() const { return m_button; }  // nullptr: none

signals:
    void clicked();

private:
    QLabel* m_sentence;
    QPushButton* m_button;
};

}  // namespace octet::ui
