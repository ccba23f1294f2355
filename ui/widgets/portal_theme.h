// SPDX-License-Identifier: GPL-3.0-or-later
// What the desktop asks for, light or dark, from the settings portal (org.freedesktop.appearance color-scheme) over
// D-Bus. Without a session bus, a portal or an answer in time: light.
#pragma once

#include <QDBusVariant>
#include <QObject>

class QDBusPendingCallWatcher;

namespace octet::ui {

class PortalTheme final : public QObject {
    Q_OBJECT

public:
    explicit PortalTheme(QObject* parent = nullptr);
    [[nodiscard]] bool prefersDark() const { return m_prefersDark; }

signals:
    void preferenceChanged();

private slots:
    void settingChanged(const QString& group, const QString& key, const QDBusVariant& value);

private:
    void take(const QVariant& value);

    bool m_prefersDark = false;
};

}  // namespace octet::ui
