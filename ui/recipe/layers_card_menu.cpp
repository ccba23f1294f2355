// SPDX-License-Identifier: GPL-3.0-or-later
// The menu of the layer table: rules for one layer, for several, and for every layer of a name.
#include <QAction>
#include <QMenu>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <algorithm>

#include "ui/recipe/labels.h"
#include "ui/recipe/layers_card.h"
#include "ui/recipe/rule_edits.h"

namespace octet::ui {

std::vector<size_t> LayersCard::selectedRows() const {
    std::vector<size_t> rows;
    for (const QModelIndex& index : m_layers->selectionModel()->selectedRows())
        rows.push_back(static_cast<size_t>(m_shownLayers->mapToSource(index).row()));
    const QModelIndex current = m_layers->currentIndex();
    if (rows.empty() && current.isValid())
        rows.push_back(static_cast<size_t>(m_shownLayers->mapToSource(current).row()));
    std::ranges::sort(rows);
    return rows;
}

bool LayersCard::allRun(const QStringList& matches, int gemm) const {
    return std::ranges::all_of(m_outlook.layers, [&](const recipe::LayerPlan& layer) {
        const QString name = QString::fromStdString(layer.name);
        const QString last = QString::fromStdString(lastPart(layer.name));
        if (!matches.contains(name) && !matches.contains(last)) return true;
        return gemm < 0 ? !layer.converted : !layer.fp8[static_cast<size_t>(gemm)];
    });
}

QMenu* LayersCard::layerMenu() {
    auto* menu = new QMenu(this);
    QStringList names, kinds;
    for (const size_t row : selectedRows()) {
        const std::string& name = m_layerModel->layers()[row].name;
        names << QString::fromStdString(name);
        kinds << QString::fromStdString(lastPart(name));
    }
    kinds.removeDuplicates();
    if (!names.isEmpty()) {
        addScopeActions(menu, names, false);
        menu->addSeparator();
        QMenu* every =
            menu->addMenu(kinds.size() == 1 ? tr("Every %1").arg(kinds.constFirst()) : tr("Every of these names"));
        addScopeActions(every, kinds, true);
        menu->addSeparator();
    }
    QMenu* base = menu->addMenu(tr("Base"));
    for (const char* name : recipe::EnumNames<recipe::LayerBase>::names) {
        QAction* action = base->addAction(QString::fromUtf8(name));
        action->setCheckable(true);
        action->setChecked(std::string_view(recipe::nameOf(m_document->recipe().layers.base)) == name);
        connect(action, &QAction::triggered, this, [this, name] { setBase(QString::fromUtf8(name)); });
    }
    QAction* edit = menu->addAction(m_ruleModel->rowCount() > 0 ? tr("Edit rules") : tr("Add a rule for these layers"));
    connect(edit, &QAction::triggered, this, [this] {
        if (m_ruleModel->rowCount() == 0) return addRule();
        m_rules->setFocus(Qt::OtherFocusReason);
        m_rules->setCurrentIndex(m_ruleModel->index(0, RuleModel::Match));
    });
    return menu;
}

void LayersCard::addScopeActions(QMenu* menu, const QStringList& matches, bool asSubmenu) {
    const bool obeys = m_document->recipe().backend != recipe::Backend::None;
    QAction* keepAction = menu->addAction(tr("Keep in high precision"));
    keepAction->setObjectName(asSubmenu ? QStringLiteral("keepEvery") : QStringLiteral("keep"));
    keepAction->setCheckable(true);
    keepAction->setChecked(allRun(matches, -1));
    keepAction->setEnabled(obeys);
    connect(keepAction, &QAction::triggered, this, [this, matches](bool on) { keep(matches, on); });
    for (const recipe::Gemm gemm : recipe::kGemms) {
        const auto at = static_cast<size_t>(gemm);
        const QString name = QString::fromUtf8(recipe::kGemmNames[at]);
        QAction* action = menu->addAction(tr("Keep %1 high").arg(name));
        action->setObjectName((asSubmenu ? QStringLiteral("every ") : QString()) + name);
        action->setCheckable(true);
        action->setChecked(allRun(matches, static_cast<int>(at)));
        action->setEnabled(obeys);
        connect(action, &QAction::triggered, this, [this, matches, gemm](bool on) { setGemm(matches, gemm, on); });
    }
}

void LayersCard::showMenu(const QPoint& place) {
    QMenu* menu = layerMenu();
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->popup(m_layers->viewport()->mapToGlobal(place));
}

void LayersCard::keep(const QStringList& matches, bool on) {
    recipe::Layers layers = m_document->recipe().layers;
    for (const QString& match : matches)
        layers.rules = withKept(layers, match.toStdString(), on);
    const QString what = matches.size() == 1 ? matches.constFirst() : tr("%1 layers").arg(matches.size());
    m_document->setRules(layers.rules,
                         on ? tr("keep %1 in high precision").arg(what) : tr("let %1 run in FP8").arg(what));
}

void LayersCard::setGemm(const QStringList& matches, recipe::Gemm gemm, bool high) {
    recipe::Layers layers = m_document->recipe().layers;
    for (const QString& match : matches)
        layers.rules = withGemmHigh(layers, match.toStdString(), gemm, high);
    const QString what = matches.size() == 1 ? matches.constFirst() : tr("%1 layers").arg(matches.size());
    const QString name = QString::fromUtf8(recipe::kGemmNames[static_cast<size_t>(gemm)]);
    m_document->setRules(
        layers.rules, high ? tr("keep %1 of %2 high").arg(name, what) : tr("let %1 of %2 run in FP8").arg(name, what));
}

void LayersCard::setBase(const QString& base) {
    (void)m_document->setField(recipe::recipeField("layers.base"), base.toStdString());  // one of its own choices
}

}  // namespace octet::ui
