// SPDX-License-Identifier: GPL-3.0-or-later
// The 40 px above everything: the places, the view presets of Runs, the open project, the main button, the menu.
#pragma once

#include <QFrame>

#include "ui/documents/selection.h"

class QButtonGroup;
class QHBoxLayout;
class QMenu;
class QPushButton;
class QToolButton;

namespace octet::ui {

class ElidedLabel;

class TopBar final : public QFrame {
    Q_OBJECT

public:
    explicit TopBar(QWidget* parent = nullptr);

    void addPlace(const QString& name, const QString& title);
    void setCurrentPlace(const QString& name);
    void setPresetsShown(bool shown);
    void setPreset(ViewPreset preset);
    void setProject(const QString& name, const QString& path);
    void setMainButton(const QString& text);
    void setMenu(QMenu* menu);
    void openMenu();

    [[nodiscard]] QPushButton* placeButton(const QString& name) const;
    [[nodiscard]] QPushButton* mainButton() const { return m_main; }

signals:
    void placeChosen(const QString& name);
    void presetChosen(octet::ui::ViewPreset preset);
    void mainClicked();

private:
    [[nodiscard]] QWidget* buildPresets();
    QPushButton* addSegment(QHBoxLayout* layout, const QString& title, ViewPreset preset);

    QHBoxLayout* m_places;
    QButtonGroup* m_placeGroup;
    QButtonGroup* m_presetGroup;
    QWidget* m_presets;
    ElidedLabel* m_project;
    QPushButton* m_main;
    QToolButton* m_menu;
};

}  // namespace octet::ui
