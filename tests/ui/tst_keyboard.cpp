// SPDX-License-Identifier: GPL-3.0-or-later
// The window without a mouse: shortcuts, Tab through every control of every place, and a name for each that a screen
// reader can say.
#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QButtonGroup>
#include <QComboBox>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <algorithm>
#include <set>

#include "tests/ui/small_store.h"
#include "ui/dialogs/shortcuts_dialog.h"
#include "ui/recipe/recipe_place.h"
#include "ui/runs/runs_place.h"
#include "ui/shell/main_window.h"
#include "ui/widgets/message_strip.h"
#include "ui/widgets/theme.h"

using namespace octet;
using namespace octet::ui;

namespace {

/// What a person meets by Tab; the inner parts of standard widgets answer through those.
bool isControl(const QWidget* widget) {
    for (const QWidget* outer = widget->parentWidget(); outer; outer = outer->parentWidget()) {
        if (isControl(outer)) return false;
    }
    return qobject_cast<const QAbstractButton*>(widget) || qobject_cast<const QAbstractItemView*>(widget) ||
           qobject_cast<const QComboBox*>(widget) || qobject_cast<const QLineEdit*>(widget) ||
           qobject_cast<const QAbstractSpinBox*>(widget);
}

/// A button speaks by its text; everything else needs a name.
bool hasName(const QWidget* widget) {
    const auto* button = qobject_cast<const QAbstractButton*>(widget);
    const bool speaks = button && !button->text().isEmpty();
    return speaks || !widget->accessibleName().isEmpty();
}

QString described(const QWidget* widget) {
    return QStringLiteral("%1 \"%2\" %3 in %4")
        .arg(QLatin1String(widget->metaObject()->className()), widget->objectName(), widget->accessibleName(),
             QLatin1String(widget->parent()->metaObject()->className()));
}

std::unique_ptr<MainWindow> shownWindow(const small_store::ThreeRuns& runs) {
    auto window = std::make_unique<MainWindow>();
    window->resize(1280, 800);
    window->show();
    window->openFile(runs.file());
    for (const char* place : {"home", "recipe", "runs"})
        window->showPlace(QLatin1String(place));
    window->runs()->settle();
    return window;
}

}  // namespace

class TstKeyboard final : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void placesAndPresetsAreReachedByKeyboard();
    void spacePressesTheFocusedButton();
    void shortcutsAreUnique();
    void everyControlHasAName();
    void menusOpenAndEveryEntryHasAText();
    void tabReachesEveryControl_data();
    void tabReachesEveryControl();

private:
    QTemporaryDir m_home;
};

void TstKeyboard::initTestCase() {
    qputenv("HOME", m_home.path().toLocal8Bit());
    qputenv("XDG_CONFIG_HOME", m_home.filePath(QStringLiteral("config")).toLocal8Bit());
    QCoreApplication::setOrganizationName(QStringLiteral("Octet"));
    QCoreApplication::setApplicationName(QStringLiteral("octet"));
    applyTheme(*qApp, ThemeChoice::Light);
}

void TstKeyboard::placesAndPresetsAreReachedByKeyboard() {
    MainWindow window;
    window.show();
    QApplication::setActiveWindow(&window);
    QVERIFY(QTest::qWaitForWindowActive(&window));
    QTest::keyClick(&window, Qt::Key_R, Qt::AltModifier);
    QCOMPARE(window.currentPlace(), QStringLiteral("recipe"));
    QTest::keyClick(&window, Qt::Key_2, Qt::ControlModifier);
    QCOMPARE(window.currentPlace(), QStringLiteral("runs"));
    QCOMPARE(window.workbench()->selection()->preset(), ViewPreset::Compare);
    QTest::keyClick(&window, Qt::Key_1, Qt::ControlModifier);
    QCOMPARE(window.workbench()->selection()->preset(), ViewPreset::Live);
    window.workbench()->selection()->setFollows(false);
    QTest::keyClick(&window, Qt::Key_F);
    QVERIFY(window.workbench()->selection()->follows());
    QTest::keyClick(&window, Qt::Key_H, Qt::AltModifier);
    QCOMPARE(window.currentPlace(), QStringLiteral("home"));
}

