// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/inspector.h"

#include <QFrame>
#include <QLabel>
#include <QScrollArea>
#include <QSplitter>
#include <QTabWidget>
#include <QVBoxLayout>

#include "ui/runs/events_panel.h"
#include "ui/runs/figure_table.h"
#include "ui/runs/layers_panel.h"
#include "ui/runs/verdict_card.h"

namespace octet::ui {

Inspector::Inspector(Selection* selection, QWidget* parent)
    : QWidget(parent),
      m_verdict(new VerdictCard(this)),
      m_layers(new LayersPanel(selection, this)),
      m_events(new EventsPanel(selection, this)),
      m_differences(new FigureTable(tr("Differences between the runs"), this)),
      m_agreement(new QLabel(this)) {
    auto* tabs = new QTabWidget(this);
    tabs->setAccessibleName(tr("Layers, differences, events"));
    tabs->setDocumentMode(true);
    tabs->addTab(m_layers, tr("Layers"));
    tabs->addTab(makeDifferences(), tr("Differences"));
    tabs->addTab(m_events, tr("Events"));
    auto* card = new QFrame(this);
    card->setProperty("role", QStringLiteral("card"));
    auto* cardLayout = new QVBoxLayout(card);
    cardLayout->setContentsMargins(8, 8, 8, 8);
    cardLayout->addWidget(tabs);
    auto* splitter = new QSplitter(Qt::Vertical, this);
    splitter->setChildrenCollapsible(false);
    splitter->setHandleWidth(10);
    splitter->addWidget(m_verdict);
    splitter->addWidget(card);
    splitter->setStretchFactor(0, 5);
    splitter->setStretchFactor(1, 4);
    splitter->setSizes({500, 400});
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(splitter);
}

QWidget* Inspector::makeDifferences() {
    auto* page = new QWidget(this);
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 6, 6, 0);
    layout->addWidget(m_differences);
    m_agreement->setProperty("role", QStringLiteral("dim"));
    m_agreement->setWordWrap(true);
    layout->addWidget(m_agreement);
    layout->addStretch(1);
    auto* scroll = new QScrollArea(this);
    scroll->setWidget(page);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    page->setAutoFillBackground(false);
    scroll->viewport()->setAutoFillBackground(false);
    scroll->setAccessibleName(tr("Differences"));
    return scroll;
}

void Inspector::setProject(Project* project) {
    m_layers->setProject(project);
    m_events->setProject(project);
}

void Inspector::setDifferences(const FigureTableText& differences, bool hasSeveralRuns) {
    m_differences->setTable(differences);
    m_differences->setVisible(!differences.rows.empty());
    m_agreement->setText(!hasSeveralRuns
                             ? tr("Show at least two runs: what their recipes and surroundings differ in is "
                                  "listed here.")
                         : differences.rows.empty() ? tr("Recipes and surroundings of these runs are equal.")
                                                    : tr("Everything else agrees: recipe, model, data and its order, "
                                                         "versions, device."));
}

}  // namespace octet::ui
