// SPDX-License-Identifier: GPL-3.0-or-later
// The layer table and the rules that shape it: what every Linear of the model does, and menus that add, change and
// order rules. All edits go to the document; hits are shown before anything runs.
#pragma once

#include <QWidget>
#include <string>

#include "ui/recipe/layer_model.h"
#include "ui/recipe/recipe_document.h"
#include "ui/recipe/rule_model.h"

class QAction;
class QLabel;
class QLineEdit;
class QMenu;
class QSortFilterProxyModel;
class QTableView;

namespace octet::ui {

class Card;

class LayersCard final : public QWidget {
    Q_OBJECT

public:
    explicit LayersCard(RecipeDocument* document, QWidget* parent = nullptr);

    /// @param model  SPEC of the run setup
    void setModel(const std::string& model);
    [[nodiscard]] const LayerOutlook& outlook() const { return m_outlook; }
    [[nodiscard]] const LayerModel& layerModel() const { return *m_layerModel; }

    /// The menu of the selected layers; the caller owns it. Tests trigger its actions.
    [[nodiscard]] QMenu* layerMenu();

public slots:
    void addRule();

signals:
    void outlookChanged();
    void reasonShown(const QString& reason);  // of the current layer

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void buildFilters(Card* card);
    void buildLayers(Card* card);
    void buildRules(Card* card);
    void connectViews();
    void refresh();
    void showCounts();
    void showMenu(const QPoint& place);
    void addScopeActions(QMenu* menu, const QStringList& matches, bool asSubmenu);
    void keep(const QStringList& matches, bool on);
    void setGemm(const QStringList& matches, recipe::Gemm gemm, bool high);
    void setBase(const QString& base);
    void moveRule(int by);
    void removeRule();
    void fitLayers();
    void fitRules();
    [[nodiscard]] std::vector<size_t> selectedRows() const;                 // of the model, whatever is shown
    [[nodiscard]] bool allRun(const QStringList& matches, int gemm) const;  // gemm -1: none in FP8

    RecipeDocument* m_document;
    std::string m_model;
    LayerOutlook m_outlook;
    LayerModel* m_layerModel;
    QSortFilterProxyModel* m_shownLayers;  // sorted by a click on a header, narrowed by the search line
    RuleModel* m_ruleModel;
    Card* m_card;
    QTableView* m_layers = nullptr;
    QLineEdit* m_search = nullptr;
    QTableView* m_rules = nullptr;
    QWidget* m_rulesPanel = nullptr;
    QLabel* m_problem = nullptr;
    QLabel* m_ruleProblem = nullptr;
};

}  // namespace octet::ui
