// SPDX-License-Identifier: GPL-3.0-or-later
// Compare's Differences tell what the target libraries run where that is not what was asked.
#include <QTest>

#include "engine/recipe/effective.h"
#include "engine/recipe/recipe_json.h"
#include "ui/runs/verdict_texts.h"

using namespace octet;
using namespace octet::ui;

namespace {

ShownRun shownRun(const recipe::Recipe& recipe) {
    ShownRun run;
    run.name = QString::fromStdString(recipe.name);
    run.info.recipe = recipe::recipeToJson(recipe);
    run.info.effective = {{"fp8", true}, {"on_target", recipe::onTargetJson(recipe)}};
    return run;
}

QStringList rowNamed(const FigureTableText& table, const QString& name) {
    for (const FigureTableText::Row& row : table.rows) {
        if (row.name == name) return row.values;
    }
    return {};
}

}  // namespace

class TstTargetDifferences final : public QObject {
    Q_OBJECT

private slots:
    void askedDifferentlyAndRunningTheSameIsShown() {
        recipe::Recipe newest = recipe::loadRecipe("preset:te-default")->recipe, largest = newest;
        newest.te.amaxComputeAlgo = recipe::AmaxAlgo::MostRecent;
        largest.te.amaxComputeAlgo = recipe::AmaxAlgo::Max;
        const ShownRun a = shownRun(newest), b = shownRun(largest);
        const FigureTableText table = differenceTable({&a, &b});
        QCOMPARE(rowNamed(table, QStringLiteral("amax_compute_algo")), (QStringList{"most_recent", "max"}));
        QCOMPARE(rowNamed(table, QStringLiteral("amax_compute_algo on the target")), (QStringList{"max", "max"}));
    }

    void whatRunsAsAskedGetsNoSecondRow() {
        recipe::Recipe none = recipe::loadRecipe("preset:te-default")->recipe, two = none;
        two.te.margin = 2;
        const ShownRun a = shownRun(none), b = shownRun(two);
        const FigureTableText table = differenceTable({&a, &b});
        QCOMPARE(rowNamed(table, QStringLiteral("margin")), (QStringList{"0", "2"}));
        QVERIFY(rowNamed(table, QStringLiteral("margin on the target")).isEmpty());
    }

    void runsOfOlderStoresHaveNone() {
        recipe::Recipe asked = recipe::loadRecipe("preset:te-default")->recipe;
        ShownRun old = shownRun(asked);
        old.info.effective = {{"fp8", true}};
        asked.te.interval = 4;
        const ShownRun now = shownRun(asked);
        const FigureTableText table = differenceTable({&old, &now});
        QCOMPARE(rowNamed(table, QStringLiteral("interval on the target")),
                 (QStringList{QStringLiteral("\u2013"), "1"}));
    }
};

QTEST_GUILESS_MAIN(TstTargetDifferences)
#include "tst_target_differences.moc"
