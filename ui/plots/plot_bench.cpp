// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/plot_bench.h"

#include <QElapsedTimer>
#include <algorithm>
#include <cmath>
#include <random>

#include "ui/documents/project.h"
#include "ui/plots/stack_plot.h"

namespace octet::ui {
namespace {

constexpr int kCurves = 12, kFrames = 21, kWidth = 1600, kHeight = 900;

std::shared_ptr<SeriesView> noisySeries(int64_t samples, float centre, float noise, uint32_t seed) {
    constexpr int64_t kBlock = 1 << 16;
    auto view = std::make_shared<SeriesView>();
    std::mt19937 random(seed);
    view->axes->step.reserve(static_cast<size_t>(samples));
    std::vector<float> block;
    for (int64_t at = 0; at < samples; at += kBlock) {
        block.resize(static_cast<size_t>(std::min(kBlock, samples - at)));
        for (size_t index = 0; index < block.size(); ++index) {
            view->axes->step.push_back(static_cast<double>(at) + static_cast<double>(index));
            block[index] = centre + noise * (static_cast<float>(random() >> 8) * 0x1p-24F - 0.5F);
        }
        view->values.append(block);
    }
    return view;
}

Track trackOf(std::vector<TrackCurve> curves) {
    Track track;
    track.key = track.title = QStringLiteral("BENCH");
    track.curves = std::move(curves);
    return track;
}

std::vector<TrackCurve> twelveCurves(double smoothing, int64_t samples = 100'000) {
    std::vector<TrackCurve> curves;
    for (int index = 0; index < kCurves; ++index) {
        TrackCurve curve;
        curve.run = store::RunId{index + 1};
        curve.name = QStringLiteral("run %1").arg(index + 1);
        curve.colourIndex = index;
        // Twelve centres one apart and a margin: noise of 1.4 is a tenth of the height.
        curve.data = noisySeries(samples, static_cast<float>(index), 1.4F, static_cast<uint32_t>(index) + 1);
        curve.smoothing = smoothing;
        curves.push_back(curve);
    }
    return curves;
}

// The first redraw also looks at the new data and is not counted.
PlotFigure timed(StackPlot& plot, double ratio, PlotFigure figure) {
    plot.redrawNow(ratio);
    std::vector<double> times;
    for (int frame = 0; frame < kFrames; ++frame) {
        QElapsedTimer clock;
        clock.start();
        plot.redrawNow(ratio);
        times.push_back(static_cast<double>(clock.nsecsElapsed()) / 1e6);
    }
    std::sort(times.begin(), times.end());
    figure.median = times[times.size() / 2];
    figure.worst = times.back();
    return figure;
}

}  // namespace

std::vector<PlotFigure> benchFrames() {
    Selection selection;
    StackPlot plot(&selection);
    plot.resize(kWidth, kHeight);
    std::vector<PlotFigure> figures;
    const QString noise = QStringLiteral("12 curves, noise a tenth of the height, 1600x900, scale %1");
    plot.setTracks({trackOf(twelveCurves(0))}, {});
    figures.push_back(timed(plot, 1, {QStringLiteral("frame.scale1"), 0, 0, 16, noise.arg(1)}));
    figures.push_back(timed(plot, 2, {QStringLiteral("frame.scale2"), 0, 0, 33, noise.arg(2)}));
    const QString average = QStringLiteral("the same as averages 0.99, scale %1");
    plot.setTracks({trackOf(twelveCurves(0.99))}, {});
    figures.push_back(timed(plot, 1, {QStringLiteral("frame.smoothed.scale1"), 0, 0, 16, average.arg(1)}));
    figures.push_back(timed(plot, 2, {QStringLiteral("frame.smoothed.scale2"), 0, 0, 33, average.arg(2)}));
    plot.setTracks({trackOf(twelveCurves(0, 750))}, {});
    figures.push_back(timed(plot, 1,
                            {QStringLiteral("frame.lines.scale1"), 0, 0, 16,
                             QStringLiteral("12 noisy curves of 750 samples, antialiased, scale 1")}));
    return figures;
}

std::vector<PlotFigure> benchOverview(int64_t samples) {
    Selection selection;
    StackPlot plot(&selection);
    plot.resize(kWidth, kHeight);
    TrackCurve curve;
    curve.run = store::RunId{1};
    curve.name = QStringLiteral("long");
    curve.data = noisySeries(samples, 0, 1, 1);
    plot.setTracks({trackOf({curve})}, {});
    return {timed(plot, 1,
                  {QStringLiteral("overview"), 0, 0, 100, QStringLiteral("one curve of %1 samples").arg(samples)})};
}

}  // namespace octet::ui
