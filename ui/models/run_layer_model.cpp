// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/run_layer_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ui/models/layer_health.h"
#include "ui/widgets/pill.h"

namespace octet::ui {
namespace {

constexpr int kSortEveryMs = 2000;
constexpr std::array kOperandNames{"input", "weight", "grad_output"};

QString percentText(std::optional<double> percent, int decimals) {
    if (!percent) return QStringLiteral("–");
    return std::isfinite(*percent) ? QString::number(*percent, 'f', decimals) : QStringLiteral("NaN");
}

Tone toneFor(std::optional<double> value, double warn, double bad) {
    if (!value) return Tone::Neutral;
    if (!(*value < bad)) return Tone::Bad;  // NaN too
    return *value < warn ? Tone::Ok : Tone::Warn;
}

QVariant orNothing(std::optional<double> value) {
    return value ? QVariant(*value) : QVariant();
}

QString shortName(const std::string& name) {
    const QString whole = QString::fromStdString(name);
    return whole.startsWith(QStringLiteral("model.")) ? whole.mid(6) : whole;
}

}  // namespace

RunLayerModel::RunLayerModel(Project* project, Selection* selection, QObject* parent)
    : QAbstractTableModel(parent), m_project(project), m_selection(selection) {
    m_sortTimer.setInterval(kSortEveryMs);
    m_sortTimer.setSingleShot(true);
    connect(&m_sortTimer, &QTimer::timeout, this, &RunLayerModel::sortNow);
    connect(m_selection, &Selection::currentRunChanged, this, &RunLayerModel::reload);
    connect(m_project, &Project::samplesArrived, this, &RunLayerModel::refresh);
    connect(m_project, &Project::runsChanged, this, [this] {
        const bool appeared = m_rows.empty() && !m_project->layers(m_run).empty();
        if (appeared || !m_project->run(m_run)) reload();
    });
    reload();
}

void RunLayerModel::reload() {
    beginResetModel();
    m_run = m_selection->currentRun();
    m_rows.clear();
    for (store::LayerInfo& layer : m_project->layers(m_run)) {
        Row row;
        row.info = std::move(layer);
        readValues(row);
        m_rows.push_back(std::move(row));
    }
    std::ranges::stable_sort(m_rows, isWorse);
    endResetModel();
}

void RunLayerModel::readValues(Row& row) {
    if (!row.info.converted) return;
    const auto follow = [&](Followed& followed, const char* operand, const char* statistic) {
        if (!followed) followed = m_project->series(m_run, {row.info.name, operand, "", statistic, ""});
    };
    follow(row.underflowOfDy, "grad_output", "underflows%");
    row.underflow = recentMean(row.underflowOfDy.get());
    row.saturation.reset();
    for (size_t i = 0; i < kOperands; ++i) {
        follow(row.saturated[i], kOperandNames[i], "saturated%");
        const auto last = recentMean(row.saturated[i].get());
        if (last && (!row.saturation || !(*last <= *row.saturation))) row.saturation = last;
    }
}

void RunLayerModel::refresh() {
    for (size_t i = 0; i < m_rows.size(); ++i) {
        Row& row = m_rows[i];
        const auto before = std::pair(row.underflow, row.saturation);
        readValues(row);
        if (before == std::pair(row.underflow, row.saturation)) continue;
        const auto at = static_cast<int>(i);
        emit dataChanged(index(at, 0), index(at, ColumnCount - 1));
    }
    if (!m_sortTimer.isActive() && !std::ranges::is_sorted(m_rows, isWorse)) m_sortTimer.start();
}

bool RunLayerModel::isWorse(const Row& a, const Row& b) {
    const auto key = [](const Row& row) {
        // Below a thousandth of what is bad the order would follow noise.
        const double bad = badness(row.underflow, row.saturation);
        return std::pair(row.info.converted, bad < 1e-3 ? 0 : bad);
    };
    return key(a) > key(b);
}

void RunLayerModel::sortNow() {
    m_sortTimer.stop();
    std::vector<int> order(m_rows.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, [this](int a, int b) {
        return isWorse(m_rows[static_cast<size_t>(a)], m_rows[static_cast<size_t>(b)]);
    });
    if (std::ranges::is_sorted(order)) return;
    emit layoutAboutToBeChanged({}, VerticalSortHint);
    std::vector<Row> sorted;
    std::vector<int> newRow(m_rows.size());
    for (const int from : order) {
        newRow[static_cast<size_t>(from)] = static_cast<int>(sorted.size());
        sorted.push_back(std::move(m_rows[static_cast<size_t>(from)]));
    }
    m_rows = std::move(sorted);
    const QModelIndexList before = persistentIndexList();
    QModelIndexList after;
    for (const QModelIndex& old : before)
        after << index(newRow[static_cast<size_t>(old.row())], old.column());
    changePersistentIndexList(before, after);
    emit layoutChanged({}, VerticalSortHint);
}

QModelIndex RunLayerModel::indexOf(const QString& layer) const {
    const std::string name = layer.toStdString();
    const auto found = std::ranges::find(m_rows, name, [](const Row& row) { return row.info.name; });
    return found == m_rows.end() ? QModelIndex() : index(static_cast<int>(found - m_rows.begin()), 0);
}

int RunLayerModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int RunLayerModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QString RunLayerModel::display(const Row& row, int column) const {
    if (column == NameColumn) return shortName(row.info.name);
    if (!row.info.converted) return column == UnderflowColumn ? tr("high") : QString();
    return column == UnderflowColumn ? percentText(row.underflow, 1) : percentText(row.saturation, 3);
}

QVariant RunLayerModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const Row& row = m_rows[static_cast<size_t>(index.row())];
    const Tone underflow = toneFor(row.underflow, kUnderflowWarn, kUnderflowBad);
    const Tone saturated = toneFor(row.saturation, kSaturatedWarn, kSaturatedBad);
    switch (role) {
        case Qt::DisplayRole:
            return display(row, index.column());
        case Qt::ToolTipRole:
            return tr("%1, %2 x %3. %4")
                .arg(QString::fromStdString(row.info.name))
                .arg(row.info.outFeatures)
                .arg(row.info.inFeatures)
                .arg(QString::fromStdString(row.info.reason));
        case Qt::TextAlignmentRole:
            if (index.column() == NameColumn) return {};
            return QVariant::fromValue(Qt::AlignRight | Qt::AlignVCenter);
        case NameRole:
            return QString::fromStdString(row.info.name);
        case ConvertedRole:
            return row.info.converted;
        case UnderflowRole:
            return orNothing(row.underflow);
        case SaturatedRole:
            return orNothing(row.saturation);
        case ToneRole:
            if (index.column() == UnderflowColumn) return static_cast<int>(underflow);
            if (index.column() == SaturatedColumn) return static_cast<int>(saturated);
            return static_cast<int>(underflow == Tone::Bad || saturated == Tone::Bad ? Tone::Bad : Tone::Neutral);
        default:
            return {};
    }
}

QVariant RunLayerModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue((section == NameColumn ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
    const bool tip = role == Qt::ToolTipRole;
    switch (section) {
        case NameColumn:
            return tip ? tr("Worst first: underflow of dy and saturated values, each against what is bad (25 % and 1 "
                            "%)")
                       : tr("layer");
        case UnderflowColumn:
            return tip ? tr("Share of the values of dy that the cast turns into zero, mean of the last %1 steps")
                             .arg(kRecentSteps)
                       : tr("underflow %");
        case SaturatedColumn:
            return tip ? tr("Largest share of saturated values of input, weight and dy, mean of the last %1 steps")
                             .arg(kRecentSteps)
                       : tr("saturated %");
        default:
            return {};
    }
}

}  // namespace octet::ui
