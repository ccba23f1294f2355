// SPDX-License-Identifier: GPL-3.0-or-later
// Presets and recipe files to choose from, each with a line on what it asks.
#pragma once

#include <QWidget>

class QLineEdit;
class QListWidget;

namespace octet::ui {

class RecipeList final : public QWidget {
    Q_OBJECT

public:
    explicit RecipeList(QWidget* parent = nullptr);

    /// Reads the recent files again and marks the recipe that is open.
    void refresh();
    void setCurrent(const QString& reference);

signals:
    void chosen(const QString& reference);  // preset:NAME or a path
    void fileWanted();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void addSection(const QString& title);
    void addRecipe(const QString& name, const QString& summary, const QString& reference, bool isWrong);
    void addFiles();
    void filter(const QString& text);

    QLineEdit* m_search;
    QListWidget* m_list;
    QString m_current;
};

}  // namespace octet::ui
