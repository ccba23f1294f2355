// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/worker_launcher.h"

#include <fmt/format.h>
#include <unistd.h>

#include <QCoreApplication>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QStandardPaths>

#include "engine/store/reader.h"

namespace octet::ui {
namespace {

constexpr int kLookEveryMs = 100;
constexpr int kReadPatienceMs = 20;
constexpr qint64 kTailBytes = 4000;
constexpr int kKeepLogsDays = 7;
const QString kProgram = QStringLiteral("octet-engine");

/// A zombie has ended, too: nobody may be there to collect a detached process.
bool isAlive(qint64 process) {
    QFile stat(QStringLiteral("/proc/%1/stat").arg(process));
    if (!stat.open(QIODevice::ReadOnly)) return false;
    const QByteArray text = stat.readAll();
    const auto name = text.lastIndexOf(')');  // the name in parentheses may hold anything
    const char state = name + 2 < text.size() ? text.at(name + 2) : 'X';
    return state != 'Z' && state != 'X';
}

size_t experimentsIn(const std::filesystem::path& path) {
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) return 0;
    const auto reader = store::Reader::open(path, nullptr, kReadPatienceMs);
    if (!reader) return 0;  // being made
    const auto experiments = (*reader)->experiments();
    return experiments ? experiments->size() : 0;
}

/// Logs of workers that this person started long ago; those of others are not ours to delete.
void deleteOldLogs(const QString& folder) {
    const QDateTime limit = QDateTime::currentDateTime().addDays(-kKeepLogsDays);
    const QDir logs(folder, QStringLiteral("octet-worker-*.log"), QDir::Time, QDir::Files | QDir::NoSymLinks);
    for (const QFileInfo& log : logs.entryInfoList())
        if (log.ownerId() == getuid() && log.lastModified() < limit) QFile::remove(log.absoluteFilePath());
}

/// In the session's own folder, which goes with the session; else with the temporary files.
QString newLogPath() {
    QString folder = qEnvironmentVariable("XDG_RUNTIME_DIR");
    if (folder.isEmpty() || !QFileInfo(folder).isWritable()) folder = QDir::tempPath();
    deleteOldLogs(folder);
    const QString stamp = QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-hhmmss-zzz"));
    return QStringLiteral("%1/octet-worker-%2-%3.log").arg(folder, stamp).arg(QCoreApplication::applicationPid());
}

QString asSentence(const QString& text) {
    static const QString ends = QStringLiteral(".!?");
    return text.isEmpty() || ends.contains(text.back()) ? text : text + QLatin1Char('.');
}

}  // namespace

WorkerLauncher::WorkerLauncher(QObject* parent) : QObject(parent) {
    m_timer.setInterval(kLookEveryMs);
    connect(&m_timer, &QTimer::timeout, this, &WorkerLauncher::look);
}

Result<QString> WorkerLauncher::findWorker(const QString& folder) {
    for (const QString& place : {folder, folder + QStringLiteral("/../app")}) {
        const QFileInfo candidate(place + QLatin1Char('/') + kProgram);
        if (candidate.isFile() && candidate.isExecutable()) return candidate.canonicalFilePath();
    }
    const QString found = QStandardPaths::findExecutable(kProgram);
    if (!found.isEmpty()) return found;
    return Error{ErrorCode::NotFound,
                 fmt::format("No worker program found: octet-engine is neither beside octet in {} nor on the PATH.",
                             folder.toStdString()),
                 "Build or install octet-engine; recorded runs can be read without it."};
}

Result<void> WorkerLauncher::start(const std::filesystem::path& store, const QStringList& trainArguments) {
    if (isStarting()) return Error{ErrorCode::Busy, "The worker is starting already.", "Wait for a moment."};
    const auto program =
        m_worker.isEmpty() ? findWorker(QCoreApplication::applicationDirPath()) : Result<QString>(m_worker);
    if (!program) return program.error();
    m_store = store;
    m_experimentsBefore = experimentsIn(store);
    m_logPath = newLogPath();
    QProcess process;
    process.setProgram(*program);
    // Plain text, not --json: a line every tenth of the way, and a sentence when it fails.
    process.setArguments(QStringList{QStringLiteral("train")} + trainArguments +
                         QStringList{QStringLiteral("--store"), QString::fromStdString(store.string())});
    process.setStandardInputFile(QProcess::nullDevice());
    process.setStandardOutputFile(QProcess::nullDevice());
    process.setStandardErrorFile(m_logPath);
    if (!process.startDetached(&m_processId)) {
        return Error{ErrorCode::Failed,
                     fmt::format("The worker {} did not start: {}.", program->toStdString(),
                                 process.errorString().toStdString()),
                     "Check that it may be executed and that all its libraries are there."};
    }
    m_timer.start();
    return {};
}

void WorkerLauncher::look() {
    // In this order: an experiment that was written just before the end counts.
    const bool alive = isAlive(m_processId);
    if (experimentsIn(m_store) > m_experimentsBefore) {
        finish();
        emit began();
    } else if (!alive) {
        finish();
        emit startFailed(whyItEnded());
    }
}

void WorkerLauncher::finish() {
    m_timer.stop();
}

QString WorkerLauncher::whyItEnded() const {
    const QString words = lastWords();
    if (words.isEmpty())
        return tr("The worker ended before it began, without a word. Was it killed, or out of memory?");
    return tr("The worker ended before it began: %1").arg(asSentence(words));
}

QString WorkerLauncher::lastWords() const {
    QFile log(m_logPath);
    if (m_logPath.isEmpty() || !log.open(QIODevice::ReadOnly)) return {};
    log.seek(qMax<qint64>(0, log.size() - kTailBytes));
    QStringList lines;
    for (const QString& line : QString::fromUtf8(log.readAll()).split(QLatin1Char('\n'), Qt::SkipEmptyParts))
        lines << line.trimmed();
    // An error is "octet-engine: sentence" and perhaps a hint below; other programs (the loader) use one line.
    const QString prefix = kProgram + QStringLiteral(": ");
    for (qsizetype i = lines.size() - 1; i >= 0 && i >= lines.size() - 3; --i) {
        if (lines[i].startsWith(prefix)) return lines.mid(i).join(QLatin1Char(' ')).mid(prefix.size());
    }
    return lines.isEmpty() ? QString() : lines.back();
}

}  // namespace octet::ui
