// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/recipe/recipe_list.h"

#include <QFileInfo>
#include <QLineEdit>
#include <QListWidget>
#include <QPainter>
#include <QPushButton>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include "engine/recipe/recipe_json.h"
#include "ui/recipe/recipe_files.h"
#include "ui/widgets/theme.h"

namespace octet::ui {
namespace {

enum Role { SummaryRole = Qt::UserRole, ReferenceRole, IsSectionRole, IsWrongRole };

constexpr int kSide = 12, kGap = 5, kSummaryPx = 11;

QFont summaryFont() {
    QFont font = textFont();
    font.setPixelSize(kSummaryPx);
    return font;
}

/// Name, and the summary under it in as many lines as it needs.
class RecipeDelegate final : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const Theme& theme = themeOf(option.widget);
        const QRect inside = option.rect.adjusted(kSide, kGap, -kSide, -kGap);
        painter->save();
        if (index.data(IsSectionRole).toBool()) {
            painter->setFont(captionFont());
            painter->setPen(theme.dim);
            painter->drawText(inside, Qt::AlignLeft | Qt::AlignBottom, index.data().toString());
            painter->restore();
            return;
        }
        if (option.state & QStyle::State_Selected)
            painter->fillRect(option.rect, theme.accentSoft);
        else if (option.state & QStyle::State_MouseOver)
            painter->fillRect(option.rect, theme.hover);
        if (option.state & QStyle::State_HasFocus) {
            painter->setPen(theme.accent);
            painter->drawRect(option.rect.adjusted(0, 0, -1, -1));
        }
        painter->setFont(textFont());
        painter->setPen(theme.ink);
        const int nameHeight = painter->fontMetrics().height();
        const QString name =
            painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideMiddle, inside.width());
        painter->drawText(inside, Qt::AlignLeft | Qt::AlignTop, name);
        painter->setFont(summaryFont());
        painter->setPen(index.data(IsWrongRole).toBool() ? theme.bad : theme.dim);
        painter->drawText(inside.adjusted(0, nameHeight, 0, 0), Qt::TextWordWrap, index.data(SummaryRole).toString());
        painter->restore();
    }

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        if (index.data(IsSectionRole).toBool()) return {0, QFontMetrics(captionFont()).height() + 2 * kGap + 4};
        const auto* view = qobject_cast<const QListWidget*>(option.widget);
        const int width = (view ? view->viewport()->width() : option.rect.width()) - 2 * kSide;
        const QRect room(0, 0, qMax(width, 60), 10'000);
        const int summary = QFontMetrics(summaryFont())
                                .boundingRect(room, Qt::TextWordWrap, index.data(SummaryRole).toString())
                                .height();
        return {0, QFontMetrics(textFont()).height() + summary + 2 * kGap};
    }
};

}  // namespace

RecipeList::RecipeList(QWidget* parent)
    : QWidget(parent), m_search(new QLineEdit(this)), m_list(new QListWidget(this)) {
    m_search->setPlaceholderText(tr("Search recipes"));
    m_search->setAccessibleName(tr("Search recipes"));
    m_search->setClearButtonEnabled(true);
    m_list->setObjectName(QStringLiteral("recipes"));
    m_list->setAccessibleName(tr("Presets and recipe files"));
    m_list->setItemDelegate(new RecipeDelegate(m_list));
    m_list->setResizeMode(QListView::Adjust);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_list->setMouseTracking(true);
    auto* open = new QPushButton(tr("Open recipe..."), this);
    open->setAccessibleName(tr("Open a recipe file"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 10, 0, 10);
    column->setSpacing(8);
    auto* top = new QVBoxLayout;
    top->setContentsMargins(kSide, 0, kSide, 0);
    top->addWidget(m_search);
    column->addLayout(top);
    column->addWidget(m_list, 1);
    auto* bottom = new QVBoxLayout;
    bottom->setContentsMargins(kSide, 0, kSide, 0);
    bottom->addWidget(open);
    column->addLayout(bottom);
    const auto choose = [this](const QListWidgetItem* item) {
        const QString reference = item ? item->data(ReferenceRole).toString() : QString();
        if (!reference.isEmpty()) emit chosen(reference);
    };
    connect(m_list, &QListWidget::itemClicked, this, choose);
    connect(m_list, &QListWidget::itemActivated, this, [this, choose](const QListWidgetItem* item) {
        if (item && item->data(ReferenceRole).toString() != m_current) choose(item);
    });
    connect(m_search, &QLineEdit::textChanged, this, &RecipeList::filter);
    connect(open, &QPushButton::clicked, this, &RecipeList::fileWanted);
    refresh();
}

/// The number of lines of a summary follows from the width.
void RecipeList::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    m_list->doItemsLayout();
}

void RecipeList::addSection(const QString& title) {
    auto* item = new QListWidgetItem(title, m_list);
    item->setData(IsSectionRole, true);
    item->setFlags(Qt::NoItemFlags);
}

void RecipeList::addRecipe(const QString& name, const QString& summary, const QString& reference, bool isWrong) {
    auto* item = new QListWidgetItem(name, m_list);
    item->setData(SummaryRole, summary);
    item->setData(ReferenceRole, reference);
    item->setData(IsWrongRole, isWrong);
    item->setData(Qt::AccessibleTextRole, tr("%1: %2").arg(name, summary));
    item->setToolTip(reference.startsWith(QStringLiteral("preset:")) ? summary : reference);
}

void RecipeList::addFiles() {
    const QStringList files = recentRecipes();
    if (files.isEmpty()) return;
    addSection(tr("From files"));
    for (const QString& path : files) {
        const auto loaded = recipe::loadRecipe(path.toStdString());
        const QString summary = loaded ? QString::fromStdString(recipe::recipeSummary(loaded->recipe))
                                       : tr("does not load: click for the reason");
        addRecipe(QFileInfo(path).fileName(), summary, path, !loaded.ok());
    }
}

void RecipeList::refresh() {
    m_list->clear();
    addSection(tr("Presets"));
    for (const recipe::Preset& preset : recipe::presets()) {
        addRecipe(QString::fromStdString(preset.name), QString::fromStdString(preset.summary),
                  QStringLiteral("preset:") + QString::fromStdString(preset.name), false);
    }
    addFiles();
    filter(m_search->text());
    setCurrent(m_current);
}

void RecipeList::setCurrent(const QString& reference) {
    m_current = reference;
    for (int row = 0; row < m_list->count(); ++row) {
        if (m_list->item(row)->data(ReferenceRole).toString() != reference) continue;
        m_list->setCurrentRow(row);
        return;
    }
    m_list->setCurrentRow(-1);
}

void RecipeList::filter(const QString& text) {
    for (int row = 0; row < m_list->count(); ++row) {
        const QListWidgetItem* item = m_list->item(row);
        const bool fits = item->text().contains(text, Qt::CaseInsensitive) ||
                          item->data(SummaryRole).toString().contains(text, Qt::CaseInsensitive);
        m_list->setRowHidden(row, !item->data(IsSectionRole).toBool() && !fits);
    }
}

}  // namespace octet::ui
