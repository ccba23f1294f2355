// SPDX-License-Identifier: GPL-3.0-or-later
// Home: the guided comparison that starts at once, recent projects, and opening or dropping a file.
#pragma once

#include "ui/shell/place.h"

class QListView;
class QPushButton;
class QStackedWidget;

namespace octet::ui {

class RecentModel;

class HomePlace final : public Place {
    Q_OBJECT

public:
    explicit HomePlace(QWidget* parent = nullptr);

    void entered() override;
    /// Arguments of octet-engine train for the guided comparison.
    [[nodiscard]] static QStringList comparisonArguments();
    [[nodiscard]] QPushButton* compareButton() const { return m_compare; }
    [[nodiscard]] QListView* recentView() const { return m_recentView; }

signals:
    void openRequested();                     // a file dialog
    void projectChosen(const QString& path);  // one of the recent ones

private:
    [[nodiscard]] QWidget* buildStart();
    [[nodiscard]] QWidget* buildRecent();
    [[nodiscard]] QWidget* buildOpen();

    QPushButton* m_compare = nullptr;
    QListView* m_recentView = nullptr;
    QStackedWidget* m_recentStack = nullptr;
    RecentModel* m_recent = nullptr;
};

}  // namespace octet::ui
