// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/recipe/recipe_form.h"

#include <QGridLayout>
#include <QLabel>
#include <QScrollArea>
#include <algorithm>
#include <string_view>

#include "ui/recipe/field_binding.h"
#include "ui/recipe/field_outlook.h"
#include "ui/recipe/labels.h"
#include "ui/recipe/semantics_switch.h"
#include "ui/widgets/card.h"
#include "ui/widgets/pill.h"

namespace octet::ui {
namespace {

enum Column { FieldColumn, EditorColumn, PillColumn, SentenceColumn };

constexpr int kPillWidth = 60, kEditorWidth = 124, kLineHeight = 24;

/// Name, backend, target and layers have their own places beside the form.
bool isInForm(const recipe::RecipeField& field) {
    const std::string_view key = field.key;
    return key.starts_with("te.") || key.starts_with("ao.") || key.starts_with("native.");
}

/// Names and choices that would be clipped, or widen the column for all rows.
bool isWide(const recipe::RecipeField& field) {
    constexpr size_t kLongestWord = 14, kLongestName = 25;
    const auto isLong = [](const std::string& word) { return word.size() > kLongestWord; };
    return field.type == recipe::FieldType::ThreeBooleans || std::ranges::any_of(field.choices, isLong) ||
           shortKey(field).size() > qsizetype{kLongestName};
}

QString capitalised(QString text) {
    if (!text.isEmpty()) text[0] = text[0].toUpper();
    return text;
}

Tone toneOf(FieldStatus status) {
    switch (status) {
        case FieldStatus::Used:
            return Tone::Ok;
        case FieldStatus::Default:
            return Tone::Neutral;
        case FieldStatus::Ignored:
        case FieldStatus::Overridden:
            return Tone::Warn;
        case FieldStatus::Dropped:
        case FieldStatus::Refused:
            return Tone::Bad;
    }
    return Tone::Neutral;
}

}  // namespace

RecipeForm::RecipeForm(RecipeDocument* document, QWidget* parent)
    : QWidget(parent), m_document(document), m_card(new Card({}, this)) {
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(m_card);
    const recipe::RecipeField& semantics = recipe::recipeField("semantics");
    auto* semanticsSwitch = new SemanticsSwitch(semantics, m_card);
    bindEditor(semanticsSwitch, semantics, document);
    m_card->addToHead(semanticsSwitch);

    auto* page = new QWidget(m_card);
    page->setObjectName(QStringLiteral("formPage"));
    auto* grid = new QGridLayout(page);
    grid->setContentsMargins(0, 0, 6, 0);
    grid->setHorizontalSpacing(10);
    grid->setVerticalSpacing(2);
    grid->setColumnStretch(SentenceColumn, 1);
    grid->setColumnMinimumWidth(PillColumn, kPillWidth);
    addHead(grid);
    for (const recipe::RecipeField& field : recipe::recipeFields()) {
        if (isInForm(field)) addRow(grid, field);
    }
    grid->setRowStretch(grid->rowCount(), 1);
    m_page = page;
    m_card->body()->addWidget(pageScroll(page, m_card));
    connect(document, &RecipeDocument::changed, this, &RecipeForm::refresh);
    connect(document, &RecipeDocument::problemsChanged, this, &RecipeForm::refresh);
    refresh();
}

int RecipeForm::wholeHeight() const {
    constexpr int kHeadAndMargins = 58;
    const int page =
        m_page->hasHeightForWidth() ? m_page->heightForWidth(m_page->width()) : m_page->sizeHint().height();
    return page + kHeadAndMargins;
}

void RecipeForm::addHead(QGridLayout* grid) {
    grid->addWidget(dimLabel(tr("field"), this), 0, FieldColumn);
    grid->addWidget(dimLabel(tr("asked"), this), 0, EditorColumn);
    grid->addWidget(dimLabel(tr("what will happen"), this), 0, PillColumn, 1, 2);
}

QString RecipeForm::helpText(const recipe::RecipeField& field) {
    return tr("%1. %2").arg(capitalised(defaultText(field)), QString::fromUtf8(field.help));
}

void RecipeForm::addRow(QGridLayout* grid, const recipe::RecipeField& field) {
    const int line = grid->rowCount(), first = grid->count();
    grid->addWidget(hairline(this), line, FieldColumn, 1, 4);
    FieldEditor* editor = makeBoundEditor(field, m_document, this);
    Row row{&field, editor, new Pill({}, Tone::Neutral, this), wrappedLabel({}, this), {}};
    auto* name = new QLabel(shortKey(field), this);
    name->setBuddy(editor);
    name->setToolTip(tr("Expected: %1. Read by: %2.")
                         .arg(QString::fromStdString(recipe::expectedText(field)), QString::fromUtf8(field.readBy)));
    for (QWidget* widget : std::initializer_list<QWidget*>{name, row.pill, row.sentence})
        widget->setMinimumHeight(kLineHeight);
    row.sentence->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    row.sentence->setContentsMargins(0, 4, 0, 0);  // its first line beside the editor's
    // A wide editor stands under its name, so that a row is as low as it can be.
    QLabel* help = helpLabel(helpText(field), this);
    if (isWide(field)) {
        grid->addWidget(name, line + 1, FieldColumn, 1, 2, Qt::AlignTop);
        grid->addWidget(editor, line + 2, FieldColumn, 1, 2, Qt::AlignTop);
        grid->addWidget(help, line + 2, PillColumn, 1, 2, Qt::AlignTop);
    } else {
        editor->setFixedWidth(kEditorWidth);
        grid->addWidget(name, line + 1, FieldColumn, Qt::AlignTop);
        grid->addWidget(editor, line + 1, EditorColumn, Qt::AlignTop);
        grid->addWidget(help, line + 2, FieldColumn, 1, 4);
    }
    grid->addWidget(row.pill, line + 1, PillColumn, Qt::AlignTop | Qt::AlignLeft);
    grid->addWidget(row.sentence, line + 1, SentenceColumn);
    row.pill->setObjectName(QStringLiteral("status ") + QString::fromUtf8(field.key));
    row.sentence->setObjectName(QStringLiteral("outlook ") + QString::fromUtf8(field.key));
    for (int i = first; i < grid->count(); ++i)
        row.widgets.push_back(grid->itemAt(i)->widget());
    m_rows.push_back(row);
}

void RecipeForm::refreshRow(const Row& row) {
    const bool shown = belongsToForm(m_document->recipe(), *row.field);
    for (QWidget* widget : row.widgets)
        widget->setVisible(shown);
    if (!shown) return;
    if (!row.editor->problem().isEmpty()) {
        row.pill->setText(tr("no value"), Tone::Bad);
        row.sentence->setText(row.editor->problem());
        return;
    }
    const FieldOutlook outlook = fieldOutlook(m_document->recipe(), *row.field);
    row.pill->setText(statusText(outlook.status), toneOf(outlook.status));
    row.sentence->setText(outlook.sentence);
    row.pill->setToolTip(outlook.details);
    row.sentence->setToolTip(outlook.details);
}

void RecipeForm::refresh() {
    switch (m_document->recipe().backend) {
        case recipe::Backend::None:
            m_card->setTitle(tr("Baseline, no FP8"));
            break;
        case recipe::Backend::Te:
            m_card->setTitle(m_document->recipe().te.useMxfp8BlockScaling ? tr("Transformer Engine, MXFP8")
                                                                          : tr("Transformer Engine, delayed scaling"));
            break;
        case recipe::Backend::Ao:
            m_card->setTitle(tr("torchao"));
            break;
        case recipe::Backend::Native:
            m_card->setTitle(tr("Transformer Engine without Accelerate"));
            break;
    }
    for (const Row& row : m_rows)
        refreshRow(row);
}

}  // namespace octet::ui
