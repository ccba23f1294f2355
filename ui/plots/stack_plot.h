// SPDX-License-Identifier: GPL-3.0-or-later
// The plot inside a TrackStack: one QCustomPlot, one axis rect a card. Owns the scene, the view (x range, y ranges,
// with history) and the redraw clock; gestures arrive through StackInput.
#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <map>

#include "ui/plots/track_card.h"

namespace octet::ui {

/// What a person chose to see; without an x range the view follows the data.
struct StackView {
    std::optional<QCPRange> x;
    std::map<QString, QCPRange> y;  // by track key, in axis units
    bool operator==(const StackView&) const = default;
};

class StackPlot final : public QCustomPlot {
    Q_OBJECT

public:
    explicit StackPlot(Selection* selection, QWidget* parent = nullptr);
    ~StackPlot() override;

    void setTracks(std::vector<Track> tracks, std::vector<StackMarker> markers);
    /// One redraw within 40 ms, when visible.
    void refresh();
    /// @param ratio  device pixels per pixel; 0: the screen's
    void redrawNow(double ratio = 0);
    void refreshOverlay();
    void setRubberBand(const QRectF& rect);
    void setCurrentCard(int card);
    void setFocused(bool focused);

    [[nodiscard]] const StackScene& scene() const { return m_scene; }
    [[nodiscard]] Selection* selection() const { return m_selection; }
    [[nodiscard]] QCPRange xRange() const;
    [[nodiscard]] int redrawCount() const { return m_redraws; }

    /// Changes of one gesture (a wheel burst, a drag) are one entry of the history.
    enum class Step { New, Continued };
    void changeView(StackView view, Step step);
    [[nodiscard]] const StackView& view() const { return m_view; }
    void follow();
    void back();
    void forward();
    [[nodiscard]] const std::optional<QCPRange>& extent() const { return m_extent; }

signals:
    void legendClicked(store::RunId run, bool isolate);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void connectSelection();
    void fillCards(std::vector<Track> tracks);
    [[nodiscard]] std::vector<Curve> curvesOf(Track& track);
    [[nodiscard]] std::shared_ptr<PlotSeries> plotSeriesOf(const std::shared_ptr<const SeriesView>& samples);
    void buildLayout();
    void makeMarkerStrip();
    void addRow(TrackCard& card, int row);
    void applyTheme();
    void prepare();
    void hideEmptyAxes();
    void prepareTickers();
    void applyView();
    void convertView();
    void describe();

    Selection* m_selection;
    StackScene m_scene;
    std::map<const SeriesView*, std::shared_ptr<PlotSeries>> m_series;
    std::vector<std::unique_ptr<QCPLayerable>> m_painted;
    QCPMarginGroup* m_leftMargins = nullptr;
    XAxis m_axis = XAxis::Step;  // what m_view.x is in

    StackView m_view;
    std::vector<StackView> m_history{StackView{}};
    size_t m_at = 0;
    bool m_applying = false;
    std::optional<QCPRange> m_extent;

    QTimer m_redrawTimer, m_overlayTimer;
    QElapsedTimer m_sinceRedraw;
    bool m_dirty = true;
    int m_redraws = 0;
};

}  // namespace octet::ui
