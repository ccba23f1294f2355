// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/shortcuts_dialog.h"

#include <QDialogButtonBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "ui/shell/action_registry.h"
#include "ui/widgets/theme.h"

namespace octet::ui {
namespace {

struct Line {
    QString what, keys;
};

std::vector<Line> linesOf(const ActionRegistry& registry, const QString& section) {
    std::vector<Line> lines;
    for (const ActionRegistry::Entry& entry : registry.entries()) {
        const QString keys = entry.action->shortcut().toString(QKeySequence::NativeText);
        if (entry.section != section || keys.isEmpty() || !entry.action->isVisible()) continue;
        lines.push_back({QString(entry.action->text()).remove(QLatin1Char('&')), keys});
    }
    return lines;
}

/// What the mouse does in the plots; these are no actions.
std::vector<Line> plotLines() {
    const auto words = [](const char* text) { return ShortcutsDialog::tr(text); };
    return {{words("Zoom into a box"), words("Left drag")},
            {words("Zoom at the pointer"), words("Wheel")},
            {words("Zoom one axis"), words("Wheel on the axis")},
            {words("Pan"), words("Shift drag, middle drag")},
            {words("Back to following"), words("Double click")}};
}

/// One column of the sheet; its rows are its own, so that headings of one do not stretch the lines of the other.
struct Column {
    QGridLayout* grid = new QGridLayout;
    int rows = 0;

    Column() {
        grid->setHorizontalSpacing(24);
        grid->setVerticalSpacing(4);
        grid->setColumnMinimumWidth(1, 110);
    }

    void add(const QString& title, const std::vector<Line>& lines) {
        if (lines.empty()) return;
        auto* heading = new QLabel(title);
        heading->setFont(captionFont());
        heading->setProperty("role", QStringLiteral("caption"));
        grid->setRowMinimumHeight(rows, rows == 0 ? 0 : 30);
        grid->addWidget(heading, rows++, 0, 1, 2, Qt::AlignBottom);
        for (const Line& line : lines) {
            auto* keys = new QLabel(line.keys);
            keys->setFont(numberFont());
            keys->setProperty("role", QStringLiteral("dim"));
            grid->addWidget(new QLabel(line.what), rows, 0);
            grid->addWidget(keys, rows++, 1);
        }
    }
};

}  // namespace

ShortcutsDialog::ShortcutsDialog(const ActionRegistry& registry, QWidget* parent) : QDialog(parent) {
    setWindowTitle(tr("Keyboard shortcuts"));
    Column left, right;
    const auto add = [&](const QString& title, const std::vector<Line>& lines) {
        (left.rows <= right.rows ? left : right).add(title, lines);
    };
    for (const QString& section : registry.sections())
        add(section, linesOf(registry, section));
    add(tr("In the plots"), plotLines());
    auto* columns = new QHBoxLayout;
    columns->setSpacing(32);
    for (const Column& column : {left, right}) {
        auto* half = new QVBoxLayout;
        half->addLayout(column.grid);
        half->addStretch(1);
        columns->addLayout(half);
    }
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 14, 16, 12);
    layout->setSpacing(16);
    layout->addLayout(columns);
    layout->addWidget(buttons);
}

}  // namespace octet::ui
