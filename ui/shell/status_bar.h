// SPDX-License-Identifier: GPL-3.0-or-later
// The 26 px below everything: what the worker does, on which device, how fast, and whether the recording is safe.
#pragma once

#include <QElapsedTimer>
#include <QFrame>
#include <QTimer>

#include "ui/documents/project.h"
#include "ui/documents/selection.h"

namespace octet::ui {

class ElidedLabel;
class StatusDot;

class StatusBar final : public QFrame {
    Q_OBJECT

public:
    explicit StatusBar(Selection* selection, QWidget* parent = nullptr);

    void setProject(Project* project);  // may be nullptr
    void setStarting(bool starting);    // a worker was started and has not begun yet
    void setPlaceText(const QString& text);
    void refresh();

private:
    void showWorker();
    void showSaved();
    [[nodiscard]] const store::RunInfo* shownRun() const;
    [[nodiscard]] std::shared_ptr<const SeriesView> seriesOf(const store::RunInfo& run, const char* statistic) const;
    [[nodiscard]] QString workerText(const store::RunInfo& run) const;
    [[nodiscard]] QString throughputText(const store::RunInfo& run) const;

    Project* m_project = nullptr;
    Selection* m_selection;
    bool m_starting = false;
    bool m_failing = false;
    QElapsedTimer m_sinceSaved;
    QTimer m_timer;
    StatusDot* m_dot;
    ElidedLabel* m_worker;
    ElidedLabel* m_place;
    ElidedLabel* m_device;
    ElidedLabel* m_throughput;
    ElidedLabel* m_saved;
};

}  // namespace octet::ui
