// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/portal_theme.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QFileInfo>

namespace octet::ui {
namespace {

const QString kService = QStringLiteral("org.freedesktop.portal.Desktop");
const QString kPath = QStringLiteral("/org/freedesktop/portal/desktop");
const QString kInterface = QStringLiteral("org.freedesktop.portal.Settings");
const QString kGroup = QStringLiteral("org.freedesktop.appearance");
const QString kKey = QStringLiteral("color-scheme");
constexpr int kPatienceMs = 60;  // before the first paint; a slower portal is heard later
constexpr uint kDark = 1;

/// Asking for a bus that is not there would start dbus-launch.
bool hasSessionBus() {
    if (!qEnvironmentVariableIsEmpty("DBUS_SESSION_BUS_ADDRESS")) return true;
    const QString runtime = qEnvironmentVariable("XDG_RUNTIME_DIR");
    return !runtime.isEmpty() && QFileInfo::exists(runtime + QStringLiteral("/bus"));
}

QDBusMessage question() {
    QDBusMessage message = QDBusMessage::createMethodCall(kService, kPath, kInterface, QStringLiteral("Read"));
    message << kGroup << kKey;
    return message;
}

/// The answer is a variant in a variant.
QVariant unwrapped(QVariant value) {
    while (value.canConvert<QDBusVariant>())
        value = value.value<QDBusVariant>().variant();
    return value;
}

}  // namespace

PortalTheme::PortalTheme(QObject* parent) : QObject(parent) {
    if (!hasSessionBus()) return;
    QDBusConnection bus = QDBusConnection::sessionBus();
    if (!bus.isConnected()) return;
    bus.connect(kService, kPath, kInterface, QStringLiteral("SettingChanged"), this,
                SLOT(settingChanged(QString, QString, QDBusVariant)));
    const QDBusMessage answer = bus.call(question(), QDBus::Block, kPatienceMs);
    if (answer.type() == QDBusMessage::ReplyMessage && !answer.arguments().isEmpty()) {
        m_prefersDark = unwrapped(answer.arguments().constFirst()).toUInt() == kDark;
        return;
    }
    auto* watcher = new QDBusPendingCallWatcher(bus.asyncCall(question()), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this, [this, watcher] {
        const QDBusPendingReply<QDBusVariant> reply = *watcher;
        watcher->deleteLater();
        if (reply.isValid()) take(reply.value().variant());
    });
}

void PortalTheme::settingChanged(const QString& group, const QString& key, const QDBusVariant& value) {
    if (group == kGroup && key == kKey) take(value.variant());
}

void PortalTheme::take(const QVariant& value) {
    const bool dark = unwrapped(value).toUInt() == kDark;
    if (dark == m_prefersDark) return;
    m_prefersDark = dark;
    emit preferenceChanged();
}

}  // namespace octet::ui
