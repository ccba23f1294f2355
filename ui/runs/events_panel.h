// SPDX-License-Identifier: GPL-3.0-or-later
// What happened in the runs of the experiment, one sentence each. Choosing one puts the crosshair on its step.
#pragma once

#include <QWidget>

#include "ui/documents/project.h"
#include "ui/documents/selection.h"

class QLabel;
class QListView;

namespace octet::ui {

class EventModel;

class EventsPanel final : public QWidget {
    Q_OBJECT

public:
    explicit EventsPanel(Selection* selection, QWidget* parent = nullptr);
    void setProject(Project* project);

signals:
    void eventChosen(store::RunId run, double step, const QString& layer);

private:
    void showWhetherEmpty();

    Selection* m_selection;
    EventModel* m_model = nullptr;
    QLabel* m_empty;
    QListView* m_list;
};

}  // namespace octet::ui
