// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/recipe/check_card.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QProcess>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include "engine/recipe/recipe_json.h"
#include "ui/recipe/labels.h"
#include "ui/recipe/recipe_files.h"
#include "ui/shell/worker_launcher.h"
#include "ui/widgets/card.h"
#include "ui/widgets/style_sheet.h"

namespace octet::ui {
namespace {

constexpr int kLowest = 90, kHighest = 190, kPlaceWidth = 62;

QString textIn(const Json& object, const char* key) {
    return object.contains(key) && object[key].is_string() ? QString::fromStdString(object[key].get<std::string>())
                                                           : QString();
}

}  // namespace

CheckCard::CheckCard(QWidget* parent)
    : QWidget(parent),
      m_card(new Card({}, this)),
      m_repair(new QPushButton(tr("Repair the file"), this)),
      m_open(new QPushButton(tr("Open as recipe"), this)) {
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(m_card);
    auto* page = new QWidget(m_card);
    m_lines = new QVBoxLayout(page);
    m_lines->setContentsMargins(0, 0, 6, 0);
    m_lines->setSpacing(4);
    m_card->body()->addWidget(pageScroll(page, m_card), 1);
    auto* close = new QPushButton(tr("Close"), this);
    m_repair->setObjectName(QStringLiteral("repairFile"));
    m_open->setObjectName(QStringLiteral("openChecked"));
    close->setObjectName(QStringLiteral("closeCheck"));
    m_repair->setToolTip(tr("Changes just the values that are wrong without doubt; comments and order stay."));
    auto* buttons = new QHBoxLayout;
    for (QPushButton* button : {m_repair, m_open, close})
        buttons->addWidget(button);
    buttons->addStretch(1);
    m_card->body()->addLayout(buttons);
    setMinimumHeight(kLowest);
    setMaximumHeight(kHighest);
    hide();
    connect(m_repair, &QPushButton::clicked, this, [this] { ask({QStringLiteral("--fix")}); });
    connect(close, &QPushButton::clicked, this, &QWidget::hide);
    connect(m_open, &QPushButton::clicked, this, [this] {
        auto loaded = recipe::recipeFromJson(m_report["recipe"], m_path.toStdString());
        if (!loaded) return;
        if (loaded->recipe.name.empty()) loaded->recipe.name = QFileInfo(m_path).completeBaseName().toStdString();
        hide();
        emit recipeWanted(loaded->recipe);
    });
}

void CheckCard::check(const QString& path) {
    m_path = path;
    ask({});
}

void CheckCard::ask(const QStringList& more) {
    const auto program = m_engine.isEmpty() ? WorkerLauncher::findWorker(QCoreApplication::applicationDirPath())
                                            : Result<QString>(m_engine);
    if (!program) {
        emit message(errorText(program.error()), true);
        return;
    }
    delete m_process;
    m_process = new QProcess(this);
    connect(m_process, &QProcess::finished, this, &CheckCard::answered);
    connect(m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError problem) {
        if (problem != QProcess::FailedToStart) return;
        emit message(tr("octet-engine did not start: %1.").arg(m_process->errorString()), true);
        m_process->deleteLater();
        m_process = nullptr;
    });
    m_process->start(
        *program,
        QStringList{QStringLiteral("recipe"), QStringLiteral("check"), m_path, QStringLiteral("--json")} + more);
}

void CheckCard::answered() {
    const std::string out = m_process->readAllStandardOutput().toStdString();
    const QString err = QString::fromUtf8(m_process->readAllStandardError()).trimmed();
    m_process->deleteLater();
    m_process = nullptr;
    const auto report = parseJson(out.substr(0, out.find('\n')), "the answer of octet-engine");
    if (!report || !report->contains("findings")) {
        emit message(err.isEmpty() ? tr("octet-engine gave no answer on %1.").arg(m_path) : err, true);
        return;
    }
    showReport(*report);
}

void CheckCard::clear() {
    while (QLayoutItem* item = m_lines->takeAt(0)) {
        delete item->widget();
        delete item;
    }
}

void CheckCard::addLine(const QString& place, const QString& sentence, bool isError) {
    auto* line = new QWidget(this);
    auto* row = new QHBoxLayout(line);
    row->setContentsMargins(0, 0, 0, 0);
    QLabel* where = dimLabel(place, line);
    where->setFixedWidth(kPlaceWidth);
    where->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    QLabel* what = wrappedLabel(sentence, line);
    if (isError) setStyleProperty(what, "role", QStringLiteral("bad"));
    row->addWidget(where);
    row->addWidget(what, 1);
    m_lines->addWidget(line);
}

void CheckCard::showReport(const Json& report) {
    m_report = report;
    clear();
    int repairs = 0;
    for (const Json& fixed : report["fixed"])
        addLine(tr("repaired"), QString::fromStdString(fixed.get<std::string>()), false);
    for (const Json& finding : report["findings"]) {
        const int line = finding["line"].get<int>();
        const QString hint = textIn(finding, "hint");
        addLine(line > 0 ? tr("line %1").arg(line) : tr("file"),
                hint.isEmpty() ? textIn(finding, "message") : textIn(finding, "message") + u' ' + hint,
                finding["severity"] == "error");
        repairs += finding["fix"].is_string() ? 1 : 0;
    }
    if (report["findings"].empty()) addLine({}, tr("Nothing to report: the file does what it says."), false);
    m_lines->addStretch(1);
    m_card->setTitle(tr("Findings in %1").arg(QFileInfo(m_path).fileName()));
    m_card->setCaption(textIn(report, "form"));
    m_repair->setEnabled(repairs > 0);
    m_open->setEnabled(report.contains("recipe"));
    setVisible(true);
}

}  // namespace octet::ui
