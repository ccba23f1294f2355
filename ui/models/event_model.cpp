// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/event_model.h"

#include <algorithm>
#include <tuple>

#include "engine/core/text.h"
#include "ui/models/run_texts.h"

namespace octet::ui {
namespace {

Tone toneOf(store::EventKind kind) {
    switch (kind) {
        case store::EventKind::NotFinite:
        case store::EventKind::Failed:
            return Tone::Bad;
        case store::EventKind::ColdStart:
        case store::EventKind::Stopped:
            return Tone::Warn;
        case store::EventKind::RecipeChange:
            return Tone::Accent;
        case store::EventKind::Finished:
            return Tone::Ok;
        case store::EventKind::Paused:
        case store::EventKind::Resumed:
        case store::EventKind::Note:
            break;
    }
    return Tone::Neutral;
}

}  // namespace

EventModel::EventModel(Project* project, Selection* selection, QObject* parent)
    : QAbstractTableModel(parent), m_project(project), m_selection(selection), m_rows(rowsNow()) {
    connect(m_project, &Project::eventsArrived, this, &EventModel::refresh);
    connect(m_selection, &Selection::experimentChanged, this, &EventModel::reload);
}

std::vector<EventModel::Row> EventModel::rowsNow() const {
    std::vector<Row> rows;
    for (const store::RunInfo& run : m_project->runs()) {
        if (run.experiment != m_selection->experiment() || run.hidden) continue;
        const QString name = QString::fromStdString(run.name);
        const int colour = colourIndexOf(m_project->runs(), run.id);
        const std::vector<store::Event> events = m_project->events(run.id);
        for (size_t i = 0; i < events.size(); ++i)
            rows.push_back({run.id, name, colour, i, events[i]});
    }
    std::ranges::sort(rows, {}, [](const Row& row) { return std::tuple(row.event.step, row.run, row.number); });
    return rows;
}

void EventModel::reload() {
    beginResetModel();
    m_rows = rowsNow();
    endResetModel();
}

void EventModel::refresh() {
    std::vector<Row> now = rowsNow();
    const auto same = [](const Row& a, const Row& b) { return a.run == b.run && a.number == b.number; };
    size_t at = 0;
    for (Row& row : now) {
        if (at >= m_rows.size() || !same(m_rows[at], row)) {
            beginInsertRows({}, static_cast<int>(at), static_cast<int>(at));
            m_rows.insert(m_rows.begin() + static_cast<std::ptrdiff_t>(at), row);
            endInsertRows();
        }
        ++at;
    }
    if (m_rows.size() != now.size()) reload();  // the store was replaced by another one
}

int EventModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int EventModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant EventModel::display(const Row& row, int column) {
    if (column == StepColumn) return QString::fromStdString(groupedDigits(static_cast<long long>(row.event.step)));
    return column == RunColumn ? row.runName : QString::fromStdString(row.event.message);
}

QVariant EventModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const Row& row = m_rows[static_cast<size_t>(index.row())];
    switch (role) {
        case Qt::DisplayRole:
            return display(row, index.column());
        case Qt::ToolTipRole:
            return QString::fromStdString(row.event.message);
        case Qt::TextAlignmentRole:
            if (index.column() != StepColumn) return {};
            return QVariant::fromValue(Qt::AlignRight | Qt::AlignVCenter);
        case RunIdRole:
            return static_cast<qlonglong>(row.run.value);
        case StepRole:
            return row.event.step;
        case LayerRole:
            return QString::fromStdString(row.event.layer);
        case KindRole:
            return static_cast<int>(row.event.kind);
        case ToneRole:
            return static_cast<int>(toneOf(row.event.kind));
        case ColourIndexRole:
            return row.colourIndex;
        default:
            return {};
    }
}

QVariant EventModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue((section == StepColumn ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    switch (section) {
        case StepColumn:
            return tr("step");
        case RunColumn:
            return tr("run");
        case SentenceColumn:
            return tr("what happened");
        default:
            return {};
    }
}

}  // namespace octet::ui
