// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/recent_model.h"

#include <QDir>
#include <QFileInfo>
#include <QLocale>

namespace octet::ui {
namespace {

constexpr qsizetype kShown = 12;

QString dayText(const QDateTime& when) {
    const QString time = QLocale().toString(when.time(), QStringLiteral("HH:mm"));
    const qint64 days = when.date().daysTo(QDate::currentDate());
    if (days == 0) return RecentModel::tr("today %1").arg(time);
    if (days == 1) return RecentModel::tr("yesterday %1").arg(time);
    return QLocale().toString(when.date(), QStringLiteral("d MMM yyyy"));
}

/// "~/Octet" for a folder below the home folder.
QString shortFolder(const QString& folder) {
    const QString home = QDir::homePath();
    return folder == home || folder.startsWith(home + QLatin1Char('/')) ? QLatin1Char('~') + folder.mid(home.size())
                                                                        : folder;
}

}  // namespace

void RecentModel::load(const QStringList& opened, const QString& folder) {
    QStringList paths = opened;
    const QFileInfoList others = QDir(folder).entryInfoList({QStringLiteral("*.octet")}, QDir::Files, QDir::Time);
    for (const QFileInfo& other : others) {
        if (!paths.contains(other.absoluteFilePath())) paths << other.absoluteFilePath();
    }
    beginResetModel();
    m_entries.clear();
    for (const QString& path : paths.mid(0, kShown)) {
        const QFileInfo file(path);
        m_entries.push_back(
            {path, file.fileName(), shortFolder(file.absolutePath()), file.size(), file.lastModified()});
    }
    endResetModel();
}

int RecentModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_entries.size());
}

QString RecentModel::detailOf(const Entry& entry) {
    return tr("%1, %2, in %3").arg(dayText(entry.modified), QLocale().formattedDataSize(entry.bytes, 1), entry.folder);
}

QVariant RecentModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const Entry& entry = m_entries[static_cast<size_t>(index.row())];
    switch (role) {
        case Qt::DisplayRole:
            return entry.name;
        case Qt::ToolTipRole:
        case PathRole:
            return entry.path;
        case DetailRole:
            return detailOf(entry);
        case Qt::AccessibleTextRole:
            return tr("%1, %2").arg(entry.name, detailOf(entry));
        default:
            return {};
    }
}

}  // namespace octet::ui
