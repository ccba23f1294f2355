// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/recipe/target_card.h"

#include <QGridLayout>
#include <QLabel>
#include <QScrollArea>
#include <string_view>

#include "ui/recipe/field_binding.h"
#include "ui/recipe/field_outlook.h"
#include "ui/recipe/labels.h"
#include "ui/widgets/card.h"
#include "ui/widgets/pill.h"

namespace octet::ui {
namespace {

Tone toneOf(Finding::Kind kind) {
    switch (kind) {
        case Finding::Kind::Refused:
        case Finding::Kind::StopsFp8:
            return Tone::Bad;
        case Finding::Kind::NoEffect:
        case Finding::Kind::Warning:
            return Tone::Warn;
        case Finding::Kind::Note:
            break;
    }
    return Tone::Neutral;
}

QWidget* findingRow(const Finding& finding, QWidget* parent) {
    auto* row = new QWidget(parent);
    auto* column = new QVBoxLayout(row);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    column->addWidget(new Pill(findingText(finding.kind), toneOf(finding.kind), row));
    column->addWidget(wrappedLabel(finding.sentence, row));
    return row;
}

}  // namespace

TargetCard::TargetCard(RecipeDocument* document, QWidget* parent)
    : QWidget(parent), m_document(document), m_page(new QWidget), m_findings(new QVBoxLayout(m_page)) {
    auto* card = new Card(tr("Target"), this);
    card->setCaption(tr("what the recipe is meant for"));
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(card);
    addTargets(card->body());
    card->body()->addWidget(captionLabel(tr("Findings"), card));
    m_findings->setContentsMargins(0, 0, 6, 0);
    m_findings->setSpacing(8);
    QScrollArea* scroll = pageScroll(m_page, card);
    scroll->setMinimumHeight(36);
    card->body()->addWidget(scroll, 1);
    connect(document, &RecipeDocument::changed, this, &TargetCard::refresh);
    refresh();
}

void TargetCard::addTargets(QVBoxLayout* body) {
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(10);
    grid->setVerticalSpacing(2);
    grid->setColumnStretch(1, 1);
    for (const recipe::RecipeField& field : recipe::recipeFields()) {
        if (!std::string_view(field.key).starts_with("target.")) continue;
        const int line = grid->rowCount();
        auto* label = new QLabel(shortKey(field), this);
        FieldEditor* editor = makeBoundEditor(field, m_document, this);
        editor->setMinimumWidth(84);
        label->setBuddy(editor);
        label->setToolTip(QString::fromUtf8(field.help));
        grid->addWidget(label, line, 0);
        grid->addWidget(editor, line, 1);
    }
    body->addLayout(grid);
}

void TargetCard::setLayerNotes(std::vector<std::string> notes) {
    if (notes == m_layerNotes) return;
    m_layerNotes = std::move(notes);
    refresh();
}

void TargetCard::refresh() {
    while (QLayoutItem* item = m_findings->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    const std::vector<Finding> findings = findingsOf(m_document->recipe(), m_layerNotes);
    for (const Finding& finding : findings)
        m_findings->addWidget(findingRow(finding, m_page));
    if (findings.empty())
        m_findings->addWidget(wrappedLabel(tr("Nothing to report: all that is asked happens."), m_page));
    m_findings->addStretch(1);
}

}  // namespace octet::ui
