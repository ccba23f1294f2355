// SPDX-License-Identifier: GPL-3.0-or-later
// The Recipe place as a person uses it: the form, menus and keys, bad input, Run, Copy as command, export.
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

#include "engine/core/files.h"
#include "engine/core/json.h"
#include "engine/recipe/export.h"
#include "engine/recipe/recipe_json.h"
#include "engine/recipe/run_spec_fields.h"
#include "ui/recipe/export_card.h"
#include "ui/recipe/field_editor.h"
#include "ui/recipe/layers_card.h"
#include "ui/recipe/recipe_place.h"
#include "ui/recipe/run_setup.h"
#include "ui/widgets/pill.h"
#include "ui/widgets/theme.h"

using namespace octet;
using namespace octet::ui;

namespace {

/// What octet-engine train makes of its arguments.
Result<recipe::RunSpec> specFrom(const QStringList& arguments) {
    recipe::RunSpec spec;
    for (const recipe::RunField& field : recipe::runFields()) {
        std::vector<std::string> texts;
        for (qsizetype i = 0; i + 1 < arguments.size(); i += 2) {
            if (arguments[i] == QString::fromUtf8(field.flag)) texts.push_back(arguments[i + 1].toStdString());
        }
        if (texts.empty()) continue;
        if (auto set = recipe::setFromTexts(spec, field, texts); !set) return set.error();
    }
    if (auto checked = recipe::checkRunSpec(spec); !checked) return checked.error();
    return spec;
}

}  // namespace

