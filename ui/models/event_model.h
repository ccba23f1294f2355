// SPDX-License-Identifier: GPL-3.0-or-later
// What happened in the runs of the selected experiment, by step: cold start, NaN, recipe changes, pauses, ends.
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "ui/documents/project.h"
#include "ui/documents/selection.h"

namespace octet::ui {

class EventModel final : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { StepColumn, RunColumn, SentenceColumn, ColumnCount };
    enum Role {
        RunIdRole = Qt::UserRole,  // qlonglong
        StepRole,                  // double
        LayerRole,                 // QString, may be empty
        KindRole,                  // store::EventKind as int
        ToneRole,                  // Tone as int
        ColourIndexRole,           // of the run
    };

    EventModel(Project* project, Selection* selection, QObject* parent = nullptr);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Row {
        store::RunId run;
        QString runName;
        int colourIndex = 0;
        size_t number = 0;  // within its run
        store::Event event;
    };

    [[nodiscard]] std::vector<Row> rowsNow() const;
    void reload();
    void refresh();
    [[nodiscard]] static QVariant display(const Row& row, int column);

    Project* m_project;
    Selection* m_selection;
    std::vector<Row> m_rows;
};

}  // namespace octet::ui
