// SPDX-License-Identifier: GPL-3.0-or-later
// A place of the window (Home, Recipe, Runs). The shell owns the places and shows one at a time; a place speaks to the
// shell through these signals only.
#pragma once

#include <QWidget>

namespace octet::ui {

class Place : public QWidget {
    Q_OBJECT

public:
    using QWidget::QWidget;

    /// Called when the place comes to front.
    virtual void entered() {}

signals:
    void statusText(const QString& text);                   // left part of the status bar
    void message(const QString& sentence, bool isError);    // message strip
    void wantsPlace(const QString& name);                   // "home", "recipe", "runs"
    void wantsTraining(const QStringList& trainArguments);  // starts the worker: arguments of octet-engine train
    void wantsRecipe(const QString& reference);             // opens it in the Recipe place: preset:NAME or a path
    void wantsRecipeOfRun(const QString& recipe, const QString& run);  // the same with a recipe as JSON
};

}  // namespace octet::ui
