// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/events_panel.h"

#include <QLabel>
#include <QListView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include "ui/models/event_model.h"
#include "ui/widgets/pill.h"
#include "ui/widgets/theme.h"

namespace octet::ui {
namespace {

constexpr int kMargin = 6, kHeadHeight = 18;

QColor colourOf(Tone tone, const Theme& theme) {
    return tone == Tone::Bad ? theme.bad : tone == Tone::Warn ? theme.warn : theme.ink;
}

/// Step and run on the first line, the whole sentence under it.
class EventDelegate final : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const auto* view = qobject_cast<const QListView*>(option.widget);
        const int width = view ? view->viewport()->width() : 280;
        const QRect text = QFontMetrics(textFont())
                               .boundingRect(QRect(0, 0, width - 2 * kMargin, 4000), Qt::TextWordWrap,
                                             index.data(Qt::DisplayRole).toString());
        return {width, text.height() + kHeadHeight + 2 * kMargin};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const Theme& theme = themeOf(option.widget);
        painter->save();
        if (option.state & QStyle::State_Selected)
            painter->fillRect(option.rect, theme.accentSoft);
        else if (option.state & QStyle::State_MouseOver)
            painter->fillRect(option.rect, theme.hover);
        QRect rest = option.rect.adjusted(kMargin, kMargin, -kMargin, -kMargin);
        const QRect head(rest.left(), rest.top(), rest.width(), kHeadHeight - 2);
        painter->setFont(numberFont());
        painter->setPen(theme.dim);
        const QString step = index.siblingAtColumn(EventModel::StepColumn).data().toString();
        const QString at = EventModel::tr("step %1").arg(step);
        painter->drawText(head, Qt::AlignLeft | Qt::AlignVCenter, at);
        painter->setPen(runColour(index.data(EventModel::ColourIndexRole).toInt(), theme));
        const int used = painter->fontMetrics().horizontalAdvance(at) + 10;
        painter->drawText(
            head.adjusted(used, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
            painter->fontMetrics().elidedText(index.siblingAtColumn(EventModel::RunColumn).data().toString(),
                                              Qt::ElideRight, head.width() - used));
        rest.setTop(rest.top() + kHeadHeight);
        painter->setFont(textFont());
        painter->setPen(colourOf(static_cast<Tone>(index.data(EventModel::ToneRole).toInt()), theme));
        painter->drawText(rest, Qt::TextWordWrap, index.data(Qt::DisplayRole).toString());
        painter->setPen(theme.grid);
        painter->drawLine(option.rect.bottomLeft(), option.rect.bottomRight());
        painter->restore();
    }
};

}  // namespace

EventsPanel::EventsPanel(Selection* selection, QWidget* parent)
    : QWidget(parent), m_selection(selection), m_empty(new QLabel(this)), m_list(new QListView(this)) {
    m_empty->setText(
        tr("Nothing has happened yet. Cold starts, NaN, recipe changes and pauses are listed here, with "
           "the step and the layer."));
    m_empty->setProperty("role", QStringLiteral("dim"));
    m_empty->setWordWrap(true);
    m_empty->setAlignment(Qt::AlignTop);
    m_list->setAccessibleName(tr("Events"));
    m_list->setItemDelegate(new EventDelegate(m_list));
    m_list->setResizeMode(QListView::Adjust);
    m_list->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 6, 0, 0);
    layout->addWidget(m_empty);
    layout->addWidget(m_list, 1);
    const auto choose = [this](const QModelIndex& index) {
        emit eventChosen({index.data(EventModel::RunIdRole).toLongLong()}, index.data(EventModel::StepRole).toDouble(),
                         index.data(EventModel::LayerRole).toString());
    };
    connect(m_list, &QListView::activated, this, choose);
    connect(m_list, &QListView::clicked, this, choose);
}

void EventsPanel::setProject(Project* project) {
    QItemSelectionModel* old = m_list->selectionModel();
    m_list->setModel(nullptr);
    delete old;
    delete m_model;
    m_model = project ? new EventModel(project, m_selection, this) : nullptr;
    if (m_model) {
        m_list->setModel(m_model);
        m_list->setModelColumn(EventModel::SentenceColumn);
        connect(m_model, &QAbstractItemModel::rowsInserted, this, &EventsPanel::showWhetherEmpty);
        connect(m_model, &QAbstractItemModel::modelReset, this, &EventsPanel::showWhetherEmpty);
    }
    showWhetherEmpty();
}

void EventsPanel::showWhetherEmpty() {
    const bool isEmpty = !m_model || m_model->rowCount() == 0;
    m_empty->setVisible(isEmpty);
    m_list->setVisible(!isEmpty);
}

}  // namespace octet::ui
