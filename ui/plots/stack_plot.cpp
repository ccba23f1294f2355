// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/stack_plot.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "ui/documents/project.h"
#include "ui/plots/card_painter.h"
#include "ui/plots/stack_ranges.h"
#include "ui/plots/tickers.h"

namespace octet::ui {
namespace {

constexpr int kFrameMs = 40, kOverlayMs = 16, kRowGap = 10, kLeastPlot = 64, kRightMargin = 24;

// A layer's content as a function.
class Painted final : public QCPLayerable {
public:
    Painted(QCustomPlot* plot, const QString& layer, std::function<void(QCPPainter*)> paint)
        : QCPLayerable(plot, layer), m_paint(std::move(paint)) {}

protected:
    void applyDefaultAntialiasingHint(QCPPainter*) const override {}
    void draw(QCPPainter* painter) override { m_paint(painter); }

private:
    std::function<void(QCPPainter*)> m_paint;
};

bool sameRows(const std::vector<TrackCard>& cards, const std::vector<Track>& tracks) {
    return std::equal(cards.begin(), cards.end(), tracks.begin(), tracks.end(),
                      [](const TrackCard& card, const Track& track) {
                          return card.track.key == track.key && card.track.scale == track.scale &&
                                 card.track.stretch == track.stretch;
                      });
}

}  // namespace

StackPlot::StackPlot(Selection* selection, QWidget* parent) : QCustomPlot(parent), m_selection(selection) {
    m_scene.selection = selection;
    m_axis = selection->xAxis();
    if (const auto& range = selection->xRange()) m_view.x = QCPRange(range->lower, range->upper);
    m_history = {m_view};
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setPlottingHints(QCP::phCacheLabels | QCP::phFastPolylines);
    plotLayout()->clear();
    plotLayout()->setRowSpacing(kRowGap);
    // Rows are rounded up, and the frame of the last one must not fall off.
    plotLayout()->setMinimumMargins(QMargins(0, 0, 0, 3));
    m_leftMargins = new QCPMarginGroup(this);
    const QString overlayName = QStringLiteral("octet-overlay");
    addLayer(overlayName, layer(QStringLiteral("overlay")), limAbove);
    layer(overlayName)->setMode(QCPLayer::lmBuffered);
    m_painted.push_back(std::make_unique<Painted>(this, QStringLiteral("background"),
                                                  [this](QCPPainter* painter) { paintFrames(painter, m_scene); }));
    m_painted.push_back(std::make_unique<Painted>(this, QStringLiteral("main"),
                                                  [this](QCPPainter* painter) { paintCurves(painter, m_scene); }));
    m_painted.push_back(
        std::make_unique<Painted>(this, overlayName, [this](QCPPainter* painter) { paintOverlay(painter, m_scene); }));
    m_redrawTimer.setSingleShot(true);
    m_overlayTimer.setSingleShot(true);
    applyTheme();
    connectSelection();
}

StackPlot::~StackPlot() = default;

void StackPlot::connectSelection() {
    connect(&m_redrawTimer, &QTimer::timeout, this, [this] {
        if (isVisible()) redrawNow();
    });
    connect(&m_overlayTimer, &QTimer::timeout, this, [this] {
        layer(QStringLiteral("octet-overlay"))->replot();
        describe();
    });
    connect(m_selection, &Selection::visibilityChanged, this, &StackPlot::refresh);
    connect(m_selection, &Selection::cursorChanged, this, &StackPlot::refreshOverlay);
    connect(m_selection, &Selection::xAxisChanged, this, &StackPlot::convertView);
    connect(m_selection, &Selection::xRangeChanged, this, [this] {
        const auto& range = m_selection->xRange();
        if (m_applying || !range) return;
        StackView view = m_view;
        view.x = QCPRange(range->lower, range->upper);
        changeView(view, Step::New);
    });
    connect(m_selection, &Selection::followsChanged, this, [this] {
        if (m_applying) return;
        StackView view = m_view;
        view.x = m_selection->follows() ? std::nullopt : std::optional(xRange());
        if (m_selection->follows()) view.y.clear();
        changeView(view, Step::New);
    });
}

void StackPlot::setTracks(std::vector<Track> tracks, std::vector<StackMarker> markers) {
    std::erase_if(markers, [](const StackMarker& marker) { return !std::isfinite(marker.x); });
    m_scene.markers = std::move(markers);
    const bool rebuild = !sameRows(m_scene.cards, tracks);
    fillCards(std::move(tracks));
    if (rebuild) buildLayout();
    makeMarkerStrip();
    std::erase_if(m_series, [](const auto& entry) { return entry.second.use_count() == 1; });
    prepare();
    refresh();
}

void StackPlot::fillCards(std::vector<Track> tracks) {
    m_scene.cards.resize(tracks.size());
    for (size_t row = 0; row < tracks.size(); ++row) {
        TrackCard& card = m_scene.cards[row];
        card.curves = curvesOf(tracks[row]);
        card.track = std::move(tracks[row]);
        std::erase_if(card.track.bands, [](const TrackBand& band) { return !(band.low <= band.high); });
    }
    m_scene.currentCard = std::clamp(m_scene.currentCard, 0, std::max(0, static_cast<int>(tracks.size()) - 1));
}

// Moves the track's curves over, each to the samples that are already known where they are.
std::vector<Curve> StackPlot::curvesOf(Track& track) {
    std::vector<Curve> curves;
    for (const TrackCurve& given : track.curves) {
        Curve curve{
            given.run,    given.name, given.colourIndex,        given.smoothing,         given.faint,
            given.dashed, given.dots, plotSeriesOf(given.data), plotSeriesOf(given.low), plotSeriesOf(given.high)};
        if (curve.series) curve.series->wantSmoothed(given.smoothing);
        curves.push_back(std::move(curve));
    }
    for (ComputedCurve& given : track.computed)
        curves.push_back({given.run, given.name, given.colourIndex, 0, false, false, false,
                          std::make_shared<PlotSeries>(std::move(given.x), given.y), nullptr, nullptr});
    track.curves.clear();
    track.computed.clear();
    return curves;
}

std::shared_ptr<PlotSeries> StackPlot::plotSeriesOf(const std::shared_ptr<const SeriesView>& samples) {
    if (!samples) return nullptr;
    auto& known = m_series[samples.get()];
    if (!known) known = std::make_shared<PlotSeries>(samples);
    return known;
}

void StackPlot::buildLayout() {
    plotLayout()->clear();
    for (size_t row = 0; row < m_scene.cards.size(); ++row)
        addRow(m_scene.cards[row], static_cast<int>(row));
    plotLayout()->simplify();
    const auto rows = static_cast<int>(m_scene.cards.size());
    setMinimumHeight(rows * (kHeadHeight + 26 + kLeastPlot) + std::max(0, rows - 1) * kRowGap);
    QStringList titles;
    for (const TrackCard& card : m_scene.cards)
        titles << card.track.title;
    setAccessibleName(tr("Plots: %1").arg(titles.join(QStringLiteral(", "))));
    applyTheme();
}

void StackPlot::addRow(TrackCard& card, int row) {
    card.rect = new QCPAxisRect(this, true);
    card.rect->setAutoMargins(QCP::msLeft | QCP::msBottom);
    card.rect->setMargins(QMargins(0, kHeadHeight, kRightMargin, 0));
    card.rect->setMinimumMargins(QMargins(40, kHeadHeight, kRightMargin, 20));
    card.rect->setMarginGroup(QCP::msLeft, m_leftMargins);
    card.rect->setMinimumSize(60, 20);
    plotLayout()->addElement(row, 0, card.rect);
    plotLayout()->setRowStretchFactor(row, std::max(0.05, card.track.stretch));
    QCPAxis* x = card.rect->axis(QCPAxis::atBottom);
    QCPAxis* y = card.rect->axis(QCPAxis::atLeft);
    x->setTicker(QSharedPointer<PositionTicker>::create());
    y->setTicker(QSharedPointer<ValueTicker>::create(card.track.scale));
    for (QCPAxis* axis : {x, y}) {
        axis->setLayer(QStringLiteral("axes"));
        axis->grid()->setLayer(QStringLiteral("grid"));
        axis->grid()->setAntialiased(false);
        axis->grid()->setZeroLinePen(Qt::NoPen);
        axis->setBasePen(Qt::NoPen);
        axis->setTickPen(Qt::NoPen);
        axis->setSubTicks(false);
        axis->setTickLength(0);
        axis->setTickLabelPadding(6);
        axis->setPadding(6);
    }
    y->setPadding(10);
}

// The top card has room for the labels of the marks, when there are any.
void StackPlot::makeMarkerStrip() {
    if (m_scene.cards.empty()) return;
    const bool labelled = std::any_of(m_scene.markers.begin(), m_scene.markers.end(),
                                      [](const StackMarker& marker) { return !marker.label.isEmpty(); });
    const int top = kHeadHeight + (labelled ? kMarkerStrip : 0);
    QCPAxisRect* rect = m_scene.cards.front().rect;
    rect->setMinimumMargins(QMargins(40, top, kRightMargin, 20));
    QMargins margins = rect->margins();
    margins.setTop(top);
    rect->setMargins(margins);
}

void StackPlot::applyTheme() {
    m_scene.theme = &themeOf(this);
    setBackground(QBrush(m_scene.theme->bg));
    QFont font = numberFont();
    font.setPixelSize(11);
    for (const TrackCard& card : m_scene.cards)
        for (QCPAxis* axis : card.rect->axes()) {
            axis->setTickLabelFont(font);
            axis->setTickLabelColor(m_scene.theme->dim);
            axis->grid()->setPen(QPen(m_scene.theme->grid, 1));
        }
}

void StackPlot::refresh() {
    m_dirty = true;
    if (!isVisible() || m_redrawTimer.isActive()) return;
    const qint64 since = m_sinceRedraw.isValid() ? m_sinceRedraw.elapsed() : kFrameMs;
    m_redrawTimer.start(static_cast<int>(std::clamp<qint64>(kFrameMs - since, 0, kFrameMs)));
}

void StackPlot::refreshOverlay() {
    if (isVisible() && !m_overlayTimer.isActive()) m_overlayTimer.start(kOverlayMs);
}

void StackPlot::setRubberBand(const QRectF& rect) {
    m_scene.rubberBand = rect;
    refreshOverlay();
}

void StackPlot::setCurrentCard(int card) {
    if (card < 0 || card >= static_cast<int>(m_scene.cards.size()) || card == m_scene.currentCard) return;
    m_scene.currentCard = card;
    describe();
    refresh();
}

void StackPlot::setFocused(bool focused) {
    if (std::exchange(m_scene.focused, focused) != focused) refresh();
}

void StackPlot::redrawNow(double ratio) {
    m_dirty = false;
    m_sinceRedraw.start();
    m_redrawTimer.stop();
    ++m_redraws;
    // Wrong at start and after a move to another screen otherwise.
    if (ratio <= 0) ratio = devicePixelRatioF();
    if (!qFuzzyCompare(bufferDevicePixelRatio(), ratio)) setBufferDevicePixelRatio(ratio);
    prepare();
    replot(rpQueuedRefresh);
    describe();
}

// Looks at the data and sets every range; drawing itself reads the data again column by column.
void StackPlot::prepare() {
    bool complete = true;
    for (const auto& [view, series] : m_series)
        complete = series->update() && complete;
    for (const TrackCard& card : m_scene.cards)
        for (const Curve& curve : card.curves)
            if (curve.series) complete = curve.series->update() && complete;
    m_extent = dataExtent(m_scene, m_axis);
    hideEmptyAxes();
    const QCPRange x = m_view.x.value_or(followRange(m_extent));
    for (TrackCard& card : m_scene.cards) {
        const auto chosen = m_view.y.find(card.track.key);
        card.userRange = chosen == m_view.y.end() ? std::nullopt : std::optional(chosen->second);
        const QCPRange y = card.userRange.value_or(fitRange(m_scene, card, m_axis, x));
        if (isUsable(x)) card.rect->axis(QCPAxis::atBottom)->setRange(x);
        if (isUsable(y)) card.rect->axis(QCPAxis::atLeft)->setRange(y);
    }
    prepareTickers();
    if (!complete) QTimer::singleShot(0, this, &StackPlot::refresh);
}

// A card without a sample has words in it, and no numbers that mean nothing.
void StackPlot::hideEmptyAxes() {
    for (const TrackCard& card : m_scene.cards) {
        const bool recorded =
            std::any_of(card.curves.begin(), card.curves.end(), [](const Curve& curve) { return curve.size() > 0; });
        card.rect->axis(QCPAxis::atLeft)->setTickLabels(recorded);
        card.rect->axis(QCPAxis::atLeft)->grid()->setVisible(recorded);
    }
}

void StackPlot::prepareTickers() {
    double shares = 0;
    for (const TrackCard& card : m_scene.cards)
        shares += std::max(0.05, card.track.stretch);
    const double room = height() - kRowGap * std::max(0.0, static_cast<double>(m_scene.cards.size()) - 1);
    for (const TrackCard& card : m_scene.cards) {
        const double plot = room * std::max(0.05, card.track.stretch) / shares - kHeadHeight - 24;
        card.rect->axis(QCPAxis::atLeft)->ticker()->setTickCount(std::clamp(static_cast<int>(plot / 22), 2, 8));
        const auto x = card.rect->axis(QCPAxis::atBottom)->ticker().staticCast<PositionTicker>();
        x->setAxis(m_axis);
        x->setTickCount(std::clamp(width() / 110, 2, 12));
    }
}

void StackPlot::describe() {
    if (m_scene.currentCard < static_cast<int>(m_scene.cards.size()))
        setAccessibleDescription(spokenValues(m_scene, m_scene.cards[static_cast<size_t>(m_scene.currentCard)]));
}

void StackPlot::paintEvent(QPaintEvent* event) {
    const bool due = m_dirty && (!m_sinceRedraw.isValid() || m_sinceRedraw.elapsed() >= kFrameMs);
    if (due || !qFuzzyCompare(bufferDevicePixelRatio(), devicePixelRatioF())) redrawNow();
    QCustomPlot::paintEvent(event);
}

void StackPlot::resizeEvent(QResizeEvent* event) {
    prepare();
    QCustomPlot::resizeEvent(event);
}

void StackPlot::showEvent(QShowEvent* event) {
    QCustomPlot::showEvent(event);
    refresh();
}

void StackPlot::changeEvent(QEvent* event) {
    QCustomPlot::changeEvent(event);
    if (event->type() != QEvent::PaletteChange && event->type() != QEvent::StyleChange) return;
    applyTheme();
    refresh();
}

}  // namespace octet::ui
