// SPDX-License-Identifier: GPL-3.0-or-later
// The sheet of all shortcuts, made from the action registry.
#pragma once

#include <QDialog>

namespace octet::ui {

class ActionRegistry;

class ShortcutsDialog final : public QDialog {
    Q_OBJECT

public:
    explicit ShortcutsDialog(const ActionRegistry& registry, QWidget* parent = nullptr);
};

}  // namespace octet::ui
