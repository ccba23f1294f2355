// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/close_dialog.h"

#include <QPushButton>

#include "ui/widgets/style_sheet.h"

namespace octet::ui {

CloseDialog::CloseDialog(const QStringList& runs, QWidget* parent)
    : QMessageBox(parent),
      m_keep(addButton(tr("Keep running"), QMessageBox::AcceptRole)),
      m_stop(addButton(tr("Stop training"), QMessageBox::DestructiveRole)) {
    setWindowTitle(tr("Octet"));
    setIcon(QMessageBox::NoIcon);
    setText(runs.size() == 1 ? tr("%1 is still being trained.").arg(runs.front())
                             : tr("%1 are still being trained.").arg(runs.join(QStringLiteral(", "))));
    setInformativeText(
        tr("Training goes on without the window; open the project again to see it. Stopping keeps "
           "everything that is recorded."));
    addButton(QMessageBox::Cancel);
    setStyleProperty(m_keep, "role", QStringLiteral("main"));
    m_keep->setObjectName(QStringLiteral("keep"));
    m_stop->setObjectName(QStringLiteral("stop"));
    setDefaultButton(m_keep);
}

CloseDialog::Choice CloseDialog::ask() {
    exec();
    if (clickedButton() == m_keep) return Choice::KeepRunning;
    return clickedButton() == m_stop ? Choice::Stop : Choice::Cancel;
}

}  // namespace octet::ui
