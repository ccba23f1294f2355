// SPDX-License-Identifier: GPL-3.0-or-later
// The layers of the current run, worst first: by underflow of dy and saturation of any operand over the last steps,
// each measured by what is bad (layer_health.h). Layers that lose nothing follow in the model's order, those that stay
// in high precision stand at the end, with the reason. Values follow the samples; the order follows at most every two
// seconds, so that rows do not jump under the pointer.
#pragma once

#include <QAbstractTableModel>
#include <QTimer>
#include <array>
#include <optional>
#include <vector>

#include "ui/documents/project.h"
#include "ui/documents/selection.h"

namespace octet::ui {

class RunLayerModel final : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { NameColumn, UnderflowColumn, SaturatedColumn, ColumnCount };
    enum Role {
        NameRole = Qt::UserRole,  // the whole name; DisplayRole leaves "model." out
        ConvertedRole,            // bool: trains in FP8
        UnderflowRole,            // double or invalid, percent
        SaturatedRole,
        ToneRole,  // Tone as int: of the worse of the two
    };

    RunLayerModel(Project* project, Selection* selection, QObject* parent = nullptr);

    [[nodiscard]] QModelIndex indexOf(const QString& layer) const;
    /// Sorts now instead of within two seconds.
    void sortNow();

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    static constexpr size_t kOperands = 3;
    using Followed = std::shared_ptr<const SeriesView>;
    struct Row {
        store::LayerInfo info;
        Followed underflowOfDy;
        std::array<Followed, kOperands> saturated;
        std::optional<double> underflow, saturation;
    };

    void reload();
    void refresh();
    void readValues(Row& row);
    [[nodiscard]] static bool isWorse(const Row& a, const Row& b);
    [[nodiscard]] QString display(const Row& row, int column) const;

    Project* m_project;
    Selection* m_selection;
    store::RunId m_run;
    std::vector<Row> m_rows;
    QTimer m_sortTimer;
};

}  // namespace octet::ui
