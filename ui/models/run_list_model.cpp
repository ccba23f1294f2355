// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/run_list_model.h"

#include <algorithm>

namespace octet::ui {
namespace {

const store::Event* firstNotFinite(const std::vector<store::Event>& events) {
    const auto found = std::ranges::find(events, store::EventKind::NotFinite, &store::Event::kind);
    return found == events.end() ? nullptr : &*found;
}

}  // namespace

bool RunListModel::Run::operator==(const Run& other) const {
    return info.id == other.info.id && info.name == other.info.name && info.steps == other.info.steps &&
           info.state == other.info.state && pill == other.pill && detail == other.detail && pinned == other.pinned &&
           colourIndex == other.colourIndex;
}

RunListModel::RunListModel(Project* project, Selection* selection, QObject* parent)
    : QAbstractItemModel(parent), m_project(project), m_selection(selection), m_groups(groupsNow()) {
    connectDocuments();
}

void RunListModel::connectDocuments() {
    connect(m_project, &Project::runsChanged, this, &RunListModel::refresh);
    connect(m_project, &Project::eventsArrived, this, &RunListModel::refresh);
    connect(m_selection, &Selection::baselineChanged, this, &RunListModel::refresh);
    connect(m_selection, &Selection::visibilityChanged, this, [this] {
        refresh();  // an overlaid run has another colour
        refreshRoles({VisibleRole, Qt::CheckStateRole});
    });
    connect(m_selection, &Selection::currentRunChanged, this, [this] { refreshRoles({CurrentRole}); });
    connect(m_selection, &Selection::experimentChanged, this, [this] {
        refresh();
        refreshRoles({CurrentRole, VisibleRole, Qt::CheckStateRole});
    });
}

RunListModel::Run RunListModel::shown(const store::RunInfo& info) const {
    const auto& all = m_project->runs();
    const auto events = m_project->events(info.id);
    const store::Event* notFinite = firstNotFinite(events);
    Run run;
    run.info = info;
    run.colourIndex = ColourScheme{all, m_selection->experiment(), m_selection->overlaid()}.indexOf(info.id);
    run.pinned = baselineOf(all, info.experiment, m_selection->baseline()) == info.id;
    run.pill = statePill(info, m_project->pendingCommand(info.id), notFinite != nullptr);
    run.detail = recipeSummary(info.recipe, info.environment, run.pinned);
    if (notFinite) {
        run.detail = tr("NaN at step %1").arg(notFinite->step);
        if (!notFinite->layer.empty()) run.detail += QStringLiteral(", ") + QString::fromStdString(notFinite->layer);
    } else if (info.state == store::RunState::Stopped || info.state == store::RunState::Interrupted) {
        run.detail = tr("%1 at %2 of %3").arg(run.pill.text).arg(info.steps).arg(info.plannedSteps);
    } else if (!info.stateNote.empty()) {
        run.detail = QString::fromStdString(info.stateNote);
    }
    return run;
}

std::vector<RunListModel::Group> RunListModel::groupsNow() const {
    std::vector<Group> groups;
    for (const store::ExperimentInfo& experiment : m_project->experiments()) {
        Group group{experiment.id, QString::fromStdString(experiment.name), {}};
        for (const store::RunInfo& run : m_project->runs()) {
            if (run.experiment == experiment.id && !run.hidden) group.runs.push_back(shown(run));
        }
        groups.push_back(std::move(group));
    }
    std::ranges::reverse(groups);
    return groups;
}

bool RunListModel::onlyGrew(const std::vector<Group>& now) const {
    if (now.size() < m_groups.size()) return false;
    const size_t added = now.size() - m_groups.size();
    for (size_t i = 0; i < m_groups.size(); ++i) {
        const Group& before = m_groups[i];
        const Group& after = now[added + i];
        const bool same = before.id == after.id && before.runs.size() <= after.runs.size() &&
                          std::ranges::equal(
                              before.runs, std::span(after.runs).first(before.runs.size()), {},
                              [](const Run& run) { return run.info.id; }, [](const Run& run) { return run.info.id; });
        if (!same) return false;
    }
    return true;
}

void RunListModel::refresh() {
    std::vector<Group> now = groupsNow();
    if (!onlyGrew(now)) {
        beginResetModel();
        m_groups = std::move(now);
        endResetModel();
        return;
    }
    insertGroups(now);
    for (int row = 0; row < static_cast<int>(m_groups.size()); ++row) {
        const Group& group = now[static_cast<size_t>(row)];
        replaceRuns(row, group);
        insertRuns(row, group);
    }
}

void RunListModel::insertGroups(std::vector<Group>& now) {
    const auto added = static_cast<int>(now.size() - m_groups.size());
    if (added == 0) return;
    beginInsertRows({}, 0, added - 1);
    std::vector<Group> fresh;
    for (int i = 0; i < added; ++i)
        fresh.push_back({now[static_cast<size_t>(i)].id, now[static_cast<size_t>(i)].name, {}});
    m_groups.insert(m_groups.begin(), std::make_move_iterator(fresh.begin()), std::make_move_iterator(fresh.end()));
    endInsertRows();
}

void RunListModel::insertRuns(int row, const Group& now) {
    Group& group = m_groups[static_cast<size_t>(row)];
    const auto first = static_cast<int>(group.runs.size());
    const auto last = static_cast<int>(now.runs.size()) - 1;
    if (last < first) return;
    beginInsertRows(index(row, 0), first, last);
    group.runs.insert(group.runs.end(), now.runs.begin() + first, now.runs.end());
    endInsertRows();
    emit dataChanged(index(row, 0), index(row, 0), {DetailRole});  // "3 runs"
}

void RunListModel::replaceRuns(int row, const Group& now) {
    Group& group = m_groups[static_cast<size_t>(row)];
    const QModelIndex parentIndex = index(row, 0);
    for (size_t i = 0; i < group.runs.size(); ++i) {
        if (group.runs[i] == now.runs[i]) continue;
        group.runs[i] = now.runs[i];
        const QModelIndex changed = index(static_cast<int>(i), 0, parentIndex);
        emit dataChanged(changed, changed);
    }
    if (group.name == now.name) return;
    group.name = now.name;
    emit dataChanged(parentIndex, parentIndex, {Qt::DisplayRole});
}

void RunListModel::refreshRoles(const QList<int>& roles) {
    if (m_groups.empty()) return;
    emit dataChanged(index(0, 0), index(static_cast<int>(m_groups.size()) - 1, 0), roles);
    for (int row = 0; row < static_cast<int>(m_groups.size()); ++row) {
        const auto count = static_cast<int>(m_groups[static_cast<size_t>(row)].runs.size());
        const QModelIndex parentIndex = index(row, 0);
        if (count > 0) emit dataChanged(index(0, 0, parentIndex), index(count - 1, 0, parentIndex), roles);
    }
}

int RunListModel::groupRow(store::ExperimentId id) const {
    const auto found = std::ranges::find(m_groups, id, &Group::id);
    return found == m_groups.end() ? -1 : static_cast<int>(found - m_groups.begin());
}

const RunListModel::Run* RunListModel::find(const QModelIndex& index) const {
    if (!index.isValid() || index.internalId() == 0) return nullptr;
    const int row = groupRow({static_cast<int64_t>(index.internalId())});
    if (row < 0) return nullptr;
    const auto& runs = m_groups[static_cast<size_t>(row)].runs;
    return index.row() < static_cast<int>(runs.size()) ? &runs[static_cast<size_t>(index.row())] : nullptr;
}

store::RunId RunListModel::runAt(const QModelIndex& index) const {
    const Run* run = find(index);
    return run ? run->info.id : store::RunId{};
}

store::ExperimentId RunListModel::experimentAt(const QModelIndex& index) const {
    if (const Run* run = find(index)) return run->info.experiment;
    const bool known = index.isValid() && index.row() < static_cast<int>(m_groups.size());
    return known ? m_groups[static_cast<size_t>(index.row())].id : store::ExperimentId{};
}

QModelIndex RunListModel::indexOf(store::RunId run) const {
    for (int row = 0; row < static_cast<int>(m_groups.size()); ++row) {
        const auto& runs = m_groups[static_cast<size_t>(row)].runs;
        const auto found = std::ranges::find(runs, run, [](const Run& one) { return one.info.id; });
        if (found != runs.end()) return index(static_cast<int>(found - runs.begin()), 0, index(row, 0));
    }
    return {};
}

QModelIndex RunListModel::indexOf(store::ExperimentId experiment) const {
    const int row = groupRow(experiment);
    return row < 0 ? QModelIndex() : index(row, 0);
}

// An experiment's index carries 0, a run's the id of its experiment: ids stay when rows move.
QModelIndex RunListModel::index(int row, int column, const QModelIndex& parent) const {
    if (!hasIndex(row, column, parent)) return {};
    if (!parent.isValid()) return createIndex(row, column, quintptr{0});
    return createIndex(row, column, static_cast<quintptr>(m_groups[static_cast<size_t>(parent.row())].id.value));
}

QModelIndex RunListModel::parent(const QModelIndex& index) const {
    if (!index.isValid() || index.internalId() == 0) return {};
    const int row = groupRow({static_cast<int64_t>(index.internalId())});
    return row < 0 ? QModelIndex() : createIndex(row, 0, quintptr{0});
}

int RunListModel::rowCount(const QModelIndex& parent) const {
    if (!parent.isValid()) return static_cast<int>(m_groups.size());
    if (parent.internalId() != 0 || parent.column() > 0) return 0;
    return static_cast<int>(m_groups[static_cast<size_t>(parent.row())].runs.size());
}

int RunListModel::columnCount(const QModelIndex&) const {
    return 1;
}

QVariant RunListModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    if (const Run* run = find(index)) return runData(*run, role);
    return experimentData(m_groups[static_cast<size_t>(index.row())], role);
}

