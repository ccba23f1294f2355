// SPDX-License-Identifier: GPL-3.0-or-later
// Starts `octet-engine train` as a detached process that outlives the window, and watches it until its experiment
// stands in the store. What goes wrong after that the store itself says (an interrupted run).
#pragma once

#include <QObject>
#include <QTimer>
#include <filesystem>

#include "engine/core/result.h"

namespace octet::ui {

class WorkerLauncher final : public QObject {
    Q_OBJECT

public:
    explicit WorkerLauncher(QObject* parent = nullptr);

    /// octet-engine in `folder` (where octet is), in its ../app, or on the PATH; NotFound with a sentence otherwise.
    [[nodiscard]] static Result<QString> findWorker(const QString& folder);
    /// Uses this program instead of looking for one.
    void setWorker(const QString& program) { m_worker = program; }

    /// Starts training into `store`, which is made when it is not there. One start at a time.
    /// @param trainArguments  of octet-engine train, without --store
    [[nodiscard]] Result<void> start(const std::filesystem::path& store, const QStringList& trainArguments);
    [[nodiscard]] bool isStarting() const { return m_timer.isActive(); }
    [[nodiscard]] qint64 processId() const { return m_processId; }  // of the worker started last
    [[nodiscard]] const std::filesystem::path& store() const { return m_store; }

    /// What the worker wrote last, for a message about a run it left behind.
    [[nodiscard]] QString lastWords() const;

signals:
    void began();  // a new experiment is in the store
    void startFailed(const QString& sentence);

private:
    void look();
    void finish();
    [[nodiscard]] QString whyItEnded() const;

    QString m_worker, m_logPath;
    std::filesystem::path m_store;
    qint64 m_processId = 0;
    size_t m_experimentsBefore = 0;
    QTimer m_timer;
};

}  // namespace octet::ui
