// SPDX-License-Identifier: GPL-3.0-or-later
// The layer table: one row a Linear, with its shape, the precision of each GEMM, and why.
#pragma once

#include <QAbstractTableModel>

#include "ui/recipe/layer_outlook.h"

namespace octet::ui {

class LayerModel final : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Name, In, Out, Fprop, Dgrad, Wgrad, Why, ColumnCount };
    /// How a cell of a GEMM is drawn.
    enum class Precision { Fp8, High, HighByRule };
    enum Role { PrecisionRole = Qt::UserRole, IsEmphasisedRole, SortRole };

    using QAbstractTableModel::QAbstractTableModel;

    /// Rows with the names they had change in place; another list of names resets the model.
    void setOutlook(const LayerOutlook& outlook);
    [[nodiscard]] const std::vector<recipe::LayerPlan>& layers() const { return m_outlook.layers; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] QString toolTip(size_t row, int column) const;
    [[nodiscard]] QVariant sortKey(size_t row, int column) const;
    [[nodiscard]] QString cellText(size_t row, int column) const;
    [[nodiscard]] Precision precision(size_t row, int column) const;

    LayerOutlook m_outlook;
};

}  // namespace octet::ui
