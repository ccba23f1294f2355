// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/action_registry.h"

#include <QMenu>
#include <QWidget>

namespace octet::ui {

ActionRegistry::ActionRegistry(QWidget* window) : QObject(window), m_window(window) {}

QAction* ActionRegistry::add(const ActionText& text, std::function<void()> work) {
    auto* action = new QAction(text.text, m_window);
    action->setShortcut(text.shortcut);
    action->setShortcutContext(Qt::WindowShortcut);
    m_window->addAction(action);
    connect(action, &QAction::triggered, m_window, [work = std::move(work)] { work(); });
    m_entries.push_back({text.section, action});
    return action;
}

void ActionRegistry::list(const QString& section, QAction* action) {
    m_entries.push_back({section, action});
}

QStringList ActionRegistry::sections() const {
    QStringList names;
    for (const Entry& entry : m_entries) {
        if (!names.contains(entry.section)) names << entry.section;
    }
    return names;
}

void ActionRegistry::fillMenu(QMenu& menu, const QString& section) const {
    for (const Entry& entry : m_entries) {
        if (entry.section == section) menu.addAction(entry.action);
    }
}

}  // namespace octet::ui
