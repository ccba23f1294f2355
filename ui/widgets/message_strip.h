// SPDX-License-Identifier: GPL-3.0-or-later
// One sentence under the top bar: what went wrong, or what there is to know, and a button that takes it away.
#pragma once

#include <QFrame>

class QLabel;
class QToolButton;

namespace octet::ui {

class MessageStrip final : public QFrame {
    Q_OBJECT

public:
    enum class Kind { Info, Error };

    explicit MessageStrip(QWidget* parent = nullptr);

    void showMessage(const QString& sentence, Kind kind);
    void dismiss();
    [[nodiscard]] QString sentence() const;
    [[nodiscard]] Kind kind() const { return m_kind; }

signals:
    void dismissed();

private:
    Kind m_kind = Kind::Info;
    QLabel* m_icon;
    QLabel* m_text;
    QToolButton* m_close;
};

}  // namespace octet::ui
