// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/recipe/layer_model.h"

#include <algorithm>

#include "ui/widgets/theme.h"

namespace octet::ui {
namespace {

bool isGemm(int column) {
    return column >= LayerModel::Fprop && column <= LayerModel::Wgrad;
}

bool isNumber(int column) {
    return column == LayerModel::In || column == LayerModel::Out;
}

const recipe::GemmPlan& gemmOf(const recipe::LayerPlan& layer, int column) {
    return layer.gemms[static_cast<size_t>(column - LayerModel::Fprop)];
}

/// The sentence of the plan without what the pills, or all rows, say already; the tool tip and the status bar have it
/// whole.
QString whyText(const std::string& reason) {
    QString text = QString::fromStdString(reason);
    for (const QString& start :
         {QStringLiteral("FP8: "), QStringLiteral("High precision: "),
          QStringLiteral("Accelerate's convert_model takes it: "), QStringLiteral("torchao takes it: ")}) {
        if (text.startsWith(start)) text = text.mid(start.size());
    }
    return text;
}

/// Nearly every layer's name begins with it.
QString shownName(const std::string& name) {
    static const QString model = QStringLiteral("model.");
    const QString whole = QString::fromStdString(name);
    return whole.startsWith(model) ? whole.mid(model.size()) : whole;
}

}  // namespace

void LayerModel::setOutlook(const LayerOutlook& outlook) {
    const auto& old = m_outlook.layers;
    const bool sameRows =
        std::ranges::equal(old, outlook.layers, {}, &recipe::LayerPlan::name, &recipe::LayerPlan::name);
    if (!sameRows) beginResetModel();
    m_outlook = outlook;
    if (!sameRows)
        endResetModel();
    else if (rowCount() > 0)
        emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

int LayerModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_outlook.layers.size());
}

int LayerModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

LayerModel::Precision LayerModel::precision(size_t row, int column) const {
    const recipe::LayerPlan& layer = m_outlook.layers[row];
    if (layer.fp8[static_cast<size_t>(column - Fprop)]) return Precision::Fp8;
    return m_outlook.deciding[row] >= 0 ? Precision::HighByRule : Precision::High;
}

QString LayerModel::cellText(size_t row, int column) const {
    const recipe::LayerPlan& layer = m_outlook.layers[row];
    switch (column) {
        case Name:
            return shownName(layer.name);
        case In:
            return QString::number(layer.inFeatures);
        case Out:
            return QString::number(layer.outFeatures);
        case Why:
            return whyText(layer.reason);
        default:
            break;
    }
    if (precision(row, column) != Precision::Fp8) return QStringLiteral("BF16");
    // Both backward GEMMs read the gradient, whose format is named; the tool tip has both operands.
    return QString::fromUtf8(numerics::formatName(gemmOf(layer, column).a.format));
}

QString LayerModel::toolTip(size_t row, int column) const {
    const recipe::LayerPlan& layer = m_outlook.layers[row];
    if (column == Name) return QString::fromStdString(layer.name);
    const QString reason = QString::fromStdString(layer.reason);
    if (!isGemm(column) || precision(row, column) != Precision::Fp8) return reason;
    return QString::fromStdString(recipe::gemmText(gemmOf(layer, column))) + QLatin1Char('\n') + reason;
}

/// Shapes sort by number; names in module order.
QVariant LayerModel::sortKey(size_t row, int column) const {
    const recipe::LayerPlan& layer = m_outlook.layers[row];
    if (column == Name) return static_cast<int>(row);
    if (column == In) return QVariant::fromValue(layer.inFeatures);
    if (column == Out) return QVariant::fromValue(layer.outFeatures);
    return cellText(row, column);
}

QVariant LayerModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const auto row = static_cast<size_t>(index.row());
    const int column = index.column();
    switch (role) {
        case Qt::DisplayRole:
            return cellText(row, column);
        case Qt::ToolTipRole:
            return toolTip(row, column);
        case SortRole:
            return sortKey(row, column);
        case Qt::AccessibleTextRole:
            return tr("%1: %2").arg(headerData(column, Qt::Horizontal, Qt::DisplayRole).toString(),
                                    cellText(row, column));
        case Qt::FontRole:
            return column == Name || isNumber(column) ? QVariant(numberFont()) : QVariant();
        case Qt::TextAlignmentRole:
            return QVariant::fromValue(Qt::AlignVCenter | (isNumber(column) ? Qt::AlignRight : Qt::AlignLeft));
        case PrecisionRole:
            return isGemm(column) ? QVariant(static_cast<int>(precision(row, column))) : QVariant();
        case IsEmphasisedRole:
            return column == Why && m_outlook.deciding[row] >= 0;
        default:
            return {};
    }
}

QVariant LayerModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(Qt::AlignVCenter | (isNumber(section) ? Qt::AlignRight : Qt::AlignLeft));
    if (role != Qt::DisplayRole) return {};
    switch (section) {
        case Name:
            return tr("name");
        case In:
            return tr("in");
        case Out:
            return tr("out");
        case Fprop:
            return tr("fprop");
        case Dgrad:
            return tr("dgrad");
        case Wgrad:
            return tr("wgrad");
        case Why:
            return tr("why");
        default:
            return {};
    }
}

}  // namespace octet::ui
