// SPDX-License-Identifier: GPL-3.0-or-later
// The recipe as a document: undo steps that merge and become obsolete, presets that keep them, values that are none.
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "engine/recipe/recipe_json.h"
#include "engine/recipe/schema.h"
#include "ui/recipe/recipe_document.h"
#include "ui/recipe/rule_edits.h"

using namespace octet;
using namespace octet::ui;
using recipe::FieldValue;
using recipe::recipeField;

namespace {

recipe::Recipe preset(const std::string& name) {
    return recipe::loadRecipe("preset:" + name)->recipe;
}

bool set(RecipeDocument& document, const char* key, const FieldValue& value) {
    return document.setField(recipeField(key), value).ok();
}

}  // namespace

class TstRecipeDocument final : public QObject {
    Q_OBJECT

private slots:
    void init() {
        m_document = std::make_unique<RecipeDocument>();
        m_document->open(preset("hybrid-16"), QStringLiteral("preset:hybrid-16"));
    }

    void aFreshDocumentHasNothingToUndo() {
        QVERIFY(!m_document->canUndo());
        QVERIFY(!m_document->isEdited());
        QCOMPARE(m_document->path(), QString());
    }

    void repeatedEditsOfOneFieldAreOneStep() {
        for (int64_t margin : {1, 2, 3})
            QVERIFY(set(*m_document, "te.margin", margin));
        QCOMPARE(m_document->undoStack().count(), 1);
        QCOMPARE(m_document->undoText(), QStringLiteral("set margin to 3"));
        m_document->undo();
        QCOMPARE(m_document->recipe().te.margin, 0);
        m_document->redo();
        QCOMPARE(m_document->recipe().te.margin, 3);
    }

    void editsOfTwoFieldsAreTwoSteps() {
        QVERIFY(set(*m_document, "te.margin", int64_t{1}));
        QVERIFY(set(*m_document, "te.interval", int64_t{4}));
        QVERIFY(set(*m_document, "te.margin", int64_t{2}));
        QCOMPARE(m_document->undoStack().count(), 3);
        m_document->undo();
        QCOMPARE(m_document->recipe().te.margin, 1);
    }

    void aValueThatIsBackLeavesNoStep() {
        QVERIFY(set(*m_document, "te.margin", int64_t{1}));
        QVERIFY(m_document->isEdited());
        QVERIFY(set(*m_document, "te.margin", int64_t{0}));
        QCOMPARE(m_document->undoStack().count(), 0);
        QVERIFY(!m_document->isEdited());
        QVERIFY(!m_document->canUndo());
    }

    void undoTextsNameValues() {
        QVERIFY(set(*m_document, "te.override_linear_precision", std::array{false, false, true}));
        QCOMPARE(m_document->undoText(), QStringLiteral("set override_linear_precision to wgrad"));
        QVERIFY(set(*m_document, "te.use_autocast_during_eval", true));
        QCOMPARE(m_document->undoText(), QStringLiteral("set use_autocast_during_eval to on"));
    }

    void aPresetOnAnEditedRecipeKeepsTheEdits() {
        QVERIFY(set(*m_document, "te.margin", int64_t{1}));
        m_document->open(preset("e4m3-16"), QStringLiteral("preset:e4m3-16"));
        QCOMPARE(m_document->recipe(), preset("e4m3-16"));
        QVERIFY(!m_document->isEdited());
        m_document->undo();
        QCOMPARE(m_document->recipe().te.margin, 1);
        QCOMPARE(m_document->reference(), QStringLiteral("preset:hybrid-16"));
        QVERIFY(m_document->isEdited());
        m_document->redo();
        QCOMPARE(m_document->recipe(), preset("e4m3-16"));
        QCOMPARE(m_document->reference(), QStringLiteral("preset:e4m3-16"));
        m_document->undo();
        m_document->undo();
        QCOMPARE(m_document->recipe(), preset("hybrid-16"));
    }

    void lookingThroughPresetsIsOneStep() {
        QVERIFY(set(*m_document, "te.margin", int64_t{1}));
        for (const char* name : {"e4m3-16", "te-default", "baseline"})
            m_document->open(preset(name), QStringLiteral("preset:") + QString::fromUtf8(name));
        QCOMPARE(m_document->undoStack().count(), 2);
        m_document->undo();
        QCOMPARE(m_document->recipe().te.margin, 1);
    }

