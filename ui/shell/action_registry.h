// SPDX-License-Identifier: GPL-3.0-or-later
// Every command of the window once: menus, shortcuts and the shortcuts sheet are made from this list.
#pragma once

#include <QAction>
#include <QKeySequence>
#include <QObject>
#include <functional>
#include <vector>

class QMenu;

namespace octet::ui {

struct ActionText {
    QString section;  // menu and heading of the sheet
    QString text;
    QKeySequence shortcut;  // may be empty
};

class ActionRegistry final : public QObject {
    Q_OBJECT

public:
    struct Entry {
        QString section;
        QAction* action;
    };

    /// The action belongs to `window`, where its shortcut holds, and runs `work`.
    explicit ActionRegistry(QWidget* window);
    QAction* add(const ActionText& text, std::function<void()> work);

    /// Lists an action that a place owns and has wired itself.
    void list(const QString& section, QAction* action);

    [[nodiscard]] const std::vector<Entry>& entries() const { return m_entries; }
    [[nodiscard]] QStringList sections() const;
    /// Adds the visible actions of a section to a menu.
    void fillMenu(QMenu& menu, const QString& section) const;

private:
    QWidget* m_window;
    std::vector<Entry> m_entries;
};

}  // namespace octet::ui
