// SPDX-License-Identifier: Apache-2.0
// What a disk holds for sure. SQLite's file layer is wrapped: each sync of a database or WAL remembers the file as it
// is then. After a power loss at the worst moment exactly that is left.
#pragma once

#include <sqlite3.h>

#include <QByteArray>
#include <QDir>
#include <QFile>
#include <map>
#include <string>

namespace disk_shadow {

struct OpenFile {
    std::string name;
    const sqlite3_io_methods* methods = nullptr;
    sqlite3_io_methods shadowed{};
};

struct State {
    sqlite3_vfs vfs{};
    sqlite3_vfs* original = nullptr;
    std::map<sqlite3_file*, OpenFile> open;
    std::map<std::string, QByteArray> synced;
    int syncs = 0;
};

inline State& state() {
    static State all;
    return all;
}

inline int syncShadowed(sqlite3_file* file, int flags) {
    const OpenFile& open = state().open.at(file);
    sqlite3_int64 size = 0;
    open.methods->xFileSize(file, &size);
    QByteArray content(static_cast<qsizetype>(size), '\0');
    open.methods->xRead(file, content.data(), static_cast<int>(size), 0);
    state().synced[open.name] = content;
    ++state().syncs;
    return open.methods->xSync(file, flags);
}

inline int openShadowed(sqlite3_vfs*, sqlite3_filename name, sqlite3_file* file, int flags, int* outFlags) {
    const int code = state().original->xOpen(state().original, name, file, flags, outFlags);
    const bool kept = (flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL)) != 0;
    if (code != SQLITE_OK || !kept || !name) return code;
    OpenFile& open = state().open[file];
    open.name = name;
    open.methods = file->pMethods;
    open.shadowed = *file->pMethods;
    open.shadowed.xSync = &syncShadowed;
    file->pMethods = &open.shadowed;
    return code;
}

/// From now on every connection of this process is watched.
inline void install() {
    State& all = state();
    all.original = sqlite3_vfs_find(nullptr);
    all.vfs = *all.original;
    all.vfs.zName = "octet-disk-shadow";
    all.vfs.xOpen = &openShadowed;
    sqlite3_vfs_register(&all.vfs, 1);
}

/// Syncs of databases and WALs so far.
inline int syncs() {
    return state().syncs;
}

/// Puts the store `path` into `folder` as a power loss now would leave it. @return its path there, "" on failure
inline QString afterPowerLoss(const QString& path, const QString& folder) {
    if (!QDir().mkpath(folder)) return {};
    const QString copy = QDir(folder).filePath(QFileInfo(path).fileName());
    for (const char* suffix : {"", "-wal"}) {
        const auto found = state().synced.find(path.toStdString() + suffix);
        if (found == state().synced.end()) continue;
        QFile file(copy + suffix);
        if (!file.open(QIODevice::WriteOnly) || file.write(found->second) != found->second.size()) return {};
    }
    return copy;
}

}  // namespace disk_shadow