QVariant RunListModel::experimentData(const Group& group, int role) const {
    switch (role) {
        case Qt::DisplayRole:
            return group.name;
        case Qt::AccessibleTextRole:
            return tr("Experiment %1, %n run(s)", nullptr, static_cast<int>(group.runs.size())).arg(group.name);
        case IdRole:
            return static_cast<qlonglong>(group.id.value);
        case IsExperimentRole:
            return true;
        case DetailRole:
            return group.runs.size() == 1 ? tr("1 run") : tr("%1 runs").arg(group.runs.size());
        case CurrentRole:
            return m_selection->experiment() == group.id;
        default:
            return {};
    }
}

QVariant RunListModel::runData(const Run& run, int role) const {
    const bool visible = isShown(run);
    switch (role) {
        case Qt::DisplayRole:
            return QString::fromStdString(run.info.name);
        case Qt::ToolTipRole:
            return run.detail;
        case Qt::CheckStateRole:
            return static_cast<int>(visible ? Qt::Checked : Qt::Unchecked);
        case Qt::AccessibleTextRole:
            return tr("%1, %2, %3").arg(QString::fromStdString(run.info.name), run.pill.text, run.detail);
        case IdRole:
            return static_cast<qlonglong>(run.info.id.value);
        case IsExperimentRole:
            return false;
        case ColourIndexRole:
            return run.colourIndex;
        case PillTextRole:
            return run.pill.text;
        case PillToneRole:
            return static_cast<int>(run.pill.tone);
        case ProgressRole:
            return progressOf(run.info);
        case DetailRole:
            return run.detail;
        case VisibleRole:
            return visible;
        case BaselineRole:
            return run.pinned;
        case CurrentRole:
            return m_selection->currentRun() == run.info.id;
        default:
            return {};
    }
}

