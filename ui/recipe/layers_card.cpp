// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/recipe/layers_card.h"

#include <QAction>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "ui/recipe/field_binding.h"
#include "ui/recipe/labels.h"
#include "ui/recipe/layer_delegate.h"
#include "ui/recipe/rule_edits.h"
#include "ui/widgets/card.h"
#include "ui/widgets/icons.h"

namespace octet::ui {
namespace {

constexpr int kRowHeight = 23, kMostRuleRows = 4;

void setUpTable(QTableView* table, const QString& name) {
    table->setAccessibleName(name);
    table->verticalHeader()->hide();
    table->verticalHeader()->setDefaultSectionSize(kRowHeight);
    table->verticalHeader()->setMinimumSectionSize(kRowHeight);
    table->horizontalHeader()->setHighlightSections(false);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setShowGrid(false);
    table->setWordWrap(false);
    table->setTabKeyNavigation(false);
    table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    table->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
}

QToolButton* ruleButton(const QString& icon, const QString& name, QWidget* parent) {
    auto* button = new QToolButton(parent);
    button->setIcon(themedIcon(icon));
    button->setProperty("role", QStringLiteral("quiet"));
    button->setToolTip(name);
    button->setAccessibleName(name);
    return button;
}

}  // namespace

LayersCard::LayersCard(RecipeDocument* document, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_layerModel(new LayerModel(this)),
      m_shownLayers(new QSortFilterProxyModel(this)),
      m_ruleModel(new RuleModel(document, this)),
      m_card(new Card(tr("Layers"), this)) {
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(m_card);
    buildFilters(m_card);
    buildLayers(m_card);
    buildRules(m_card);
    connectViews();
    refresh();
}

/// Which layers are in FP8 before any rule, as torchtitan, torchao and Megatron choose them, and what is shown.
void LayersCard::buildFilters(Card* card) {
    auto* line = new QHBoxLayout;
    line->setSpacing(6);
    m_search = new QLineEdit(card);
    m_search->setObjectName(QStringLiteral("search layers"));
    m_search->setPlaceholderText(tr("search"));
    m_search->setAccessibleName(tr("Show only layers whose name holds this"));
    m_search->setClearButtonEnabled(true);
    connect(m_search, &QLineEdit::textChanged, m_shownLayers, &QSortFilterProxyModel::setFilterFixedString);
    line->addWidget(m_search, 2);
    const auto addField = [&](const char* key, const QString& label, int width) {
        const recipe::RecipeField& field = recipe::recipeField(key);
        QLabel* name = dimLabel(label, card);
        name->setToolTip(QString::fromUtf8(field.help));
        FieldEditor* editor = makeBoundEditor(field, m_document, card);
        editor->setToolTip(QString::fromUtf8(field.help));
        if (width > 0) editor->setFixedWidth(width);
        line->addWidget(name);
        line->addWidget(editor, width > 0 ? 0 : 3);
    };
    addField("layers.filter_fqns", tr("keep names with"), 0);
    addField("layers.num_layers_at_start_in_bf16", tr("first"), 44);
    addField("layers.num_layers_at_end_in_bf16", tr("last blocks"), 44);
    card->body()->addLayout(line);
}

void LayersCard::buildLayers(Card* card) {
    card->addToHead(dimLabel(tr("base"), card));
    FieldEditor* base = makeBoundEditor(recipe::recipeField("layers.base"), m_document, card);
    base->setFixedWidth(136);
    card->addToHead(base);
    auto* add = new QPushButton(tr("Add rule"), card);
    add->setAccessibleName(tr("Add a layer rule"));
    connect(add, &QPushButton::clicked, this, &LayersCard::addRule);
    card->addToHead(add);

    m_problem = wrappedLabel({}, card);
    m_problem->setProperty("role", QStringLiteral("bad"));
    card->body()->addWidget(m_problem);
    m_layers = new QTableView(card);
    m_layers->setObjectName(QStringLiteral("layers"));
    setUpTable(m_layers, tr("Linear layers of the model"));
    m_shownLayers->setSourceModel(m_layerModel);
    m_shownLayers->setSortRole(LayerModel::SortRole);
    m_shownLayers->setFilterKeyColumn(LayerModel::Name);
    m_shownLayers->setFilterRole(Qt::ToolTipRole);  // the whole name; the cell leaves out what all names share
    m_shownLayers->setFilterCaseSensitivity(Qt::CaseInsensitive);
    m_layers->setModel(m_shownLayers);
    m_layers->horizontalHeader()->setSortIndicatorClearable(true);  // a third click brings module order back
    m_layers->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    m_layers->setSortingEnabled(true);
    m_layers->horizontalHeader()->setSectionResizeMode(LayerModel::Why, QHeaderView::Stretch);
    m_layers->setItemDelegate(new LayerDelegate(m_layers));
    m_layers->setMinimumHeight(4 * kRowHeight);
    m_layers->setContextMenuPolicy(Qt::CustomContextMenu);
    m_layers->setAccessibleDescription(tr("Menu key: rules for the selected layers"));
    card->body()->addWidget(m_layers, 1);
}

void LayersCard::buildRules(Card* card) {
    m_rulesPanel = new QWidget(card);
    auto* column = new QVBoxLayout(m_rulesPanel);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    auto* head = new QHBoxLayout;
    head->setSpacing(10);
    head->addWidget(captionLabel(tr("Rules"), m_rulesPanel));
    head->addWidget(dimLabel(tr("the first that matches decides"), m_rulesPanel));
    head->addStretch(1);
    QToolButton* up = ruleButton(QStringLiteral("chevron-up"), tr("Move the rule up"), m_rulesPanel);
    QToolButton* down = ruleButton(QStringLiteral("chevron-down"), tr("Move the rule down"), m_rulesPanel);
    QToolButton* remove = ruleButton(QStringLiteral("close"), tr("Remove the rule"), m_rulesPanel);
    connect(up, &QToolButton::clicked, this, [this] { moveRule(-1); });
    connect(down, &QToolButton::clicked, this, [this] { moveRule(1); });
    connect(remove, &QToolButton::clicked, this, &LayersCard::removeRule);
    for (QToolButton* button : {up, down, remove})
        head->addWidget(button);
    column->addLayout(head);
    m_rules = new QTableView(m_rulesPanel);
    m_rules->setObjectName(QStringLiteral("rules"));
    setUpTable(m_rules, tr("Layer rules in their order"));
    m_rules->setModel(m_ruleModel);
    m_rules->horizontalHeader()->setSectionResizeMode(RuleModel::Why, QHeaderView::Stretch);
    m_rules->setItemDelegate(new RuleDelegate(m_rules));
    m_rules->verticalHeader()->show();
    m_rules->setSelectionMode(QAbstractItemView::SingleSelection);
    m_rules->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed |
                             QAbstractItemView::AnyKeyPressed);
    column->addWidget(m_rules);
    m_ruleProblem = wrappedLabel({}, m_rulesPanel);
    m_ruleProblem->setProperty("role", QStringLiteral("bad"));
    column->addWidget(m_ruleProblem);
    card->body()->addWidget(m_rulesPanel);
}

void LayersCard::connectViews() {
    connect(m_document, &RecipeDocument::changed, this, &LayersCard::refresh);
    connect(m_layers, &QTableView::customContextMenuRequested, this, &LayersCard::showMenu);
    connect(m_layers->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& now) {
        if (now.isValid()) emit reasonShown(now.siblingAtColumn(LayerModel::Why).data(Qt::ToolTipRole).toString());
    });
    const auto addShortcut = [this](const QKeySequence& keys, auto slot) {
        auto* action = new QAction(m_rules);
        action->setShortcut(keys);
        action->setShortcutContext(Qt::WidgetShortcut);
        connect(action, &QAction::triggered, this, slot);
        m_rules->addAction(action);
    };
    addShortcut(QKeySequence(Qt::Key_Delete), [this] { removeRule(); });
    addShortcut(QKeySequence(Qt::ALT | Qt::Key_Up), [this] { moveRule(-1); });
    addShortcut(QKeySequence(Qt::ALT | Qt::Key_Down), [this] { moveRule(1); });
}

