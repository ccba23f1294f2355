// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/top_bar.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>

#include "ui/widgets/elided_label.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/style_sheet.h"
#include "ui/widgets/theme.h"

namespace octet::ui {
namespace {

constexpr int kHeightPx = 40, kProjectMaxPx = 260;

QFont brandFont() {
    QFont font = textFont();
    font.setWeight(QFont::DemiBold);
    return font;
}

}  // namespace

TopBar::TopBar(QWidget* parent)
    : QFrame(parent),
      m_places(new QHBoxLayout),
      m_placeGroup(new QButtonGroup(this)),
      m_presetGroup(new QButtonGroup(this)),
      m_presets(buildPresets()),
      m_project(new ElidedLabel({}, ElidedLabel::Ink::Dim, this)),
      m_main(new QPushButton(this)),
      m_menu(new QToolButton(this)) {
    setProperty("role", QStringLiteral("bar"));
    setFixedHeight(kHeightPx);
    auto* brand = new QLabel(QStringLiteral("Octet"), this);
    brand->setFont(brandFont());
    m_project->setMaximumWidth(kProjectMaxPx);
    m_project->setElideMode(Qt::ElideMiddle);
    m_main->setProperty("role", QStringLiteral("main"));
    m_menu->setProperty("role", QStringLiteral("quiet"));
    m_menu->setIcon(themedIcon(QStringLiteral("menu")));
    m_menu->setIconSize(QSize(18, 18));
    m_menu->setPopupMode(QToolButton::InstantPopup);
    m_menu->setToolTip(tr("Menu (F10)"));
    m_menu->setAccessibleName(tr("Menu"));
    m_menu->setFocusPolicy(Qt::TabFocus);
    m_places->setSpacing(4);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(12, 0, 12, 0);
    layout->setSpacing(8);
    layout->addWidget(brand);
    layout->addSpacing(10);
    layout->addLayout(m_places);
    layout->addSpacing(6);
    layout->addWidget(m_presets);
    layout->addStretch(1);
    layout->addWidget(m_project);
    layout->addWidget(m_main);
    layout->addWidget(m_menu);
    connect(m_main, &QPushButton::clicked, this, &TopBar::mainClicked);
}

QWidget* TopBar::buildPresets() {
    auto* presets = new QWidget(this);
    auto* layout = new QHBoxLayout(presets);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    addSegment(layout, tr("Live"), ViewPreset::Live)->setProperty("edge", QStringLiteral("first"));
    addSegment(layout, tr("Compare"), ViewPreset::Compare)->setProperty("edge", QStringLiteral("last"));
    presets->hide();
    return presets;
}

QPushButton* TopBar::addSegment(QHBoxLayout* layout, const QString& title, ViewPreset preset) {
    auto* button = new QPushButton(title, this);
    button->setProperty("role", QStringLiteral("segment"));
    button->setCheckable(true);
    button->setAccessibleName(tr("View preset %1").arg(title));
    m_presetGroup->addButton(button, static_cast<int>(preset));
    layout->addWidget(button);
    connect(button, &QPushButton::clicked, this, [this, preset] { emit presetChosen(preset); });
    return button;
}

void TopBar::addPlace(const QString& name, const QString& title) {
    auto* button = new QPushButton(title, this);
    button->setObjectName(QStringLiteral("place-") + name);
    button->setProperty("role", QStringLiteral("tab"));
    button->setCheckable(true);
    button->setAccessibleName(tr("Place %1").arg(title));
    m_placeGroup->addButton(button);
    m_places->addWidget(button);
    connect(button, &QPushButton::clicked, this, [this, name] { emit placeChosen(name); });
}

QPushButton* TopBar::placeButton(const QString& name) const {
    return findChild<QPushButton*>(QStringLiteral("place-") + name);
}

void TopBar::setCurrentPlace(const QString& name) {
    if (QPushButton* button = placeButton(name)) button->setChecked(true);
}

void TopBar::setPresetsShown(bool shown) {
    m_presets->setVisible(shown);
}

void TopBar::setPreset(ViewPreset preset) {
    if (QAbstractButton* button = m_presetGroup->button(static_cast<int>(preset))) button->setChecked(true);
}

void TopBar::setProject(const QString& name, const QString& path) {
    m_project->setText(name);
    m_project->setToolTip(path);
}

void TopBar::setMainButton(const QString& text) {
    m_main->setText(text);
    m_main->setAccessibleName(text);
}

void TopBar::setMenu(QMenu* menu) {
    m_menu->setMenu(menu);
}

void TopBar::openMenu() {
    m_menu->showMenu();
}

}  // namespace octet::ui
