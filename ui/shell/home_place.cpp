// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/home_place.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QListView>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "engine/store/project.h"
#include "ui/models/recent_model.h"
#include "ui/shell/settings.h"
#include "ui/shell/workbench.h"
#include "ui/widgets/card.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/two_line_delegate.h"

namespace octet::ui {
namespace {

constexpr int kColumnMaxPx = 980, kListSidePx = 3, kEmptyHeightPx = 96;

QLabel* paragraph(const QString& text, bool dim, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    label->setWordWrap(true);
    if (dim) label->setProperty("role", QStringLiteral("dim"));
    return label;
}

QLabel* headline(const QString& text, QWidget* parent) {
    auto* label = paragraph(text, false, parent);
    QFont font = label->font();
    font.setPixelSize(20);
    font.setWeight(QFont::Bold);
    label->setFont(font);
    return label;
}

}  // namespace

HomePlace::HomePlace(QWidget* parent) : Place(parent) {
    auto* left = new QVBoxLayout;
    left->setSpacing(10);
    left->addWidget(buildStart());
    left->addWidget(buildOpen());
    left->addStretch(1);
    auto* columns = new QHBoxLayout;
    columns->setSpacing(10);
    columns->addLayout(left, 5);
    columns->addWidget(buildRecent(), 4, Qt::AlignTop);
    auto* column = new QWidget(this);
    column->setMaximumWidth(kColumnMaxPx);
    column->setLayout(columns);
    columns->setContentsMargins(0, 0, 0, 0);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(10, 10, 10, 10);
    layout->addStretch(1);
    layout->addWidget(column, 100);
    layout->addStretch(1);
    entered();
}

QWidget* HomePlace::buildStart() {
    auto* card = new Card(tr("Start here"), this);
    card->setCaption(tr("no data, no GPU, no settings needed"));
    m_compare = new QPushButton(tr("Compare HYBRID with E4M3"), card);
    m_compare->setObjectName(QStringLiteral("compare"));
    m_compare->setProperty("role", QStringLiteral("main"));
    m_compare->setAccessibleDescription(tr("Starts three training runs at once and shows them"));
    auto* body = card->body();
    body->setSpacing(10);
    body->addWidget(headline(tr("Which FP8 recipe does your network tolerate?"), card));
    body->addWidget(paragraph(tr("Trains three small Llamas side by side on real text, from the same start weights and "
                                 "the same data order: HYBRID (E4M3 forward, E5M2 backward), E4M3 everywhere, and a "
                                 "BF16 baseline to measure them against."),
                              false, card));
    body->addWidget(paragraph(tr("You see every loss, amax, scale and underflow while it trains, then a verdict in "
                                 "plain words, and you take the recipe home as a file that Accelerate loads. 300 "
                                 "steps; about a minute or two on a laptop."),
                              true, card));
    body->addWidget(m_compare, 0, Qt::AlignLeft);
    connect(m_compare, &QPushButton::clicked, this, [this] { emit wantsTraining(comparisonArguments()); });
    return card;
}

QWidget* HomePlace::buildOpen() {
    auto* card = new Card(tr("Open"), this);
    card->setCaption(tr("or drop a file anywhere on this window"));
    card->body()->addWidget(paragraph(tr("A project (*.octet) with recorded runs, also one that is being trained on "
                                         "right now, or a recipe (*.octet.json)."),
                                      true, card));
    auto* open = new QPushButton(tr("Open a file..."), card);
    open->setAccessibleDescription(tr("Opens a project or a recipe"));
    auto* edit = new QPushButton(tr("Write a recipe"), card);
    edit->setAccessibleDescription(tr("Goes to the Recipe place with the HYBRID preset"));
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(open);
    buttons->addWidget(edit);
    buttons->addStretch(1);
    card->body()->addLayout(buttons);
    connect(open, &QPushButton::clicked, this, &HomePlace::openRequested);
    connect(edit, &QPushButton::clicked, this, [this] { emit wantsRecipe(QStringLiteral("preset:hybrid-16")); });
    return card;
}

QWidget* HomePlace::buildRecent() {
    auto* card = new Card(tr("Recent projects"), this);
    m_recent = new RecentModel(this);
    m_recentView = new QListView(card);
    m_recentView->setAccessibleName(tr("Recent projects"));
    m_recentView->setModel(m_recent);
    m_recentView->setItemDelegate(new TwoLineDelegate(RecentModel::DetailRole, m_recentView));
    m_recentView->setMouseTracking(true);
    m_recentView->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_recentView->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_recentStack = new QStackedWidget(card);
    m_recentStack->addWidget(new EmptyState(tr("Nothing yet. Every comparison is kept as one file in ~/Octet and "
                                               "stands here, ready to be opened again."),
                                            {}, card));
    m_recentStack->addWidget(m_recentView);
    card->body()->setContentsMargins(kListSidePx, 0, kListSidePx, 0);  // the rows' words line up with the head
    card->body()->addWidget(m_recentStack);
    const auto choose = [this](const QModelIndex& index) {
        emit projectChosen(index.data(RecentModel::PathRole).toString());
    };
    connect(m_recentView, &QListView::activated, this, choose);
    connect(m_recentView, &QListView::clicked, this, [this, choose](const QModelIndex& index) {
        // A style that activates on a single click has said so already.
        if (!style()->styleHint(QStyle::SH_ItemView_ActivateItemOnSingleClick, nullptr, m_recentView)) choose(index);
    });
    return card;
}

void HomePlace::entered() {
    m_recent->load(Settings::recentProjects(), QString::fromStdString(store::defaultProjectFolder().string()));
    const int rows = m_recent->rowCount();
    m_recentStack->setCurrentIndex(rows > 0 ? 1 : 0);
    m_recentStack->setFixedHeight(rows > 0 ? rows * m_recentView->sizeHintForRow(0) + 4 : kEmptyHeightPx);
    emit statusText({});
}

QStringList HomePlace::comparisonArguments() {
    const auto text = [](const char* word) { return QString::fromLatin1(word); };
    QStringList arguments{text("--store"), QString::fromStdString(Workbench::todaysProject().string()), text("--name"),
                          text("HYBRID against E4M3")};
    for (const char* preset : {"preset:hybrid-16", "preset:e4m3-16", "preset:baseline"})
        arguments << text("--recipe") << text(preset);
    return arguments << text("--data") << text("sample") << text("--steps") << text("300") << text("--seeds")
                     << text("1");
}

}  // namespace octet::ui