void LayersCard::setModel(const std::string& model) {
    if (model == m_model) return;
    m_model = model;
    refresh();
}

void LayersCard::refresh() {
    m_outlook = layerOutlook(m_document->recipe(), m_model);
    const bool firstRows = m_layerModel->rowCount() == 0;
    m_layerModel->setOutlook(m_outlook);
    m_ruleModel->setOutlook(m_outlook.rules);
    if (firstRows && m_layerModel->rowCount() > 0) fitLayers();
    showCounts();
    m_problem->setText(m_outlook.problem);
    m_problem->setVisible(!m_outlook.problem.isEmpty());
    m_layers->setVisible(!m_outlook.layers.empty());
    fitRules();
    emit outlookChanged();
}

void LayersCard::showCounts() {
    const recipe::Fp8Share& share = m_outlook.share;
    const auto percent = [](double part, double all) {
        return QString::number(all > 0 ? std::floor(1000 * part / all) / 10 : 0);
    };
    m_card->setCaption(
        (m_outlook.trains ? tr("%1 of %2 Linears in FP8: %3 % of parameters, %4 % of FLOPs")
                          : tr("Refused; else %1 of %2 Linears in FP8: %3 % of parameters, %4 % of FLOPs"))
            .arg(share.layersInFp8)
            .arg(share.layers)
            .arg(percent(share.parametersInFp8, share.parameters), percent(share.flopsInFp8, share.flops)));
}

