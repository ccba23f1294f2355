// SPDX-License-Identifier: Apache-2.0
// What the opening tests stand on: places with other rights and file systems, hashes of a folder, a store to open.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QMap>
#include <QProcess>
#include <QtTest>

#include "engine/store/open_probe.h"
#include "tests/store/sample_run.h"

namespace opening_support {

using namespace octet;
using namespace octet::store;

constexpr int64_t kLocal = 0xEF53;  // ext4

inline OpenProbe readOnlyPlace() {
    return {[](const std::filesystem::path&) { return false; }, [](const std::filesystem::path&) { return kLocal; }};
}

inline OpenProbe networkPlace(int64_t type) {
    return {[](const std::filesystem::path&) { return true; }, [type](const std::filesystem::path&) { return type; }};
}

/// Content of every file in a folder.
inline QMap<QString, QByteArray> contentOf(const QString& folder) {
    QMap<QString, QByteArray> content;
    for (const QString& name : QDir(folder).entryList(QDir::Files)) {
        QFile file(QDir(folder).filePath(name));
        if (!file.open(QIODevice::ReadOnly)) continue;
        content[name] = QCryptographicHash::hash(file.readAll(), QCryptographicHash::Sha256);
    }
    return content;
}

inline void makeStore(const QString& path, int64_t steps = 10) {
    WriterOptions options;
    options.create = true;
    auto writer = std::move(Writer::open(path.toStdString(), options)).value();
    const auto started = sample_run::start(*writer, 3, 2);
    for (int64_t step = 0; step < steps; ++step) {
        writer->append(started->group, sample_run::axes(step), sample_run::values(3, 2, step));
    }
    QVERIFY(writer->endAttempt(started->attempt, RunState::Done));
}

/// Closes without the checkpoint, so that -wal stays as after a crash.
inline void changeLeavingWal(const QString& path, const char* sql) {
    SQLite::Database raw(path.toStdString(), SQLite::OPEN_READWRITE);
    sqlite3_db_config(raw.getHandle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    raw.exec(sql);
}

inline std::string journalMode(const QString& path) {
    SQLite::Database raw(path.toStdString(), SQLite::OPEN_READWRITE, 5000);
    return raw.execAndGet("PRAGMA journal_mode").getString();
}

inline std::string allOf(const Error& error) {
    return error.message + " | " + error.hint;
}

inline QByteArray childSays(const QStringList& arguments) {
    QProcess child;
    child.start(STORE_CHILD, arguments);
    return child.waitForFinished(20000) ? child.readAll().trimmed() : QByteArray("no answer");
}

}  // namespace opening_support
