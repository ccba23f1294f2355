// SPDX-License-Identifier: GPL-3.0-or-later
// What is open and what is being trained: the project, the selection, the worker. The window and its places are views
// of this; nothing here is a widget.
#pragma once

#include <QObject>
#include <QStringList>
#include <memory>

#include "ui/documents/project.h"
#include "ui/documents/selection.h"
#include "ui/shell/worker_launcher.h"

namespace octet::ui {

class Workbench final : public QObject {
    Q_OBJECT

public:
    explicit Workbench(QObject* parent = nullptr);
    ~Workbench() override;

    [[nodiscard]] Project* project() const { return m_project.get(); }  // nullptr: none is open
    [[nodiscard]] Selection* selection() { return &m_selection; }
    [[nodiscard]] WorkerLauncher* launcher() { return &m_launcher; }

    /// On failure what was open stays open.
    bool openProject(const std::filesystem::path& path);
    /// Off: opened projects don't join the recent ones, and no view is kept or put back. For pictures, which leave no
    /// trace in the settings.
    void setRemembersProjects(bool remembers) { m_remembersProjects = remembers; }
    /// What is looked at now stands there again when the project is opened the next time.
    void keepView() const;

    /// Trains into the --store of the arguments, else into the open project, else into today's in ~/Octet.
    bool train(const QStringList& trainArguments);

    /// Visible runs that a living process works on or is about to.
    [[nodiscard]] std::vector<store::RunInfo> liveRuns() const;
    void stopAll();
    /// Pauses the current run, or lets it go on.
    void togglePause();
    void stopCurrentRun();

    /// ~/Octet/<date>.octet
    [[nodiscard]] static std::filesystem::path todaysProject();

signals:
    void projectAboutToChange();  // views let go of the old one
    void projectChanged();
    void trainingBegan();
    void message(const QString& sentence, bool isError);
    void troubleOver();  // what the last message of the project said is past

private:
    void connectProject();
    void send(store::RunId run, store::CommandVerb verb);
    void selectNewestExperiment();
    void keepSelectionValid();
    void takeBegun();
    void reportLostRuns();

    Selection m_selection;
    WorkerLauncher m_launcher;
    std::unique_ptr<Project> m_project;
    bool m_remembersProjects = true;
    std::vector<store::RunId> m_live;  // at the last look
};

}  // namespace octet::ui
