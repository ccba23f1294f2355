// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/recipe_menu.h"

#include <QCoreApplication>
#include <QMenu>

#include "engine/recipe/recipe_json.h"

namespace octet::ui {
namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(octet::ui::RecipeMenu)
};

}  // namespace

void fillRecipeMenu(QMenu& menu, const std::optional<recipe::Recipe>& open, const RecipeMenuWork& work) {
    menu.clear();
    const auto add = [&](const QString& text, const recipe::Recipe& recipe) {
        QObject::connect(menu.addAction(text), &QAction::triggered, &menu,
                         [choose = work.choose, recipe] { choose(recipe); });
    };
    if (open) {
        add(Words::tr("%1, as it stands in Recipe").arg(QString::fromStdString(open->name)), *open);
        menu.addSeparator();
    }
    for (const recipe::Preset& preset : recipe::presets())
        add(QString::fromStdString(preset.name), preset.recipe);
    menu.addSeparator();
    QObject::connect(menu.addAction(Words::tr("From a file...")), &QAction::triggered, &menu,
                     [chooseFile = work.chooseFile] { chooseFile(); });
}

}  // namespace octet::ui