/// All columns are always in sight; a long name gives way first, in its middle.
void LayersCard::fitLayers() {
    constexpr int kShortest = 140, kMostPercent = 40;
    for (int column = 0; column < LayerModel::Why; ++column)  // the last takes what is left
        m_layers->resizeColumnToContents(column);
    const int most = std::max(kShortest, m_layers->viewport()->width() * kMostPercent / 100);
    m_layers->setColumnWidth(LayerModel::Name, std::min(most, m_layers->columnWidth(LayerModel::Name)));
}

void LayersCard::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fitLayers();
    fitRules();
}

void LayersCard::fitRules() {
    const int rows = m_ruleModel->rowCount();
    m_rulesPanel->setVisible(rows > 0);
    QString problem;
    for (const RuleOutlook& rule : m_outlook.rules) {
        if (problem.isEmpty()) problem = rule.problem;
    }
    m_ruleProblem->setText(problem);
    m_ruleProblem->setVisible(!problem.isEmpty() && m_outlook.problem.isEmpty());
    if (rows == 0) return;
    m_rules->setFixedHeight(m_rules->horizontalHeader()->sizeHint().height() + 4 +
                            std::min(rows, kMostRuleRows) * kRowHeight);
    for (int column = 0; column < RuleModel::Why; ++column)
        m_rules->resizeColumnToContents(column);
    const int most = std::max(140, m_rules->viewport()->width() / 3);
    m_rules->setColumnWidth(RuleModel::Match, most);
}

void LayersCard::addRule() {
    const std::vector<size_t> rows = selectedRows();
    recipe::LayerRule rule;
    rule.match = rows.empty() ? "lm_head" : lastPart(m_layerModel->layers()[rows.front()].name);
    rule.keep = true;
    const int row = m_ruleModel->addRule(rule);
    const QModelIndex match = m_ruleModel->index(row, RuleModel::Match);
    m_rules->setFocus(Qt::OtherFocusReason);
    m_rules->setCurrentIndex(match);
    m_rules->edit(match);
}

void LayersCard::moveRule(int by) {
    const QModelIndex current = m_rules->currentIndex();
    if (!current.isValid()) return;
    const int to = std::clamp(current.row() + by, 0, m_ruleModel->rowCount() - 1);
    m_ruleModel->moveRule(current.row(), to);
    m_rules->setCurrentIndex(m_ruleModel->index(to, current.column()));
}

void LayersCard::removeRule() {
    m_ruleModel->removeRule(m_rules->currentIndex().row());
}

}  // namespace octet::ui
