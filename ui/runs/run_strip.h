// SPDX-License-Identifier: GPL-3.0-or-later
// The strip above the tracks: the current run with its state and what can be done with it, and what the x axis counts.
#pragma once

#include <QWidget>

#include "ui/documents/project.h"
#include "ui/documents/selection.h"

class QButtonGroup;
class QHBoxLayout;
class QPushButton;

namespace octet::ui {

class ElidedLabel;
class Pill;

class RunStrip final : public QWidget {
    Q_OBJECT

public:
    explicit RunStrip(Selection* selection, QWidget* parent = nullptr);
    void setProject(Project* project);

signals:
    void commandWanted(store::RunId run, store::CommandVerb verb);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void build();
    void addAxis(QHBoxLayout* layout);
    void showRun();
    void showAxis();

    Selection* m_selection;
    bool m_isTight = false;  // no room for words on the buttons
    Project* m_project = nullptr;
    ElidedLabel* m_name;
    Pill* m_state;
    QPushButton *m_pause, *m_stop, *m_follow;
    QButtonGroup* m_axes;
};

}  // namespace octet::ui