bool RunListModel::isGuest(const Run& run) const {
    return m_selection->experiment().valid() && run.info.experiment != m_selection->experiment();
}

bool RunListModel::isShown(const Run& run) const {
    return m_selection->isVisible(run.info.id) && (!isGuest(run) || m_selection->isOverlaid(run.info.id));
}

/// The eye of a run of another experiment lays it over the chosen one.
void RunListModel::show(const Run& run, bool shown) {
    const store::RunId id = run.info.id;
    const bool guest = isGuest(run);
    if (guest) m_selection->setOverlaid(id, shown);
    if (shown || !guest) m_selection->setVisible(id, shown);
}

bool RunListModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    const Run* run = find(index);
    if (!run) return false;
    switch (role) {
        case Qt::CheckStateRole:
            show(*run, value.toInt() == Qt::Checked);
            return true;
        case VisibleRole:
            show(*run, value.toBool());
            return true;
        case BaselineRole:
            m_selection->setBaseline(value.toBool() ? run->info.id : store::RunId{});
            return true;
        default:
            return false;
    }
}

Qt::ItemFlags RunListModel::flags(const QModelIndex& index) const {
    if (!index.isValid()) return Qt::NoItemFlags;
    const Qt::ItemFlags common = Qt::ItemIsEnabled | Qt::ItemIsSelectable;
    return find(index) ? common | Qt::ItemIsUserCheckable | Qt::ItemNeverHasChildren : common;
}

}  // namespace octet::ui
