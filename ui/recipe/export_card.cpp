// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/recipe/export_card.h"

#include <QClipboard>
#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>
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

const recipe::ExportTarget& targetNamed(const std::string& name) {
    const auto targets = recipe::exportTargets();
    const auto found = std::ranges::find_if(targets, [&](const recipe::ExportTarget& one) { return name == one.name; });
    return found == targets.end() ? targets.front() : *found;
}

QString suffixOf(const std::string& target) {
    return QString::fromUtf8(targetNamed(target).suffix);
}

bool isOctetForm(const std::string& target) {
    return target == recipe::exportTargets().front().name;
}

/// "a.octet.json", "a.accelerate.yaml" and "a.json" -> "a"
QString stemOf(QString path) {
    for (const recipe::ExportTarget& target : recipe::exportTargets()) {
        const QString suffix = QString::fromUtf8(target.suffix);
        if (path.endsWith(suffix)) return path.chopped(suffix.size());
    }
    const qsizetype dot = path.lastIndexOf(u'.');
    return dot > path.lastIndexOf(u'/') ? path.left(dot) : path;
}

Result<void> write(const QString& path, const std::string& text) {
    return writeFileAtomically(std::filesystem::path(path.toStdString()), text);
}

/// Hints that name a flag of the command line are none in a window.
QString refusalText(const Error& error) {
    const size_t flag = error.hint.find("--to ");
    if (flag == std::string::npos) return errorText(error);
    const QString form = QString::fromStdString(error.hint.substr(flag + 5)).remove(QLatin1Char('.'));
    return ExportCard::tr("%1 Choose the form %2 instead.").arg(QString::fromStdString(error.message), form);
}

}  // namespace

ExportCard::ExportCard(RecipeDocument* document, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_target(recipe::exportTargets().front().name),
      m_targets(new QComboBox(this)),
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
    m_targets->setObjectName(QStringLiteral("exportTarget"));
    m_targets->setAccessibleName(tr("Export for"));
    for (const recipe::ExportTarget& target : recipe::exportTargets()) {
        m_targets->addItem(QString::fromUtf8(target.name));
        m_targets->setItemData(m_targets->count() - 1, QString::fromUtf8(target.help), Qt::ToolTipRole);
    }
    card->addToHead(m_targets);
    connect(m_targets, &QComboBox::currentTextChanged, this,
            [this](const QString& name) { setTarget(name.toStdString()); });
}

void ExportCard::setTarget(const std::string& target) {
    if (target == m_target) return;
    m_target = target;
    m_targets->setCurrentText(QString::fromStdString(target));
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
    m_targets->setToolTip(QString::fromUtf8(targetNamed(m_target).help));
    setStyleProperty(m_leftOut, "role", exported ? QStringLiteral("dim") : QStringLiteral("bad"));
}

QString ExportCard::suggestedPath() const {
    const QString folder = m_document->path().isEmpty() ? recipeFolder() : QFileInfo(m_document->path()).path();
    return folder + u'/' + fileNameOf(m_document->recipe()) + suffixOf(m_target);
}

Result<QString> ExportCard::exportTo(const QString& path) const {
    if (auto problem = m_document->firstProblem()) return *problem;
    const auto exported = recipe::exportRecipe(m_document->recipe(), m_target);
    if (!exported) return exported.error();
    if (auto written = write(path, exported->text); !written) return written.error();
    if (isOctetForm(m_target)) return tr("Wrote %1.").arg(path);
    const QString beside = stemOf(path) + suffixOf(recipe::exportTargets().front().name);
    if (auto written = write(beside, recipe::recipeText(m_document->recipe())); !written) return written.error();
    return tr("Wrote %1, and the Octet recipe beside it: %2.").arg(path, QFileInfo(beside).fileName());
}

void ExportCard::saveAs() {
    const QString path =
        QFileDialog::getSaveFileName(this, tr("Export recipe"), suggestedPath(),
                                     tr("%1 (*%2)").arg(QString::fromStdString(m_target), suffixOf(m_target)));
    if (path.isEmpty()) return;
    const auto written = exportTo(path);
    emit message(written ? *written : errorText(written.error()), !written.ok());
}

void ExportCard::copy() {
    QGuiApplication::clipboard()->setText(preview());
    emit message(tr("Copied the recipe as %1.").arg(QString::fromStdString(m_target)), false);
}

}  // namespace octet::ui
