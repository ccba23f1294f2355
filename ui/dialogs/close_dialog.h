// SPDX-License-Identifier: GPL-3.0-or-later
// "Keep running or stop?": asked when the window closes while runs are being trained.
#pragma once

#include <QMessageBox>

namespace octet::ui {

class CloseDialog final : public QMessageBox {
    Q_OBJECT

public:
    enum class Choice { KeepRunning, Stop, Cancel };

    /// @param runs  names of the runs that are being trained, at least one
    explicit CloseDialog(const QStringList& runs, QWidget* parent = nullptr);
    [[nodiscard]] Choice ask();

private:
    QPushButton* m_keep;
    QPushButton* m_stop;
};

}  // namespace octet::ui