class TstRecipePlace final : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        QVERIFY(m_home.isValid());
        qputenv("HOME", m_home.path().toUtf8());
        QCoreApplication::setOrganizationName(QStringLiteral("octet-test"));
        QSettings::setDefaultFormat(QSettings::IniFormat);
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_home.path());
        applyTheme(*qApp, ThemeChoice::Light);
    }

    void init() {
        QSettings().clear();
        m_place = std::make_unique<RecipePlace>();
        m_place->resize(1280, 734);
        m_place->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_place.get()));
    }

    void cleanup() { m_place.reset(); }

    void theFormHasOneEditorForEachFieldOfTheSchema() {
        for (const recipe::RecipeField& field : recipe::recipeFields()) {
            const auto editors = m_place->findChildren<FieldEditor*>(QString::fromUtf8(field.key));
            QVERIFY2(editors.size() == 1, field.key);
            // The form shows the family of the chosen backend, TE at the start.
            const std::string_view key = field.key;
            const bool otherFamily = key.starts_with("ao.") || key.starts_with("native.");
            QVERIFY2(editors.front()->isVisibleTo(m_place.get()) != otherFamily, field.key);
        }
    }

    void everyControlHasAnAccessibleName() {
        const auto widgets = m_place->findChildren<QWidget*>();
        for (const QWidget* widget : widgets) {
            // Parts of a control (the line in a spin box, a corner button) speak through it.
            const QWidget* parent = widget->parentWidget();
            const bool isPart = parent->inherits("QAbstractSpinBox") || parent->inherits("QComboBox") ||
                                parent->inherits("QLineEdit") || parent->inherits("QTableView");
            const bool isControl = widget->inherits("QAbstractButton") || widget->inherits("QLineEdit") ||
                                   widget->inherits("QComboBox") || widget->inherits("QAbstractSpinBox") ||
                                   widget->inherits("QTableView") || widget->inherits("QListWidget") ||
                                   widget->inherits("QPlainTextEdit");
            if (!isControl || isPart || !widget->isVisibleTo(m_place.get())) continue;
            QVERIFY2(!widget->accessibleName().isEmpty(), widget->metaObject()->className());
        }
    }

    void typingAValueIsACommandAndTellsWhatWillHappen() {
        editor("te.margin")->typeText(QStringLiteral("1"));
        QCOMPARE(m_place->document().recipe().te.margin, 1);
        QCOMPARE(label("outlook te.margin")->text(), QStringLiteral("scale = 448 / amax / 2: one octave of headroom."));
        QCOMPARE(m_place->undoAction()->text(), QStringLiteral("Undo: set margin to 1"));
    }

    void anInvalidValueIsKeptAndMarkedWithTheReason() {
        editor("te.margin")->typeText(QStringLiteral("100"));
        QCOMPARE(editor("te.margin")->texts(), std::vector<std::string>{"100"});
        QCOMPARE(m_place->document().recipe().te.margin, 0);
        QVERIFY(label("outlook te.margin")->text().contains(QStringLiteral("from -64 to 64, found 100")));
        const QSignalSpy said(m_place.get(), &Place::message);
        const QSignalSpy trained(m_place.get(), &Place::wantsTraining);
        m_place->run();
        QCOMPARE(trained.size(), 0);
        QCOMPARE(said.size(), 1);
        QVERIFY(said[0][0].toString().contains(QStringLiteral("te.margin")));
        editor("te.interval")->typeText(QStringLiteral("4"));
        QCOMPARE(editor("te.margin")->texts(), std::vector<std::string>{"100"});
        m_place->undoAction()->trigger();
        QCOMPARE(editor("te.margin")->texts(), std::vector<std::string>{"0"});
        QVERIFY(editor("te.margin")->problem().isEmpty());
        QCOMPARE(m_place->document().recipe().te.interval, 4);
    }

    void keysUndoAndRedoInsideAnEditor() {
        QWidget* spin = editor("te.margin")->focusProxy();
        spin->setFocus();
        QTest::keyClick(spin, Qt::Key_Up);
        QTest::keyClick(spin, Qt::Key_Up);
        QCOMPARE(m_place->document().recipe().te.margin, 2);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(m_place->document().recipe().te.margin, 0);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(m_place->document().recipe().te.margin, 2);
    }

    void semanticsSwitchChangesWhatWillHappen() {
        editor("te.interval")->typeText(QStringLiteral("4"));
        QCOMPARE(pill("te.interval"), QStringLiteral("ignored"));
        editor("semantics")->typeText(QStringLiteral("documented"));
        QCOMPARE(pill("te.interval"), QStringLiteral("used"));
    }

    void aPresetIsChosenFromTheListWithTheKeyboard() {
        auto* list = m_place->findChild<QListWidget*>(QStringLiteral("recipes"));
        list->setFocus();
        QTest::keyClick(list, Qt::Key_End);
        QTest::keyClick(list, Qt::Key_Return);
        const QString last = list->item(list->count() - 1)->data(Qt::AccessibleTextRole).toString();
        QCOMPARE(m_place->document().reference(), QStringLiteral("preset:ao-rowwise-gw-hp"));
        QVERIFY2(last.contains(QStringLiteral("ao-rowwise-gw-hp")), qPrintable(last));
    }

    void aMenuKeepsALayer() {
        selectLayer("lm_head");
        trigger(QStringLiteral("keep"));
        const auto& rules = m_place->document().recipe().layers.rules;
        QCOMPARE(rules.size(), size_t{1});
        QCOMPARE(rules[0].match, std::string("lm_head"));
        QVERIFY(rules[0].keep);
        QCOMPARE(m_place->undoAction()->text(), QStringLiteral("Undo: keep lm_head in high precision"));
        QCOMPARE(m_place->layersCard()->outlook().share.layersInFp8, size_t(28));
        trigger(QStringLiteral("keep"));
        QVERIFY(m_place->document().recipe().layers.rules.empty());
    }

    void aMenuKeepsOneGemmOfAllLayersOfAName() {
        selectLayer("model.layers.0.mlp.down_proj");
        trigger(QStringLiteral("every wgrad"));
        const auto& rules = m_place->document().recipe().layers.rules;
        QCOMPARE(rules.size(), size_t{1});
        QCOMPARE(rules[0].match, std::string("down_proj"));
        QCOMPARE(rules[0].high, (std::array{false, false, true}));
        QCOMPARE(m_place->layersCard()->outlook().rules[0].hits, 4);
    }

    void aRuleIsAddedAndItsPatternTyped() {
        m_place->layersCard()->addRule();
        auto* rules = m_place->findChild<QTableView*>(QStringLiteral("rules"));
        auto* line = rules->findChild<QLineEdit*>();
        QVERIFY(line);
        line->setText(QStringLiteral("re:mlp"));
        QTest::keyClick(line, Qt::Key_Return);
        QTRY_COMPARE(m_place->document().recipe().layers.rules[0].match, std::string("re:mlp"));
        QCOMPARE(rules->model()->index(0, RuleModel::Met).data().toString(), QStringLiteral("12"));
    }

    void previewEqualsTheExport_data() {
        QTest::addColumn<QString>("target");
        for (const recipe::ExportTarget& target : recipe::exportTargets())
            QTest::newRow(target.name) << QString::fromUtf8(target.name);
    }

    void previewEqualsTheExport() {
        QFETCH(QString, target);
        editor("te.interval")->typeText(QStringLiteral("4"));
        m_place->exportCard()->setTarget(target.toStdString());
        const auto exported = recipe::exportRecipe(m_place->document().recipe(), target.toStdString());
        if (!exported) {
            QVERIFY(m_place->exportCard()->preview().isEmpty());
            QVERIFY(label("leftOut")->text().contains(QString::fromStdString(exported.error().message)));
            return;
        }
        QCOMPARE(m_place->exportCard()->preview(), QString::fromStdString(exported->text));
        for (const std::string& sentence : exported->leftOut)
            QVERIFY(label("leftOut")->text().contains(QString::fromStdString(sentence)));
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("내 recipe.json"));
        QVERIFY(m_place->exportCard()->exportTo(path).ok());
        QCOMPARE(*readFile(path.toStdString()), exported->text);
    }

    void anExportForAccelerateHasTheOctetRecipeBesideIt() {
        editor("te.margin")->typeText(QStringLiteral("1"));
        m_place->exportCard()->setTarget("accelerate-kwargs");
        const QTemporaryDir folder;
        const auto said = m_place->exportCard()->exportTo(folder.filePath(QStringLiteral("mine.accelerate.json")));
        QVERIFY(said.ok());
        const auto loaded = recipe::loadRecipe(folder.filePath(QStringLiteral("mine.octet.json")).toStdString());
        QVERIFY(loaded.ok());
        QCOMPARE(loaded->recipe, m_place->document().recipe());
        const auto json =
            parseJson(*readFile(folder.filePath(QStringLiteral("mine.accelerate.json")).toStdString()), "export");
        QCOMPARE(json->at("margin").get<int>(), 1);
    }

    void whatAccelerateRefusesIsSaidAndNotWritten() {
        m_place->openRecipe(QStringLiteral("preset:baseline"));
        m_place->exportCard()->setTarget("accelerate-kwargs");
        QVERIFY(label("leftOut")->text().contains(QStringLiteral("baseline")));
        QVERIFY(!label("leftOut")->text().contains(QStringLiteral("--")));
        QVERIFY(!m_place->exportCard()->exportTo(m_home.filePath(QStringLiteral("x.json"))).ok());
        QVERIFY(!QFile::exists(m_home.filePath(QStringLiteral("x.json"))));
    }

    void runArgumentsAreReadBackByTheEngine() {
        runEditor("steps")->typeText(QStringLiteral("50"));
        runEditor("seeds")->typeText(QStringLiteral("1, 2,3"));
        runEditor("optimizer.lr")->typeText(QStringLiteral("5e-5"));
        runEditor("model")->typeText(QStringLiteral("mlp"));
        runEditor("data")->typeText(QStringLiteral("text:/a b/it's"));
        const QSignalSpy trained(m_place.get(), &Place::wantsTraining);
        m_place->run();
        QCOMPARE(trained.size(), 1);
        const auto spec = specFrom(trained[0][0].toStringList());
        QVERIFY(spec.ok());
        QCOMPARE(spec->recipes, (std::vector<std::string>{"preset:hybrid-16", "preset:baseline"}));
        QCOMPARE(spec->steps, int64_t{50});
        QCOMPARE(spec->seeds, (std::vector<int64_t>{1, 2, 3}));
        QCOMPARE(spec->optimizer.lr, 5e-5);
        QCOMPARE(*spec, m_place->runSetup()->specFor(QStringLiteral("preset:hybrid-16")));
    }

    void anEditedRecipeIsWrittenBeforeItRuns() {
        editor("te.margin")->typeText(QStringLiteral("1"));
        const QSignalSpy trained(m_place.get(), &Place::wantsTraining);
        m_place->run();
        const auto spec = specFrom(trained[0][0].toStringList());
        QVERIFY(spec.ok());
        QVERIFY(QString::fromStdString(spec->recipes[0]).startsWith(m_home.path()));
        QCOMPARE(recipe::loadRecipe(spec->recipes[0])->recipe, m_place->document().recipe());
        editor("te.margin")->typeText(QStringLiteral("2"));
        m_place->run();
        QVERIFY(specFrom(trained[1][0].toStringList())->recipes[0] != spec->recipes[0]);
    }

    void theBaselineRunsAlone() {
        m_place->openRecipe(QStringLiteral("preset:baseline"));
        const QSignalSpy trained(m_place.get(), &Place::wantsTraining);
        m_place->run();
        QCOMPARE(specFrom(trained[0][0].toStringList())->recipes, std::vector<std::string>{"preset:baseline"});
    }

    void copyAsCommandIsWhatAShellTakes() {
        runEditor("steps")->typeText(QStringLiteral("50"));
        m_place->copyAsCommand();
        QCOMPARE(QApplication::clipboard()->text(),
                 QStringLiteral("octet-engine train --recipe preset:hybrid-16 --recipe preset:baseline --steps 50"));
    }

    void aWrongModelKeepsTheRunFromStarting() {
        runEditor("model")->typeText(QStringLiteral("lama:d=64"));
        QVERIFY(label("estimate")->text().contains(QStringLiteral("llama")));
        const QSignalSpy trained(m_place.get(), &Place::wantsTraining);
        m_place->run();
        QCOMPARE(trained.size(), 0);
    }

    void theLayerTableFollowsTheModelOfTheRun() {
        runEditor("model")->typeText(QStringLiteral("mlp"));
        QVERIFY(m_place->layersCard()->layerModel().rowCount() < 29);
    }

    void badFilesAreOneSentence_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("says");
        QTest::newRow("unknown keys") << QByteArray(R"({"octet_recipe":1,"te":{"margn":1}})")
                                      << QStringLiteral("margin");
        QTest::newRow("another kind of file")
            << QByteArray("SQLite format 3") << QStringLiteral("expected an Octet recipe");
        QTest::newRow("a newer version") << QByteArray(R"({"octet_recipe":9})") << QStringLiteral("newer");
        QTest::newRow("no recipe") << QByteArray(R"({"a":1})") << QStringLiteral("octet_recipe");
    }

    void badFilesAreOneSentence() {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, says);
        const QString path = m_home.filePath(QStringLiteral("bad.octet.json"));
        QVERIFY(writeFileAtomically(path.toStdString(), bytes.toStdString()).ok());
        const QSignalSpy said(m_place.get(), &Place::message);
        m_place->openRecipe(path);
        QCOMPARE(said.size(), 1);
        QVERIFY(said[0][1].toBool());
        QVERIFY2(said[0][0].toString().contains(says), qPrintable(said[0][0].toString()));
        QCOMPARE(m_place->document().reference(), QStringLiteral("preset:hybrid-16"));
    }

    void anOpenedFileIsRememberedInTheList() {
        const QString path = m_home.filePath(QStringLiteral("mine.octet.json"));
        const auto preset = recipe::loadRecipe("preset:te-default");
        QVERIFY(writeFileAtomically(path.toStdString(), recipe::recipeText(preset->recipe)).ok());
        m_place->openRecipe(path);
        QCOMPARE(m_place->document().path(), path);
        const auto* list = m_place->findChild<QListWidget*>(QStringLiteral("recipes"));
        QCOMPARE(list->findItems(QStringLiteral("mine.octet.json"), Qt::MatchExactly).size(), 1);
    }

    void everythingFitsIntoASmallWindow() {
        editor("target.parallel")->typeText(QStringLiteral("fsdp2"));
        m_place->layersCard()->addRule();
        m_place->layout()->setSizeConstraint(QLayout::SetNoConstraint);  // as inside the window
        m_place->setMinimumSize(0, 0);
        m_place->resize(1024, 634);  // 1024 x 700 less the bars of the window
        QTRY_VERIFY2(m_place->layout()->minimumSize().width() <= 1024,
                     qPrintable(QString::number(m_place->layout()->minimumSize().width())));
        QVERIFY(m_place->layout()->minimumSize().height() <= 634);
    }

