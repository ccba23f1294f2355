// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/run_list_panel.h"

#include <QAction>
#include <QLineEdit>
#include <QMenu>
#include <QMouseEvent>
#include <QRegularExpression>
#include <QSortFilterProxyModel>
#include <QTreeView>
#include <QVBoxLayout>

#include "ui/models/run_list_model.h"
#include "ui/runs/run_delegate.h"
#include "ui/runs/shown_runs.h"

namespace octet::ui {
namespace {

/// Finds a run by what is written in its two lines; the experiment's name finds all of its runs.
class RunFilter final : public QSortFilterProxyModel {
public:
    using QSortFilterProxyModel::QSortFilterProxyModel;

protected:
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex& parent) const override {
        const QString wanted = filterRegularExpression().pattern();
        if (wanted.isEmpty()) return true;
        const QModelIndex index = sourceModel()->index(row, 0, parent);
        for (const int role : {int(Qt::DisplayRole), int(RunListModel::DetailRole), int(RunListModel::PillTextRole)}) {
            if (index.data(role).toString().contains(filterRegularExpression())) return true;
            if (parent.isValid() && parent.data(role).toString().contains(filterRegularExpression())) return true;
        }
        return false;
    }
};

}  // namespace

RunListPanel::RunListPanel(Selection* selection, QWidget* parent)
    : QWidget(parent),
      m_selection(selection),
      m_filter(new RunFilter(this)),
      m_search(new QLineEdit(this)),
      m_tree(new QTreeView(this)) {
    build();
    makeActions();
    connectTree();
}

void RunListPanel::build() {
    m_search->setPlaceholderText(tr("Search runs"));
    m_search->setAccessibleName(tr("Search runs"));
    m_search->setClearButtonEnabled(true);
    m_filter->setRecursiveFilteringEnabled(true);
    m_tree->setObjectName(QStringLiteral("runList"));
    m_tree->setAccessibleName(tr("Experiments and runs"));
    m_tree->setModel(m_filter);
    m_tree->setItemDelegate(new RunDelegate(m_tree));
    m_tree->viewport()->installEventFilter(this);
    m_tree->setHeaderHidden(true);
    m_tree->setRootIsDecorated(false);
    m_tree->setIndentation(0);
    m_tree->setItemsExpandable(false);
    m_tree->setMouseTracking(true);
    m_tree->setContextMenuPolicy(Qt::CustomContextMenu);
    m_tree->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_tree->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 10, 0, 0);
    layout->setSpacing(8);
    auto* searchRow = new QVBoxLayout;
    searchRow->setContentsMargins(12, 0, 12, 0);
    searchRow->addWidget(m_search);
    layout->addLayout(searchRow);
    layout->addWidget(m_tree, 1);
}

QAction* RunListPanel::addAction(const QString& text, const QKeySequence& key, void (RunListPanel::*handler)()) {
    auto* action = new QAction(text, this);
    action->setShortcut(key);
    action->setShortcutContext(Qt::WidgetShortcut);
    m_tree->addAction(action);
    connect(action, &QAction::triggered, this, handler);
    return action;
}

void RunListPanel::makeActions() {
    m_eye = addAction(tr("Hide"), QKeySequence(Qt::Key_H), &RunListPanel::toggleEye);
    m_isolate = addAction(tr("Isolate"), QKeySequence(Qt::Key_I), &RunListPanel::isolateCurrent);
    m_overlay =
        addAction(tr("Keep when another experiment is chosen"), QKeySequence(Qt::Key_K), &RunListPanel::toggleOverlay);
    m_pin = addAction(tr("Pin as baseline"), QKeySequence(Qt::Key_B), &RunListPanel::pin);
    m_pause = addAction(tr("Pause"), QKeySequence(Qt::Key_P), &RunListPanel::pauseOrResume);
    m_stop = addAction(tr("Stop"), {}, &RunListPanel::stopRun);
    m_recipe = addAction(tr("Open its recipe"), QKeySequence(Qt::CTRL | Qt::Key_Return), &RunListPanel::openRecipe);
}

void RunListPanel::connectTree() {
    connect(m_search, &QLineEdit::textChanged, this, [this](const QString& text) {
        m_filter->setFilterRegularExpression(
            QRegularExpression(QRegularExpression::escape(text.trimmed()), QRegularExpression::CaseInsensitiveOption));
        m_tree->expandAll();
    });
    connect(m_filter, &QAbstractItemModel::rowsInserted, m_tree, &QTreeView::expandAll);
    connect(m_filter, &QAbstractItemModel::modelReset, m_tree, &QTreeView::expandAll);
    connect(m_tree, &QTreeView::customContextMenuRequested, this, &RunListPanel::showMenu);
    connect(m_tree->selectionModel(), &QItemSelectionModel::currentChanged, this, &RunListPanel::takeCurrent);
    connect(m_tree, &QTreeView::doubleClicked, this, [this](const QModelIndex& index) {
        const store::RunId run = m_model->runAt(m_filter->mapToSource(index));
        if (run.valid()) isolate(run);
    });
    connect(m_selection, &Selection::currentRunChanged, this, &RunListPanel::showCurrentRun);
}

void RunListPanel::setProject(Project* project) {
    m_project = project;
    m_filter->setSourceModel(nullptr);
    delete m_model;
    m_model = project ? new RunListModel(project, m_selection, this) : nullptr;
    m_filter->setSourceModel(m_model);
    m_tree->expandAll();
    if (!project) return;
    connect(project, &Project::runsChanged, this, &RunListPanel::updateActions);
    connect(m_model, &QAbstractItemModel::modelReset, this, &RunListPanel::showCurrentRun);
    showCurrentRun();
}

