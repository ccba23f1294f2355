// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/recipe/run_setup.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <string_view>

#include "ui/recipe/field_editor.h"
#include "ui/recipe/labels.h"
#include "ui/recipe/recipe_files.h"
#include "ui/widgets/card.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/style_sheet.h"

namespace octet::ui {
namespace {

const QString kOpenKey = QStringLiteral("recipe/setupOpen"), kSpecKey = QStringLiteral("recipe/setup"),
              kBaselineKey = QStringLiteral("recipe/setupBaseline");
constexpr double kMinLrShare = 0.1;  // of lr: the defaults' own ratio

struct ShownField {
    std::string_view key;
    const char* label;
    int stretch;
};

constexpr ShownField kShown[] = {
    {"model", QT_TRANSLATE_NOOP("RunSetup", "model"), 6},
    {"data", QT_TRANSLATE_NOOP("RunSetup", "data"), 3},
    {"steps", QT_TRANSLATE_NOOP("RunSetup", "steps"), 2},
    {"seeds", QT_TRANSLATE_NOOP("RunSetup", "seeds"), 2},
    {"optimizer.lr", QT_TRANSLATE_NOOP("RunSetup", "learning rate"), 2},
    {"batch", QT_TRANSLATE_NOOP("RunSetup", "batch"), 2},
    {"device", QT_TRANSLATE_NOOP("RunSetup", "device"), 2},
};

const recipe::RunField& runField(std::string_view key) {
    const auto fields = recipe::runFields();
    return *std::ranges::find_if(fields, [&](const recipe::RunField& field) { return field.key == key; });
}

QStringList suggestionsFor(std::string_view key) {
    if (key == "device") return {QStringLiteral("auto"), QStringLiteral("cpu"), QStringLiteral("cuda")};
    if (key == "data") return {QStringLiteral("sample"), QStringLiteral("synthetic:1")};
    return {};
}

}  // namespace

QStringList trainArguments(const recipe::RunSpec& spec) {
    QStringList arguments;
    for (const recipe::RunField& field : recipe::runFields()) {
        const recipe::FieldValue value = field.get(spec);
        if (value == field.get(recipe::RunSpec{})) continue;
        std::vector<std::string> words{recipe::fieldText(value)};
        if (const auto* list = std::get_if<std::vector<std::string>>(&value)) words = *list;
        for (const std::string& word : words)
            arguments << QString::fromUtf8(field.flag) << QString::fromStdString(word);
    }
    return arguments;
}

RunSetup::RunSetup(QWidget* parent)
    : QWidget(parent),
      m_card(new Card(tr("Run setup"), this)),
      m_fields(new QWidget(m_card)),
      m_toggle(new QToolButton(m_card)),
      m_run(new QPushButton(tr("Run"), m_card)),
      m_copy(new QPushButton(tr("Copy as command"), m_card)),
      m_withBaseline(new QCheckBox(tr("with the BF16 baseline"), m_card)),
      m_estimate(helpLabel({}, m_card)) {
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(m_card);
    restoreValues();
    buildHead(m_card);
    auto* row = new QHBoxLayout(m_fields);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    for (const ShownField& shown : kShown)
        row->addWidget(editorCell(runField(shown.key)), shown.stretch);
    m_card->body()->setSpacing(4);
    m_card->body()->addWidget(m_fields);
    m_card->body()->addWidget(m_estimate);
    m_estimate->setObjectName(QStringLiteral("estimate"));
    m_estimate->setAccessibleName(tr("Estimate of time and memory"));
    setOpen(QSettings().value(kOpenKey, true).toBool());
}

void RunSetup::keepValues() const {
    QSettings().setValue(kSpecKey, QString::fromStdString(recipe::runSpecToJson(m_spec).dump()));
    QSettings().setValue(kBaselineKey, m_withBaseline->isChecked());
}

/// Values of an older version that do not pass any more are dropped whole.
void RunSetup::restoreValues() {
    m_withBaseline->setChecked(QSettings().value(kBaselineKey, true).toBool());
    const std::string kept = QSettings().value(kSpecKey).toString().toStdString();
    if (kept.empty()) return;
    const auto json = parseJson(kept, "kept run setup");
    const auto spec = json ? recipe::runSpecFromJson(*json, "kept run setup") : Result<recipe::RunSpec>(json.error());
    if (spec) m_spec = *spec;
}

void RunSetup::buildHead(Card* card) {
    m_toggle->setCheckable(true);
    m_toggle->setProperty("role", QStringLiteral("quiet"));
    m_toggle->setAccessibleName(tr("Show the fields of the run"));
    m_toggle->setToolTip(tr("Show or hide the fields of the run"));
    m_withBaseline->setAccessibleName(m_withBaseline->text());
    m_withBaseline->setToolTip(
        tr("Trains the baseline on the same weights and data, and a hidden twin of it that "
           "measures the noise: without them there is no gap and no verdict."));
    m_run->setProperty("role", QStringLiteral("main"));
    m_run->setAccessibleName(tr("Train with this recipe"));
    m_copy->setAccessibleName(tr("Copy as a command of octet-engine"));
    card->addToHead(m_withBaseline);
    card->addToHead(m_copy);
    card->addToHead(m_run);
    card->addToHead(m_toggle);
    connect(m_toggle, &QToolButton::clicked, this, &RunSetup::chooseOpen);
    connect(m_run, &QPushButton::clicked, this, &RunSetup::runWanted);
    connect(m_copy, &QPushButton::clicked, this, &RunSetup::copyWanted);
    connect(m_withBaseline, &QCheckBox::toggled, this, &RunSetup::refresh);
}

QWidget* RunSetup::editorCell(const recipe::RunField& field) {
    auto* cell = new QWidget(m_fields);
    auto* column = new QVBoxLayout(cell);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(1);
    const auto* shown = std::ranges::find(kShown, field.key, &ShownField::key);
    const QString name = tr(shown->label);
    const QString unit = QString::fromUtf8(field.unit);
    const bool saysUnit = field.type == recipe::FieldType::Integer && !unit.isEmpty() && shown->key != "steps";
    QLabel* label = helpLabel(saysUnit ? tr("%1, %2").arg(name, unit) : name, cell);
    label->setWordWrap(false);
    FieldEditor* editor = FieldEditor::make(field, suggestionsFor(field.key), cell);
    editor->setEditorName(name);
    editor->showValue(field.get(m_spec));
    column->addWidget(label);
    column->addWidget(editor);
    connect(editor, &FieldEditor::valueEdited, this, [this, &field](const auto& value) { take(field, value); });
    connect(editor, &FieldEditor::valueRefused, this, &RunSetup::refresh);
    m_editors.push_back(editor);
    return cell;
}

void RunSetup::take(const recipe::RunField& field, const recipe::FieldValue& value) {
    field.set(m_spec, value);
    const std::string_view key = field.key;
    if (key == "optimizer.lr") m_spec.optimizer.minLr = m_spec.optimizer.lr * kMinLrShare;  // the cosine ends below
    refresh();
    if (key == "model") emit modelChanged(QString::fromStdString(m_spec.model));
}

void RunSetup::setOpen(bool isOpen) {
    m_fields->setVisible(isOpen);
    m_toggle->setChecked(isOpen);
    m_toggle->setIcon(themedIcon(isOpen ? QStringLiteral("chevron-down") : QStringLiteral("chevron-right")));
    refresh();
}

void RunSetup::chooseOpen(bool isOpen) {
    QSettings().setValue(kOpenKey, isOpen);
    setOpen(isOpen);
}

void RunSetup::setRoomy(bool isRoomy) {
    if (!QSettings().contains(kOpenKey) && isRoomy != m_toggle->isChecked()) setOpen(isRoomy);
}

void RunSetup::setRecipeIsBaseline(bool isBaseline) {
    if (isBaseline == m_recipeIsBaseline) return;
    m_recipeIsBaseline = isBaseline;
    refresh();
}

void RunSetup::setThroughput(const Throughput& throughput) {
    m_throughput = throughput;
    refresh();
}

recipe::RunSpec RunSetup::specFor(const QString& reference) const {
    recipe::RunSpec spec = m_spec;
    spec.recipes = {reference.toStdString()};
    if (m_withBaseline->isChecked() && !m_recipeIsBaseline) spec.recipes.emplace_back("preset:baseline");
    return spec;
}

QString RunSetup::problem() const {
    for (const FieldEditor* editor : m_editors) {
        if (!editor->problem().isEmpty())
            return tr("%1: %2").arg(QString::fromUtf8(editor->field().key), editor->problem());
    }
    const auto checked = recipe::checkRunSpec(m_spec);
    return checked ? QString() : errorText(checked.error());
}

void RunSetup::refresh() {
    m_withBaseline->setEnabled(!m_recipeIsBaseline);
    const QString wrong = problem();
    m_run->setEnabled(wrong.isEmpty());
    m_copy->setEnabled(wrong.isEmpty());
    const bool hasBaseline = m_recipeIsBaseline || m_withBaseline->isChecked();
    const auto estimate = runEstimate(specFor(QStringLiteral("preset:recipe")), hasBaseline, m_throughput);
    const bool isRight = wrong.isEmpty() && estimate.ok();
    m_estimate->setText(isRight ? estimateText(*estimate) : wrong);
    setStyleProperty(m_estimate, "role", isRight ? QStringLiteral("dim") : QStringLiteral("bad"));
    const bool isOpen = m_toggle->isChecked();
    m_estimate->setVisible(isOpen || !isRight);
    const QString model = QString::fromStdString(m_spec.model).section(u':', 0, 0);
    const QString summary = tr("%1 on %2, %3 steps").arg(model, QString::fromStdString(m_spec.data)).arg(m_spec.steps);
    m_card->setCaption(isOpen || !isRight ? QString() : tr("%1: %2").arg(summary, shortEstimateText(*estimate)));
}

}  // namespace octet::ui
