// SPDX-License-Identifier: GPL-3.0-or-later
// Findings in a dropped file: what octet-engine answers is shown, repaired on request, and opened as a recipe.
#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "engine/recipe/recipe_json.h"
#include "ui/recipe/check_card.h"
#include "ui/shell/dropped_file.h"

using namespace octet;
using namespace octet::ui;

namespace {

constexpr const char* kFound =
    R"({"valid": false, "file": "x", "form": "Accelerate config", "findings": [{"line": 8, "column": 21, "severity": "error", "message": "amax_history_len: 1e3 is text.", "hint": "Write 1000.", "fix": "line 8: 1e3 becomes 1000"}, {"line": 0, "column": 0, "severity": "warning", "message": "On the target.", "hint": "", "fix": null}], "fixed": []})";
constexpr const char* kRepaired =
    R"({"valid": true, "file": "x", "form": "Accelerate config", "findings": [], "fixed": ["line 8: 1e3 becomes 1000"], "recipe": {"octet_recipe": 1, "backend": "TE", "te": {"amax_history_len": 1000}}})";

}  // namespace

class TstCheckCard final : public QObject {
    Q_OBJECT

private slots:
    void findingsAreShownRepairedAndOpened() {
        CheckCard card;
        card.setEngine(engine());
        QVERIFY(card.isHidden());
        card.check(m_folder.filePath(QStringLiteral("설정.yaml")));
        QTRY_VERIFY(!card.isHidden());
        QVERIFY2(textOf(card).contains(QStringLiteral("line 8")), qPrintable(textOf(card)));
        QVERIFY(textOf(card).contains(QStringLiteral("amax_history_len: 1e3 is text. Write 1000.")));
        auto* repair = card.findChild<QPushButton*>(QStringLiteral("repairFile"));
        auto* open = card.findChild<QPushButton*>(QStringLiteral("openChecked"));
        QVERIFY(repair->isEnabled() && !open->isEnabled());
        repair->click();
        QTRY_VERIFY(textOf(card).contains(QStringLiteral("1e3 becomes 1000")));
        QVERIFY(!repair->isEnabled() && open->isEnabled());
        recipe::Recipe found;
        connect(&card, &CheckCard::recipeWanted, this, [&](const recipe::Recipe& recipe) { found = recipe; });
        open->click();
        QCOMPARE(found.te.amaxHistoryLen, 1000);
        QCOMPARE(found.name, std::string("설정"));
        QVERIFY(card.isHidden());
    }

    void anEngineThatIsMissingIsSaid() {
        CheckCard card;
        const QSignalSpy said(&card, &CheckCard::message);
        card.setEngine(m_folder.filePath(QStringLiteral("nothing")));
        card.check(m_folder.filePath(QStringLiteral("a.yaml")));
        QTRY_COMPARE(said.size(), 1);
        QVERIFY(said[0][0].toString().contains(QStringLiteral("did not start")));
        QVERIFY(card.isHidden() && !card.isChecking());
    }

    void configsAreKnownByTheirNames() {
        for (const char* name : {"a.yaml", "b.YML", "c.json", "d.py"})
            QCOMPARE(classifyFile(file(name)).kind, DroppedFile::Kind::Config);
        QCOMPARE(classifyFile(file("e.octet.json")).kind, DroppedFile::Kind::Recipe);
        QCOMPARE(classifyFile(file("f.txt")).kind, DroppedFile::Kind::Other);
    }

private:
    QString file(const char* name) const {
        QFile made(m_folder.filePath(QString::fromUtf8(name)));
        if (!made.open(QIODevice::WriteOnly)) qFatal("cannot write");
        return made.fileName();
    }

    QString engine() const {
        QFile script(m_folder.filePath(QStringLiteral("engine")));
        if (!script.open(QIODevice::WriteOnly)) qFatal("cannot write");
        script.write("#!/bin/sh\ncase \"$*\" in\n*--fix*) cat <<'X'\n");
        script.write(kRepaired);
        script.write("\nX\n;;\n*) cat <<'X'\n");
        script.write(kFound);
        script.write("\nX\nexit 2;;\nesac\n");
        script.setPermissions(script.permissions() | QFile::ExeOwner);
        return script.fileName();
    }

    static QString textOf(const CheckCard& card) {
        QString text;
        for (const QLabel* label : card.findChildren<QLabel*>())
            text += label->text() + u'\n';
        return text;
    }

    QTemporaryDir m_folder;
};

QTEST_MAIN(TstCheckCard)
#include "tst_check_card.moc"
