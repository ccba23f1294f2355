// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/track_stack.h"

#include <QElapsedTimer>
#include <QScrollArea>
#include <QVBoxLayout>

#include "ui/plots/stack_export.h"
#include "ui/plots/stack_input.h"

namespace octet::ui {

struct TrackStack::Impl {
    StackPlot* plot;
};

TrackStack::TrackStack(Selection* selection, QWidget* parent)
    : QWidget(parent), m_impl(std::make_unique<Impl>(Impl{new StackPlot(selection)})) {
    auto* scroll = new QScrollArea;
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setAccessibleName(tr("Tracks"));
    scroll->setWidget(m_impl->plot);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(scroll);
    setFocusProxy(m_impl->plot);
    setAccessibleName(tr("Tracks"));
    new StackInput(m_impl->plot);
    connect(m_impl->plot, &StackPlot::legendClicked, this, &TrackStack::legendClicked);
}

TrackStack::~TrackStack() = default;

void TrackStack::setTracks(std::vector<Track> tracks, std::vector<StackMarker> markers) {
    m_impl->plot->setTracks(std::move(tracks), std::move(markers));
}

void TrackStack::refresh() {
    m_impl->plot->refresh();
}

Result<void> TrackStack::exportImage(const QString& path, double scale) const {
    return exportStack(*m_impl->plot, path, scale);
}

QString TrackStack::visibleCsv() const {
    return csvOf(m_impl->plot->scene(), m_impl->plot->xRange());
}

double TrackStack::redrawNow() {
    QElapsedTimer clock;
    clock.start();
    m_impl->plot->redrawNow();
    return static_cast<double>(clock.nsecsElapsed()) / 1e6;
}

}  // namespace octet::ui