    void aPresetOnAnUneditedRecipeNeedsNoUndo() {
        m_document->open(preset("e4m3-16"), QStringLiteral("preset:e4m3-16"));
        QVERIFY(!m_document->canUndo());
    }

    void rulesAreAddedChangedMovedAndRemovedWithUndo() {
        Rules rules{{"lm_head", true, {}, "last layer"}};
        m_document->setRules(rules, QStringLiteral("add"));
        rules.push_back({"down_proj", false, {false, false, true}, ""});
        m_document->setRules(rules, QStringLiteral("add"));
        m_document->setRules(withMoved(rules, 1, 0), QStringLiteral("move"));
        QCOMPARE(m_document->recipe().layers.rules[0].match, std::string("down_proj"));
        m_document->setRules(withoutRule(m_document->recipe().layers.rules, 0), QStringLiteral("remove"));
        QCOMPARE(m_document->recipe().layers.rules.size(), size_t{1});
        for (int i = 0; i < 4; ++i)
            m_document->undo();
        QVERIFY(m_document->recipe().layers.rules.empty());
        for (int i = 0; i < 3; ++i)
            m_document->redo();
        QCOMPARE(m_document->recipe().layers.rules, withMoved(rules, 1, 0));
    }

    void editsOfOneCellOfARuleMergeAndVanish() {
        const Rules start{{"lm_head", true, {}, ""}};
        m_document->setRules(start, QStringLiteral("add"));
        for (const char* why : {"l", "la", "last"})
            m_document->setRules({{"lm_head", true, {}, why}}, QStringLiteral("change rule 1"), 7);
        QCOMPARE(m_document->undoStack().count(), 2);
        m_document->setRules(start, QStringLiteral("change rule 1"), 7);
        QCOMPARE(m_document->undoStack().count(), 1);
    }

    void aValueOutOfRangeIsRefusedWithTheReason() {
        const auto refused = m_document->setField(recipeField("te.margin"), int64_t{100});
        QVERIFY(!refused);
        QVERIFY(refused.error().message.find("from -64 to 64, found 100") != std::string::npos);
        QCOMPARE(m_document->recipe().te.margin, 0);
        QVERIFY(!m_document->canUndo());
    }

    void whatIsNoValueIsTakenBackFirst() {
        QVERIFY(set(*m_document, "te.interval", int64_t{4}));
        m_document->setProblem(QStringLiteral("te.margin"), QStringLiteral("Expected a whole number."));
        QVERIFY(m_document->firstProblem().has_value());
        QCOMPARE(m_document->undoText(), QStringLiteral("drop what margin holds"));
        const QSignalSpy shown(m_document.get(), &RecipeDocument::fieldChanged);
        m_document->undo();
        QCOMPARE(shown.size(), 1);
        QVERIFY(!m_document->firstProblem().has_value());
        QCOMPARE(m_document->recipe().te.interval, 4);
        m_document->undo();
        QCOMPARE(m_document->recipe().te.interval, 1);
    }

    void savingWritesAFileThatLoadsEqual() {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("한글 이름.octet.json"));
        QVERIFY(set(*m_document, "te.margin", int64_t{2}));
        QVERIFY(m_document->saveAs(path).ok());
        QVERIFY(!m_document->isEdited());
        QCOMPARE(m_document->path(), path);
        QCOMPARE(recipe::loadRecipe(path.toStdString())->recipe, m_document->recipe());
        QVERIFY(set(*m_document, "te.margin", int64_t{3}));  // a save ends the step before it
        m_document->undo();
        QCOMPARE(m_document->recipe().te.margin, 2);
        QVERIFY(!m_document->isEdited());
    }

    void aFolderThatIsNotThereIsASentence() {
        const QTemporaryDir folder;
        const auto saved = m_document->saveAs(folder.filePath(QStringLiteral("no/such/a.octet.json")));
        QVERIFY(!saved);
        QVERIFY(!saved.error().message.empty());
        QCOMPARE(m_document->reference(), QStringLiteral("preset:hybrid-16"));
    }

private:
    std::unique_ptr<RecipeDocument> m_document;
};

QTEST_GUILESS_MAIN(TstRecipeDocument)
#include "tst_recipe_document.moc"
