// SPDX-License-Identifier: GPL-3.0-or-later
// Experiments and their runs as a tree, newest experiment first; hidden twins are left out. Follows the project and the
// selection with precise changes; ticking a run or pinning it goes to the selection.
#pragma once

#include <QAbstractItemModel>
#include <QSet>
#include <vector>

#include "ui/documents/project.h"
#include "ui/documents/selection.h"
#include "ui/models/run_texts.h"

namespace octet::ui {

class RunListModel final : public QAbstractItemModel {
    Q_OBJECT

public:
    /// DisplayRole is the name, CheckStateRole the eye (settable), ToolTipRole a sentence on the state.
    enum Role {
        IdRole = Qt::UserRole,  // qlonglong, of the run or the experiment
        IsExperimentRole,
        ColourIndexRole,  // for runColour()
        PillTextRole,
        PillToneRole,  // Tone as int
        ProgressRole,  // 0 to 1
        DetailRole,    // dim second line
        VisibleRole,   // bool, settable: drawn; for a run of another experiment: laid over the chosen one
        BaselineRole,  // bool, settable: true pins the run
        CurrentRole,   // bool: the run (or experiment) that the selection names
    };

    RunListModel(Project* project, Selection* selection, QObject* parent = nullptr);

    [[nodiscard]] store::RunId runAt(const QModelIndex& index) const;  // invalid id for an experiment
    [[nodiscard]] store::ExperimentId experimentAt(const QModelIndex& index) const;
    [[nodiscard]] QModelIndex indexOf(store::RunId run) const;
    [[nodiscard]] QModelIndex indexOf(store::ExperimentId experiment) const;

    [[nodiscard]] QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex& index) const override;
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;

private:
    struct Run {
        store::RunInfo info;
        int colourIndex = 0;
        StatePill pill;
        QString detail;
        bool pinned = false;
        bool operator==(const Run& other) const;
    };
    struct Group {
        store::ExperimentId id;
        QString name;
        std::vector<Run> runs;
    };

    [[nodiscard]] bool isGuest(const Run& run) const;
    [[nodiscard]] bool isShown(const Run& run) const;
    void show(const Run& run, bool shown);
    void connectDocuments();
    void refresh();
    [[nodiscard]] std::vector<Group> groupsNow() const;
    [[nodiscard]] Run shown(const store::RunInfo& info) const;
    [[nodiscard]] bool onlyGrew(const std::vector<Group>& now) const;
    void insertGroups(std::vector<Group>& now);
    void insertRuns(int row, const Group& now);
    void replaceRuns(int row, const Group& now);
    void refreshRoles(const QList<int>& roles);
    [[nodiscard]] const Run* find(const QModelIndex& index) const;
    [[nodiscard]] int groupRow(store::ExperimentId id) const;
    [[nodiscard]] QVariant experimentData(const Group& group, int role) const;
    [[nodiscard]] QVariant runData(const Run& run, int role) const;

    Project* m_project;
    Selection* m_selection;
    std::vector<Group> m_groups;
};

}  // namespace octet::ui