private:
    FieldEditor* editor(const char* key) { return m_place->findChild<FieldEditor*>(QString::fromUtf8(key)); }
    FieldEditor* runEditor(const char* key) {
        return m_place->runSetup()->findChild<FieldEditor*>(QString::fromUtf8(key));
    }
    QLabel* label(const char* name) { return m_place->findChild<QLabel*>(QString::fromUtf8(name)); }
    QString pill(const char* key) {
        return m_place->findChild<Pill*>(QStringLiteral("status ") + QString::fromUtf8(key))->text();
    }
    void selectLayer(const std::string& name) {
        auto* view = m_place->findChild<QTableView*>(QStringLiteral("layers"));
        const auto& layers = m_place->layersCard()->layerModel().layers();
        for (size_t row = 0; row < layers.size(); ++row) {
            if (layers[row].name == name) view->selectRow(static_cast<int>(row));
        }
    }
    void trigger(const QString& action) {
        const std::unique_ptr<QMenu> menu(m_place->layersCard()->layerMenu());
        auto* found = menu->findChild<QAction*>(action);
        QVERIFY(found);
        found->trigger();
    }

    QTemporaryDir m_home;
    std::unique_ptr<RecipePlace> m_place;
};

QTEST_MAIN(TstRecipePlace)
#include "tst_recipe_place.moc"
