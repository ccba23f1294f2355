// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/layers_panel.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QPainter>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QVBoxLayout>
#include <array>

#include "ui/models/run_layer_model.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/pill.h"
#include "ui/widgets/theme.h"

namespace octet::ui {
namespace {

constexpr std::array kOperands{"input", "weight", "grad_output"};
constexpr int kRowHeight = 24;

/// "layers.3.self_attn.q_proj" -> "3.attn.q_proj": the column is narrow, and the tool tip has the whole name.
QString shortLayerName(QString name) {
    const QString layers = QStringLiteral("layers.");
    if (name.startsWith(layers)) name.remove(0, layers.size());
    return name.replace(QStringLiteral(".self_attn."), QStringLiteral(".attn."));
}

/// Figures in the number font, coloured by how bad they are.
class LayerDelegate final : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
        QStyledItemDelegate::initStyleOption(option, index);
        option->state.setFlag(QStyle::State_HasFocus, false);
        const Theme& theme = themeOf(option->widget);
        QColor ink = theme.ink;
        if (!index.data(RunLayerModel::ConvertedRole).toBool()) ink = theme.dim;
        if (index.column() != RunLayerModel::NameColumn) {
            option->font = numberFont();
            const auto tone = static_cast<Tone>(index.data(RunLayerModel::ToneRole).toInt());
            if (tone == Tone::Warn) ink = theme.warn;
            if (tone == Tone::Bad) ink = theme.bad;
        }
        option->palette.setColor(QPalette::Text, ink);
        option->palette.setColor(QPalette::HighlightedText, ink);
        if (index.column() == RunLayerModel::NameColumn) option->text = shortLayerName(option->text);
        // The end of a layer's name tells it apart.
        if (index.column() == RunLayerModel::NameColumn) option->textElideMode = Qt::ElideLeft;
    }
};

}  // namespace

LayersPanel::LayersPanel(Selection* selection, QWidget* parent)
    : QWidget(parent),
      m_selection(selection),
      m_head(new ElidedLabel({}, ElidedLabel::Ink::Dim, this)),
      m_table(new QTableView(this)),
      m_operands(new QButtonGroup(this)) {
    build();
    connect(m_selection, &Selection::layersChanged, this, &LayersPanel::showSelection);
    connect(m_selection, &Selection::currentRunChanged, this, &LayersPanel::showSelection);
}

void LayersPanel::build() {
    m_table->setObjectName(QStringLiteral("layers"));
    m_table->setAccessibleName(tr("Layers of the current run, worst first"));
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_table->setItemDelegate(new LayerDelegate(m_table));
    m_table->setShowGrid(false);
    m_table->setTabKeyNavigation(false);
    m_table->setWordWrap(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(kRowHeight);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    QFont small = textFont();
    small.setPixelSize(11);
    m_table->horizontalHeader()->setFont(small);

    auto* operands = new QHBoxLayout;
    operands->setSpacing(0);
    operands->addWidget(m_head, 1);
    const std::array names{tr("input"), tr("weight"), tr("dy")};
    for (size_t i = 0; i < kOperands.size(); ++i) {
        auto* button = new QPushButton(names[i], this);
        button->setCheckable(true);
        button->setProperty("role", QStringLiteral("segment"));
        if (i == 0) button->setProperty("edge", QStringLiteral("first"));
        if (i + 1 == kOperands.size()) button->setProperty("edge", QStringLiteral("last"));
        button->setAccessibleName(tr("Show %1 in the tracks").arg(names[i]));
        button->setToolTip(button->accessibleName());
        m_operands->addButton(button, static_cast<int>(i));
        operands->addWidget(button);
    }
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 6, 0, 0);
    layout->setSpacing(6);
    layout->addLayout(operands);
    layout->addWidget(m_table, 1);
    connect(m_operands, &QButtonGroup::idClicked, this,
            [this](int id) { m_selection->setOperand(QLatin1String(kOperands.at(static_cast<size_t>(id)))); });
}

void LayersPanel::setProject(Project* project) {
    m_project = project;
    QItemSelectionModel* old = m_table->selectionModel();
    m_table->setModel(nullptr);
    delete old;
    delete m_model;
    m_model = project ? new RunLayerModel(project, m_selection, this) : nullptr;
    if (!m_model) return;
    m_table->setModel(m_model);
    QHeaderView* header = m_table->horizontalHeader();
    header->setSectionResizeMode(RunLayerModel::NameColumn, QHeaderView::Stretch);
    header->setSectionResizeMode(RunLayerModel::UnderflowColumn, QHeaderView::ResizeToContents);
    header->setSectionResizeMode(RunLayerModel::SaturatedColumn, QHeaderView::ResizeToContents);
    connectTable();
    showSelection();
}

void LayersPanel::connectTable() {
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, &LayersPanel::takeSelection);
    connect(m_model, &QAbstractItemModel::modelReset, this, &LayersPanel::showSelection);
}

void LayersPanel::showSelection() {
    const QString operand = m_selection->operand();
    for (size_t i = 0; i < kOperands.size(); ++i) {
        const bool isChosen = operand == QLatin1String(kOperands[i]) || (operand.isEmpty() && i == 2);
        if (isChosen) m_operands->button(static_cast<int>(i))->setChecked(true);
    }
    if (!m_model) return;
    const store::RunInfo* run = m_project->run(m_selection->currentRun());
    m_head->setText(run ? tr("%1, worst first").arg(QString::fromStdString(run->name)) : QString());
    const QScopedValueRollback showing(m_isShowing, true);
    const bool scrolls = m_table->hasAutoScroll();
    m_table->setAutoScroll(false);  // the worst layers stay in sight, whatever the tracks show
    QItemSelection rows;
    for (const QString& layer : m_selection->layers()) {
        const QModelIndex index = m_model->indexOf(layer);
        if (index.isValid()) rows.select(index, index.siblingAtColumn(RunLayerModel::ColumnCount - 1));
    }
    m_table->selectionModel()->select(rows, QItemSelectionModel::ClearAndSelect);
    if (!rows.isEmpty())
        m_table->selectionModel()->setCurrentIndex(rows.front().topLeft(), QItemSelectionModel::NoUpdate);
    m_table->setAutoScroll(scrolls);
}

void LayersPanel::takeSelection() {
    if (m_isShowing) return;
    QStringList layers;
    for (const QModelIndex& index : m_table->selectionModel()->selectedRows())
        layers << index.data(RunLayerModel::NameRole).toString();
    if (layers.isEmpty()) return;  // the tracks keep what they show
    m_selection->setLayers(layers);
    emit layerChosen();
}

}  // namespace octet::ui
