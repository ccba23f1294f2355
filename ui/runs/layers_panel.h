// SPDX-License-Identifier: GPL-3.0-or-later
// The layers of the current run, worst first. Choosing one (several with Ctrl) puts it into the tracks.
#pragma once

#include <QWidget>

#include "ui/documents/project.h"
#include "ui/documents/selection.h"

class QButtonGroup;
class QTableView;

namespace octet::ui {

class ElidedLabel;
class RunLayerModel;

class LayersPanel final : public QWidget {
    Q_OBJECT

public:
    explicit LayersPanel(Selection* selection, QWidget* parent = nullptr);
    void setProject(Project* project);
    [[nodiscard]] QTableView* table() const { return m_table; }

signals:
    void layerChosen();  // by the person, not by a default

private:
    void build();
    void connectTable();
    void showSelection();
    void takeSelection();

    Selection* m_selection;
    Project* m_project = nullptr;
    RunLayerModel* m_model = nullptr;
    ElidedLabel* m_head;
    QTableView* m_table;
    QButtonGroup* m_operands;
    bool m_isShowing = false;  // the selection is being put into the table
};

}  // namespace octet::ui
