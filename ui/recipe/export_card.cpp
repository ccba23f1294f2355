// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/recipe/export_card.h"

#include <QButtonGroup>
#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>
#include <filesystem>

#include "engine/core/files.h"
#include "engine/recipe/export.h"
#include "engine/recipe/recipe_json.h"
#include "ui/recipe/labels.h"
#include "ui/recipe/recipe_files.h"
#include "ui/widgets/card.h"
#include "ui/widgets/style_sheet.h"
#include "ui/widgets/theme.h"

namespace octet::ui {
namespace {

const QString kOctetSuffix = QStringLiteral(".octet.json");
const QString kOtherSuffix = QStringLiteral(".accelerate.json");

bool isOctetForm(const std::string& target) {
    return target == recipe::exportTargets().front().name;
}

/// "a.octet.json", "a.accelerate.json" and "a.json" -> "a"
QString stemOf(QString path) {
    for (const QString& suffix : {kOctetSuffix, kOtherSuffix, QStringLiteral(".json")}) {
        if (path.endsWith(suffix)) return path.chopped(suffix.size());
    }
    return path;
}

Result<void> write(const QString& path, const std::string& text) {
    return writeFileAtomically(std::filesystem::path(path.toStdString()), text);
}

/// Hints that name a flag of the command line are none in a window.
QString refusalText(const Error& error) {
    if (error.hint.find("--") == std::string::npos) return errorText(error);
    return ExportCard::tr("%1 Export it for Octet instead.").arg(QString::fromStdString(error.message));
}

/// "octet-json" -> "Octet": who reads it.
QString buttonText(const std::string& target) {
    QString text = QString::fromStdString(target).section(u'-', 0, 0);
    text[0] = text[0].toUpper();
    return text;
}

}  // namespace

ExportCard::ExportCard(RecipeDocument* document, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_target(recipe::exportTargets().front().name),
      m_preview(new QPlainTextEdit(this)),
      m_leftOut(wrappedLabel({}, this)),
      m_saveAs(new QPushButton(tr("Save as..."), this)),
      m_copy(new QPushButton(tr("Copy"), this)) {
    auto* card = new Card(tr("Export"), this);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(card);
    addTargets(card);
    m_preview->setReadOnly(true);
    m_preview->setFont(numberFont());
    m_preview->setLineWrapMode(QPlainTextEdit::WidgetWidth);
    m_preview->setTabChangesFocus(true);
    m_preview->setAccessibleName(tr("Preview of the exported file"));
    m_preview->setMinimumHeight(56);
    card->body()->addWidget(m_preview, 3);
    m_leftOut->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_leftOut->setAccessibleName(tr("What the file leaves out"));
    m_leftOut->setObjectName(QStringLiteral("leftOut"));
    QScrollArea* scroll = pageScroll(m_leftOut, card);
    scroll->setMinimumHeight(38);
    card->body()->addWidget(scroll, 1);
    auto* buttons = new QHBoxLayout;
    m_saveAs->setProperty("role", QStringLiteral("main"));
    m_saveAs->setAccessibleName(tr("Export recipe to a file"));
    m_copy->setAccessibleName(tr("Copy the exported text"));
    buttons->addWidget(m_saveAs);
    buttons->addWidget(m_copy);
    buttons->addStretch(1);
    card->body()->addLayout(buttons);
    connect(m_saveAs, &QPushButton::clicked, this, &ExportCard::saveAs);
    connect(m_copy, &QPushButton::clicked, this, &ExportCard::copy);
    connect(document, &RecipeDocument::changed, this, &ExportCard::refresh);
    refresh();
}

void ExportCard::addTargets(Card* card) {
    auto* row = new QWidget(card);
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    auto* group = new QButtonGroup(this);
    const auto targets = recipe::exportTargets();
    for (const recipe::ExportTarget& target : targets) {
        const std::string name = target.name;
        const Edge edge = &target == &targets.front()  ? Edge::First
                          : &target == &targets.back() ? Edge::Last
                                                       : Edge::Middle;
        QPushButton* button = segmentButton(buttonText(name), edge, row);
        button->setObjectName(QStringLiteral("target ") + QString::fromStdString(name));
        button->setChecked(name == m_target);
        button->setToolTip(QString::fromUtf8(target.help));
        button->setAccessibleName(tr("Export for %1").arg(button->text()));
        group->addButton(button);
        layout->addWidget(button);
        connect(button, &QPushButton::toggled, this, [this, name](bool on) {
            if (on) setTarget(name);
        });
    }
    card->addToHead(row);
}

void ExportCard::setTarget(const std::string& target) {
    if (target == m_target) return;
    m_target = target;
    if (auto* button = findChild<QPushButton*>(QStringLiteral("target ") + QString::fromStdString(target)))
        button->setChecked(true);
    refresh();
}

QString ExportCard::preview() const {
    return m_preview->toPlainText();
}

void ExportCard::refresh() {
    const auto exported = recipe::exportRecipe(m_document->recipe(), m_target);
    m_saveAs->setEnabled(exported.ok());
    m_copy->setEnabled(exported.ok());
    QString text;
    if (exported) {
        for (const std::string& sentence : exported->leftOut)
            text += (text.isEmpty() ? QString() : QStringLiteral("\n")) + QString::fromStdString(sentence);
        if (text.isEmpty()) text = tr("Nothing is left out.");
    } else {
        text = refusalText(exported.error());
    }
    m_preview->setVisible(exported.ok());
    m_preview->setPlainText(exported ? QString::fromStdString(exported->text) : QString());
    m_leftOut->setText(text);
    setStyleProperty(m_leftOut, "role", exported ? QStringLiteral("dim") : QStringLiteral("bad"));
}

QString ExportCard::suggestedPath() const {
    const QString folder = m_document->path().isEmpty() ? recipeFolder() : QFileInfo(m_document->path()).path();
    return folder + u'/' + fileNameOf(m_document->recipe()) + (isOctetForm(m_target) ? kOctetSuffix : kOtherSuffix);
}

Result<QString> ExportCard::exportTo(const QString& path) const {
    if (auto problem = m_document->firstProblem()) return *problem;
    const auto exported = recipe::exportRecipe(m_document->recipe(), m_target);
    if (!exported) return exported.error();
    if (auto written = write(path, exported->text); !written) return written.error();
    if (isOctetForm(m_target)) return tr("Wrote %1.").arg(path);
    const QString beside = stemOf(path) + kOctetSuffix;
    if (auto written = write(beside, recipe::recipeText(m_document->recipe())); !written) return written.error();
    return tr("Wrote %1, and the Octet recipe beside it: %2.").arg(path, QFileInfo(beside).fileName());
}

void ExportCard::saveAs() {
    const QString path = QFileDialog::getSaveFileName(this, tr("Export recipe"), suggestedPath(), tr("JSON (*.json)"));
    if (path.isEmpty()) return;
    const auto written = exportTo(path);
    emit message(written ? *written : errorText(written.error()), !written.ok());
}

void ExportCard::copy() {
    QGuiApplication::clipboard()->setText(preview());
    emit message(tr("Copied the recipe as %1.").arg(QString::fromStdString(m_target)), false);
}

}  // namespace octet::ui
