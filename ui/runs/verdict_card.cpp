// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/verdict_card.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/runs/figure_table.h"
#include "ui/widgets/card.h"
#include "ui/widgets/theme.h"

namespace octet::ui {
namespace {

QString roleOf(Tone tone) {
    switch (tone) {
        case Tone::Ok:
            return QStringLiteral("ok");
        case Tone::Warn:
            return QStringLiteral("warn");
        case Tone::Bad:
            return QStringLiteral("bad");
        case Tone::Accent:
        case Tone::Neutral:
            break;
    }
    return QStringLiteral("dim");
}

QLabel* label(const QString& text, const QString& role, QWidget* parent) {
    auto* made = new QLabel(text, parent);
    made->setProperty("role", role);
    made->setTextFormat(Qt::PlainText);
    made->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return made;
}

QString paragraphs(const QStringList& sentences) {
    QString html;
    for (const QString& sentence : sentences)
        html += QStringLiteral("<p style=\"margin:0 0 6px 0\">%1</p>").arg(sentence.toHtmlEscaped());
    return html;
}

}  // namespace

VerdictCard::VerdictCard(QWidget* parent)
    : QWidget(parent),
      m_card(new Card(tr("VERDICT"), this)),
      m_lines(new QWidget(this)),
      m_lineLayout(new QVBoxLayout(m_lines)),
      m_figures(new FigureTable(tr("Figures at the crosshair"), this)),
      m_sentences(new QLabel(this)),
      m_recipe(new QComboBox(this)),
      m_export(new QPushButton(tr("Export recipe"), this)) {
    build();
    connect(m_export, &QPushButton::clicked, this, [this] {
        const int index = m_recipe->currentIndex();
        if (index >= 0) emit exportRequested(m_exportable[static_cast<size_t>(index)].run);
    });
}

void VerdictCard::build() {
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(m_card);

    auto* content = new QWidget(this);
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(0, 0, 4, 0);
    layout->setSpacing(10);
    m_lineLayout->setContentsMargins(0, 0, 0, 0);
    m_lineLayout->setSpacing(2);
    layout->addWidget(m_lines);
    layout->addWidget(m_figures);
    m_sentences->setProperty("role", QStringLiteral("dim"));
    m_sentences->setWordWrap(true);
    m_sentences->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_sentences->setAlignment(Qt::AlignTop);
    layout->addWidget(m_sentences);
    layout->addStretch(1);

    auto* scroll = new QScrollArea(this);
    scroll->setWidget(content);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setAccessibleName(tr("Verdict"));
    content->setAutoFillBackground(false);  // setWidget() turned it on
    scroll->viewport()->setAutoFillBackground(false);
    m_card->body()->addWidget(scroll, 1);

    m_export->setProperty("role", QStringLiteral("main"));
    m_export->setObjectName(QStringLiteral("exportRecipe"));
    m_export->setAccessibleName(tr("Export recipe"));
    m_export->setToolTip(tr("Writes the Accelerate configuration as JSON, and the Octet recipe beside it"));
    m_recipe->setAccessibleName(tr("Recipe to export"));
    m_recipe->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_recipe->setMinimumContentsLength(8);
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    row->addWidget(m_export);
    row->addWidget(m_recipe, 1);
    m_card->body()->addLayout(row);
}

void VerdictCard::setView(const VerdictView& view) {
    if (view.baseline != m_view.baseline || m_view.lines != view.lines || m_view.waiting != view.waiting ||
        m_lineLayout->isEmpty())
        showLines(view);
    if (view.sentences != m_view.sentences) m_sentences->setText(paragraphs(view.sentences));
    m_figures->setTable(view.figures);
    m_figures->setVisible(!view.figures.rows.empty());
    m_sentences->setVisible(!view.sentences.isEmpty());
    m_view = view;
}

void VerdictCard::showLines(const VerdictView& view) {
    m_card->setCaption(view.baseline.isEmpty() ? QString() : tr("against %1").arg(view.baseline));
    while (QLayoutItem* item = m_lineLayout->takeAt(0)) {
        if (QWidget* old = item->widget()) {
            old->hide();
            old->deleteLater();
        }
        delete item;
    }
    if (!view.waiting.isEmpty()) {
        QLabel* waiting = label(view.waiting, QStringLiteral("dim"), m_lines);
        waiting->setWordWrap(true);
        m_lineLayout->addWidget(waiting);
        return;
    }
    for (const VerdictLine& line : view.lines) {
        auto* head = new QWidget(m_lines);
        auto* row = new QHBoxLayout(head);
        row->setContentsMargins(0, 2, 0, 0);
        row->setSpacing(8);
        QLabel* word = label(line.word, roleOf(line.tone), head);
        word->setStyleSheet(QStringLiteral("font-size: 19px; font-weight: 600;"));
        QLabel* name = label(line.name, QString(), head);
        row->addWidget(word, 0, Qt::AlignBaseline);
        row->addWidget(name, 1, Qt::AlignBaseline);
        QLabel* detail = label(line.detail, QStringLiteral("dim"), m_lines);
        detail->setWordWrap(true);
        m_lineLayout->addWidget(head);
        m_lineLayout->addWidget(detail);
    }
}

void VerdictCard::setExportable(const std::vector<Exportable>& runs, store::RunId offered) {
    if (runs != m_exportable) {
        m_exportable = runs;
        m_recipe->clear();
        for (const Exportable& one : runs)
            m_recipe->addItem(one.name);
    }
    const auto found = std::ranges::find(m_exportable, offered, &Exportable::run);
    if (found != m_exportable.end()) m_recipe->setCurrentIndex(static_cast<int>(found - m_exportable.begin()));
    m_export->setEnabled(!m_exportable.empty());
    m_recipe->setEnabled(m_exportable.size() > 1);
}

}  // namespace octet::ui