void TstKeyboard::spacePressesTheFocusedButton() {
    MainWindow window;
    window.show();
    QApplication::setActiveWindow(&window);
    QVERIFY(QTest::qWaitForWindowActive(&window));
    auto* button = new QPushButton(QStringLiteral("probe"), &window);
    button->show();
    button->setFocus();
    QSignalSpy clicked(button, &QPushButton::clicked);
    QTest::keyClick(button, Qt::Key_Space);
    QCOMPARE(clicked.count(), 1);
    QVERIFY(window.messages()->isHidden());
    window.setFocus();
    QTest::keyClick(&window, Qt::Key_Space);  // no button: the command, which has nothing to pause
    QVERIFY(window.messages()->sentence().contains(QStringLiteral("Nothing is paused")));
}

void TstKeyboard::shortcutsAreUnique() {
    MainWindow window;
    QStringList seen;
    for (const ActionRegistry::Entry& entry : window.actions().entries()) {
        const QString keys = entry.action->shortcut().toString();
        if (keys.isEmpty()) continue;
        QVERIFY2(!seen.contains(keys), qPrintable(keys));
        seen << keys;
    }
    QVERIFY(seen.size() > 8);
    const ShortcutsDialog sheet(window.actions());
    QVERIFY(sheet.sizeHint().height() > 150);
}

void TstKeyboard::everyControlHasAName() {
    const small_store::ThreeRuns runs(5);
    const auto window = shownWindow(runs);
    QStringList nameless;
    for (const QWidget* widget : window->findChildren<QWidget*>())
        if (isControl(widget) && !hasName(widget)) nameless << described(widget);
    QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join(QLatin1Char('\n'))));
}

void TstKeyboard::menusOpenAndEveryEntryHasAText() {
    const small_store::ThreeRuns runs(5);
    const auto window = shownWindow(runs);
    const auto menus = window->findChildren<QMenu*>();
    QVERIFY(menus.size() > 6);
    for (QMenu* menu : menus) {
        emit menu->aboutToShow();  // those that are filled late
        QVERIFY2(!menu->actions().isEmpty(), qPrintable(menu->title()));
        for (const QAction* action : menu->actions())
            QVERIFY2(action->isSeparator() || !action->text().isEmpty(), qPrintable(menu->title()));
    }
    const auto* recent = window->findChild<QMenu*>(QStringLiteral("recentMenu"));
    QCOMPARE(recent->actions().front()->text(), runs.file());
    recent->actions().back()->trigger();  // Clear this list
    emit const_cast<QMenu*>(recent)->aboutToShow();
    QVERIFY(!recent->actions().front()->isEnabled());
}

void TstKeyboard::tabReachesEveryControl_data() {
    QTest::addColumn<QString>("place");
    for (const char* place : {"home", "recipe", "runs"})
        QTest::newRow(place) << QString::fromLatin1(place);
}

void TstKeyboard::tabReachesEveryControl() {
    QFETCH(QString, place);
    const small_store::ThreeRuns runs(5);
    const auto window = shownWindow(runs);
    QApplication::setActiveWindow(window.get());
    QVERIFY(QTest::qWaitForWindowActive(window.get()));
    window->showPlace(place);
    std::set<const QWidget*> met;
    constexpr int kMostTabs = 400;
    for (int tab = 0; tab < kMostTabs; ++tab) {
        const QWidget* focused = QApplication::focusWidget();
        for (const QWidget* widget = focused; widget; widget = widget->parentWidget())
            met.insert(widget);
        QTest::keyClick(focused ? const_cast<QWidget*>(focused) : window.get(), Qt::Key_Tab);
    }
    // Of buttons that exclude each other Tab reaches one, the arrow keys the others.
    const auto isMet = [&met](const QWidget* widget) {
        const auto* button = qobject_cast<const QAbstractButton*>(widget);
        const QButtonGroup* group =
            button && button->group() && button->group()->exclusive() ? button->group() : nullptr;
        if (!group) return met.contains(widget);
        const auto buttons = group->buttons();
        return std::ranges::any_of(buttons, [&met](const QAbstractButton* one) { return met.contains(one); });
    };
    QStringList missed;
    for (const QWidget* widget : window->findChildren<QWidget*>()) {
        const bool isMeant = isControl(widget) && widget->isVisible() && widget->isEnabled() &&
                             widget->focusPolicy() != Qt::NoFocus && !widget->focusProxy();
        if (isMeant && !isMet(widget)) missed << described(widget);
    }
    QVERIFY2(missed.isEmpty(), qPrintable(missed.join(QLatin1Char('\n'))));
}

QTEST_MAIN(TstKeyboard)
#include "tst_keyboard.moc"
