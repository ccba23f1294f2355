// SPDX-License-Identifier: GPL-3.0-or-later
// Projects to open again: those opened last, then others in ~/Octet, newest first. Looks at names, sizes and times
// only.
#pragma once

#include <QAbstractListModel>
#include <QDateTime>
#include <vector>

namespace octet::ui {

class RecentModel final : public QAbstractListModel {
    Q_OBJECT

public:
    enum Role { PathRole = Qt::UserRole, DetailRole };  // DetailRole: "today 14:02, 4.1 MB"

    using QAbstractListModel::QAbstractListModel;

    /// @param opened  paths, newest first; @param folder  its *.octet files follow
    void load(const QStringList& opened, const QString& folder);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;

private:
    struct Entry {
        QString path, name, folder;
        qint64 bytes = 0;
        QDateTime modified;
    };
    [[nodiscard]] static QString detailOf(const Entry& entry);

    std::vector<Entry> m_entries;
};

}  // namespace octet::ui