store::RunId RunListPanel::currentRun() const {
    return m_model ? m_model->runAt(m_filter->mapToSource(m_tree->currentIndex())) : store::RunId{};
}

void RunListPanel::takeCurrent(const QModelIndex& index) {
    if (!m_model || !index.isValid()) return;
    const QModelIndex source = m_filter->mapToSource(index);
    const store::RunId run = m_model->runAt(source);
    m_selection->setExperiment(m_model->experimentAt(source));
    if (run.valid()) m_selection->setCurrentRun(run);
    updateActions();
}

void RunListPanel::showCurrentRun() {
    if (!m_model || !m_selection->currentRun().valid()) return;
    const QModelIndex index = m_filter->mapFromSource(m_model->indexOf(m_selection->currentRun()));
    if (index.isValid() && index != m_tree->currentIndex()) m_tree->setCurrentIndex(index);
    updateActions();
}

void RunListPanel::updateActions() {
    const store::RunInfo* run = m_project ? m_project->run(currentRun()) : nullptr;
    for (QAction* action : {m_eye, m_isolate, m_overlay, m_pin, m_recipe})
        action->setEnabled(run);
    m_pause->setEnabled(run && isLive(run->state));
    m_stop->setEnabled(run && isLive(run->state));
    if (!run) return;
    m_eye->setText(m_tree->currentIndex().data(RunListModel::VisibleRole).toBool() ? tr("Hide") : tr("Show"));
    m_overlay->setText(m_selection->isOverlaid(run->id) ? tr("Let go when another experiment is chosen")
                                                        : tr("Keep when another experiment is chosen"));
    m_pin->setText(m_selection->baseline() == run->id ? tr("Unpin baseline") : tr("Pin as baseline"));
    m_pause->setText(run->state == store::RunState::Paused ? tr("Resume") : tr("Pause"));
}

void RunListPanel::showMenu(const QPoint& at) {
    const QModelIndex index = m_tree->indexAt(at);
    if (!m_model || !m_model->runAt(m_filter->mapToSource(index)).valid()) return;
    m_tree->setCurrentIndex(index);
    updateActions();
    QMenu menu(this);
    menu.addActions({m_eye, m_isolate, m_overlay, m_pin});
    menu.addSeparator();
    menu.addActions({m_pause, m_stop});
    if (m_recipeMenu && m_stop->isEnabled()) {
        m_recipeMenu->setTitle(tr("Set recipe from the next step"));
        menu.addMenu(m_recipeMenu);
    }
    menu.addSeparator();
    menu.addAction(m_recipe);
    menu.exec(m_tree->viewport()->mapToGlobal(at));
}

void RunListPanel::toggleEye() {
    const QModelIndex index = m_tree->currentIndex();
    if (currentRun().valid())
        m_filter->setData(index, !index.data(RunListModel::VisibleRole).toBool(), RunListModel::VisibleRole);
    updateActions();
}

void RunListPanel::toggleOverlay() {
    const store::RunId run = currentRun();
    if (run.valid()) m_selection->setOverlaid(run, !m_selection->isOverlaid(run));
    updateActions();
}

/// A press on a run's eye neither chooses the run nor its experiment: that is how runs of two experiments come
/// together.
bool RunListPanel::eventFilter(QObject* watched, QEvent* event) {
    const bool isPress = event->type() == QEvent::MouseButtonPress || event->type() == QEvent::MouseButtonDblClick;
    if (watched != m_tree->viewport() || !isPress || !m_model) return QWidget::eventFilter(watched, event);
    const auto* mouse = static_cast<QMouseEvent*>(event);
    const QModelIndex index = m_tree->indexAt(mouse->pos());
    const bool isEye = mouse->button() == Qt::LeftButton && m_model->runAt(m_filter->mapToSource(index)).valid() &&
                       RunDelegate::isEye(m_tree->visualRect(index), mouse->pos());
    if (!isEye) return QWidget::eventFilter(watched, event);
    m_filter->setData(index, !index.data(RunListModel::VisibleRole).toBool(), RunListModel::VisibleRole);
    updateActions();
    return true;
}

void RunListPanel::isolateCurrent() {
    if (currentRun().valid()) isolate(currentRun());
}

void RunListPanel::isolate(store::RunId wanted) {
    const store::RunInfo* run = m_project ? m_project->run(wanted) : nullptr;
    if (!run) return;
    std::vector<store::RunId> others;
    bool isAlone = m_selection->isVisible(wanted);
    for (const store::RunInfo& other : m_project->runs()) {
        if (other.experiment != run->experiment || other.hidden || other.id == wanted) continue;
        others.push_back(other.id);
        isAlone = isAlone && !m_selection->isVisible(other.id);
    }
    m_selection->setVisible(wanted, true);
    for (const store::RunId other : others)
        m_selection->setVisible(other, isAlone);
    updateActions();
}

void RunListPanel::pin() {
    const store::RunId run = currentRun();
    m_selection->setBaseline(run == m_selection->baseline() ? store::RunId{} : run);
    updateActions();
}

void RunListPanel::pauseOrResume() {
    const store::RunInfo* run = m_project ? m_project->run(currentRun()) : nullptr;
    if (!run) return;
    const bool isPaused = run->state == store::RunState::Paused;
    emit commandWanted(run->id, isPaused ? store::CommandVerb::Resume : store::CommandVerb::Pause);
}

void RunListPanel::stopRun() {
    if (currentRun().valid()) emit commandWanted(currentRun(), store::CommandVerb::Stop);
}

void RunListPanel::openRecipe() {
    if (currentRun().valid()) emit recipeWanted(currentRun());
}

}  // namespace octet::ui
