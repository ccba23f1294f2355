// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/run_tracks.h"

#include <QCoreApplication>
#include <algorithm>
#include <functional>
#include <limits>

namespace octet::ui {
namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(octet::ui::RunTracks)
};

constexpr int kLowForLive = 650, kLowForCompare = 560;

QString operandOf(const Selection& selection) {
    return selection.operand().isEmpty() ? QStringLiteral("grad_output") : selection.operand();
}

Track track(const char* key, const QString& title, const QString& caption, double stretch) {
    Track made;
    made.key = QLatin1String(key);
    made.title = title;
    made.caption = caption;
    made.stretch = stretch;
    return made;
}

TrackCurve curveOf(const ShownRun& run, SeriesPointer data, const QString& suffix = {}) {
    TrackCurve curve;
    curve.run = run.info.id;
    curve.name = suffix.isEmpty() ? run.name : run.name + QLatin1Char(' ') + suffix;
    curve.colourIndex = run.colourIndex;
    curve.data = std::move(data);
    return curve;
}

/// Hidden runs too: their entry in the head brings them back.
template <typename Make>
void addForEach(const TrackRequest& request, bool onlyFp8, Make make) {
    for (const ShownRun& run : request.shown.runs)
        if (run.isFp8 || !onlyFp8) make(run);
}

using SeriesOf = std::function<SeriesPointer(const ShownRun&)>;

/// What a recipe's curve is made of. @param line  averaged over the seeds; @param edges  their band; none: like the
/// line
struct RecipeCurve {
    const char* name;
    SeriesOf line, edges;
};

/// One curve a recipe: its run's, or mean and band of its visible seeds.
void addForEachRecipe(Track& made, const TrackRequest& request, RunSeries& series, const RecipeCurve& wanted) {
    const SeriesOf& edges = wanted.edges ? wanted.edges : wanted.line;
    for (const SeedGroup& group : seedGroups(request.shown)) {
        const size_t seeds = group.visible.size();
        const ShownRun& first = seeds == 0 ? *group.members.front() : *group.visible.front();
        if (seeds < 2) {
            made.curves.push_back(curveOf(first, wanted.line(first)));
            continue;
        }
        const auto of = [&](const SeriesOf& one) {
            std::vector<SeriesPointer> all;
            for (const ShownRun* run : group.visible)
                all.push_back(one(*run));
            return all;
        };
        TrackCurve curve = curveOf(first, series.spread(wanted.name, of(wanted.line), SpreadSeries::Kind::Mean));
        curve.name = Words::tr("%1, mean of %2 seeds").arg(group.name).arg(seeds);
        curve.low = series.spread(wanted.name, of(edges), SpreadSeries::Kind::Least);
        curve.high = series.spread(wanted.name, of(edges), SpreadSeries::Kind::Most);
        made.curves.push_back(std::move(curve));
    }
}

Track lossTrack(const TrackRequest& request, RunSeries& series, double stretch) {
    Track made = track("loss", Words::tr("LOSS"), Words::tr("evaluation dashed, raw behind smoothed 0.9"), stretch);
    made.unit = Words::tr("nats");
    made.emptyText = Words::tr("The training loss of every run appears here, from its first step on.");
    const auto groups = seedGroups(request.shown);
    const bool hasSeeds = std::ranges::any_of(groups, [](const auto& group) { return group.visible.size() > 1; });
    if (hasSeeds) made.caption = Words::tr("smoothed 0.9; band: smallest to largest of the seeds; evaluation dashed");
    for (const SeedGroup& group : groups) {
        if (group.visible.size() > 1) continue;  // raw values of many seeds would be a cloud
        for (const ShownRun* run : group.members) {
            TrackCurve raw = curveOf(*run, series.loss(run->info.id));
            raw.faint = true;
            made.curves.push_back(std::move(raw));
        }
    }
    const size_t smoothed = made.curves.size();
    addForEachRecipe(made, request, series,
                     {"loss", [&](const ShownRun& run) { return series.loss(run.info.id); },
                      [&](const ShownRun& run) { return series.smoothedLoss(run.info.id); }});
    for (size_t i = smoothed; i < made.curves.size(); ++i)
        made.curves[i].smoothing = kLossSmoothing;
    const size_t evaluations = made.curves.size();
    const store::SeriesKey evaluation{"", "", "", "eval_loss", ""};
    addForEachRecipe(made, request, series,
                     {"evaluation", [&](const ShownRun& run) { return series.recorded(run.info.id, evaluation); }, {}});
    for (size_t i = evaluations; i < made.curves.size(); ++i) {
        made.curves[i].name += QLatin1Char(' ') + Words::tr("evaluation");
        made.curves[i].dashed = made.curves[i].dots = true;
    }
    return made;
}

Track gapTrack(const TrackRequest& request, RunSeries& series, double stretch) {
    const ShownRun* baseline = request.shown.find(request.shown.baseline);
    Track made =
        track("gap", Words::tr("GAP TO BASELINE"), baseline ? Words::tr("same step, smoothed") : QString(), stretch);
    made.scale = ValueScale::Percent;
    made.unit = QStringLiteral("%");
    made.emptyText = baseline ? Words::tr("How far each recipe is from the baseline appears here.")
                              : Words::tr(
                                    "There is no baseline in this experiment, so there is no gap. Pin a run as "
                                    "the baseline in the list on the left.");
    const auto band = [&](double half, const QString& label, TrackBand::Meaning meaning) {
        made.bands.push_back({-half, half, label, meaning});
    };
    if (request.barPercent)
        band(*request.barPercent, Words::tr("bar %1 %").arg(*request.barPercent), TrackBand::Meaning::Bar);
    if (request.noisePercent)
        band(*request.noisePercent, Words::tr("noise \u00b1%1 %").arg(*request.noisePercent, 0, 'g', 2),
             TrackBand::Meaning::Noise);
    addForEachRecipe(
        made, request, series,
        {"gap",
         [&](const ShownRun& run) { return run.hasGap() ? series.gap(run.info.id, run.baseline) : nullptr; },
         {}});
    std::erase_if(made.curves, [&](const TrackCurve& curve) { return !request.shown.find(curve.run)->hasGap(); });
    return made;
}

Track meanUnderflowTrack(const TrackRequest& request, RunSeries& series, double stretch) {
    Track made = track("underflow.mean", Words::tr("DY UNDERFLOW"),
                       Words::tr("share of dy that the cast flushes to zero, all layers"), stretch);
    made.scale = ValueScale::Percent;
    made.unit = QStringLiteral("%");
    made.emptyText = Words::tr("Nothing here is cast to FP8, so nothing is flushed to zero.");
    addForEachRecipe(
        made, request, series,
        {"underflow", [&](const ShownRun& run) { return run.isFp8 ? series.meanUnderflow(run.info) : nullptr; }, {}});
    std::erase_if(made.curves, [&](const TrackCurve& curve) { return !request.shown.find(curve.run)->isFp8; });
    return made;
}

QString chosenText(const Selection& selection) {
    const QStringList& layers = selection.layers();
    const QString more = layers.size() > 1 ? Words::tr(" and %1 more").arg(layers.size() - 1) : QString();
    return layers.isEmpty() ? QString()
                            : layers.front() + more + QStringLiteral(" \u00b7 ") + operandName(operandOf(selection));
}

/// Curves of one statistic of the chosen layers; with several layers each curve names its own.
void addLayerCurves(Track& made, const TrackRequest& request, RunSeries& series, const char* statistic) {
    const QStringList& layers = request.selection.layers();
    const std::string operand = operandOf(request.selection).toStdString();
    addForEach(request, true, [&](const ShownRun& run) {
        for (const QString& layer : layers) {
            TrackCurve curve =
                curveOf(run, series.recorded(run.info.id, {layer.toStdString(), operand, "", statistic, ""}),
                        layers.size() > 1 ? layer.section(QLatin1Char('.'), -3) : QString());
            made.curves.push_back(std::move(curve));
        }
    });
}

Track amaxTrack(const TrackRequest& request, RunSeries& series, double stretch) {
    Track made = track("amax", Words::tr("AMAX"),
                       Words::tr("%1; dashed: the most FP8 holds").arg(chosenText(request.selection)), stretch);
    made.scale = ValueScale::Log2;
    made.emptyText = Words::tr("Choose a layer on the right: its largest absolute value at every step appears here.");
    addLayerCurves(made, request, series, "amax");
    if (request.selection.layers().size() != 1) {
        made.caption = chosenText(request.selection);
        return made;
    }
    const std::string layer = request.selection.layers().front().toStdString();
    const std::string operand = operandOf(request.selection).toStdString();
    addForEach(request, true, [&](const ShownRun& run) {
        TrackCurve limit = curveOf(run, series.limit(run.info, layer, operand), Words::tr("limit"));
        limit.dashed = true;
        made.curves.push_back(std::move(limit));
    });
    return made;
}

Track scaleTrack(const TrackRequest& request, RunSeries& series, double stretch) {
    Track made = track("scale", Words::tr("SCALE"),
                       Words::tr("%1; multiplies before the cast").arg(chosenText(request.selection)), stretch);
    made.scale = ValueScale::Log2;
    made.emptyText = Words::tr("Choose a layer on the right: the scale of every step appears here.");
    addLayerCurves(made, request, series, "scale");
    return made;
}

Track lostTrack(const TrackRequest& request, RunSeries& series, double stretch) {
    const bool hasLayer = !request.selection.layers().isEmpty();
    Track made =
        track("lost", Words::tr("UNDERFLOW AND SATURATION"),
              Words::tr("%1; underflow solid, saturated dashed")
                  .arg(hasLayer ? chosenText(request.selection) : Words::tr("dy and all operands, all layers")),
              stretch);
    made.scale = ValueScale::Percent;
    made.unit = QStringLiteral("%");
    made.emptyText = Words::tr("Nothing here is cast to FP8, so nothing is lost in a cast.");
    if (hasLayer) {
        addLayerCurves(made, request, series, "underflows%");
        const size_t solid = made.curves.size();
        addLayerCurves(made, request, series, "saturated%");
        std::for_each(made.curves.begin() + static_cast<std::ptrdiff_t>(solid), made.curves.end(),
                      [](TrackCurve& curve) {
                          curve.dashed = true;
                          curve.name += Words::tr(" saturated");
                      });
        return made;
    }
    addForEach(request, true, [&](const ShownRun& run) {
        made.curves.push_back(curveOf(run, series.meanUnderflow(run.info)));
        TrackCurve saturated = curveOf(run, series.meanSaturated(run.info), Words::tr("saturated"));
        saturated.dashed = true;
        made.curves.push_back(std::move(saturated));
    });
    return made;
}

Track throughputTrack(const TrackRequest& request, RunSeries& series, double stretch) {
    Track made = track("throughput", Words::tr("THROUGHPUT"), Words::tr("tokens per second, smoothed 0.9"), stretch);
    made.unit = Words::tr("tokens/s");
    made.emptyText = Words::tr("Tokens per second of every run appear here.");
    addForEach(request, false, [&](const ShownRun& run) {
        TrackCurve curve = curveOf(run, series.throughput(run.info));
        curve.smoothing = kLossSmoothing;
        made.curves.push_back(std::move(curve));
    });
    return made;
}

/// A step as a position on the x axis, by the axes of the loss.
double positionOf(double step, XAxis axis, const SeriesView* loss) {
    if (axis == XAxis::Step || !loss || loss->size() == 0) return step;
    const int64_t at = std::max<int64_t>(0, indexAt(loss->axes->step, loss->size(), step));
    return (axis == XAxis::Tokens ? loss->axes->tokens : loss->axes->wallTime)[static_cast<size_t>(at)];
}

/// Behind the cold starts of the visible runs, on the x axis; their wild values would flatten the rest of a track.
double behindColdStarts(const TrackRequest& request, const Project& project, RunSeries& series) {
    double behind = -std::numeric_limits<double>::infinity();
    for (const ShownRun& run : request.shown.runs) {
        if (!run.isVisible) continue;
        const SeriesPointer loss = series.loss(run.info.id);
        for (const store::Event& event : project.events(run.info.id))
            if (event.kind == store::EventKind::ColdStart && event.detail.is_null())  // it is over
                behind = std::max(behind, positionOf(event.step, request.selection.xAxis(), loss.get()));
    }
    return behind;
}

std::optional<StackMarker::Kind> markerKind(const store::Event& event) {
    switch (event.kind) {
        case store::EventKind::ColdStart:
            // The end of a cold start is an event too, without figures.
            return event.detail.is_null() ? std::nullopt : std::optional(StackMarker::Kind::ColdStart);
        case store::EventKind::RecipeChange:
            return StackMarker::Kind::RecipeChange;
        case store::EventKind::NotFinite:
            return StackMarker::Kind::NotFinite;
        case store::EventKind::Paused:
            return StackMarker::Kind::Paused;
        default:
            return {};
    }
}

QString markerLabel(StackMarker::Kind kind) {
    switch (kind) {
        case StackMarker::Kind::ColdStart:
            return Words::tr("cold start");
        case StackMarker::Kind::RecipeChange:
            return Words::tr("recipe changed");
        case StackMarker::Kind::NotFinite:
            return Words::tr("NaN");
        case StackMarker::Kind::Paused:
            return Words::tr("paused");
        case StackMarker::Kind::Note:
            break;
    }
    return {};
}

void fitBehindColdStarts(std::vector<Track>& tracks, double from) {
    for (Track& one : tracks)
        if (one.key != QLatin1String("loss") && one.key != QLatin1String("gap")) one.fitFrom = from;
}

}  // namespace

QString operandName(const QString& operand) {
    return operand == QLatin1String("grad_output") ? Words::tr("dy") : operand;
}

std::vector<Track> liveTracks(const TrackRequest& request, const Project& project, RunSeries& series) {
    std::vector<Track> tracks;
    tracks.push_back(lossTrack(request, series, 1.6));
    tracks.push_back(amaxTrack(request, series, 1.15));
    const bool isLow = request.height < kLowForLive;
    if (!isLow) tracks.push_back(scaleTrack(request, series, 0.9));
    tracks.push_back(lostTrack(request, series, 1));
    if (!isLow) tracks.push_back(throughputTrack(request, series, 0.75));
    fitBehindColdStarts(tracks, behindColdStarts(request, project, series));
    return tracks;
}

std::vector<Track> compareTracks(const TrackRequest& request, const Project& project, RunSeries& series) {
    std::vector<Track> tracks;
    tracks.push_back(lossTrack(request, series, 1.6));
    tracks.push_back(gapTrack(request, series, 1.2));
    tracks.push_back(meanUnderflowTrack(request, series, 1));
    if (request.height >= kLowForCompare && !request.selection.layers().isEmpty())
        tracks.push_back(amaxTrack(request, series, 1));
    fitBehindColdStarts(tracks, behindColdStarts(request, project, series));
    return tracks;
}

std::vector<StackMarker> eventMarkers(const TrackRequest& request, const Project& project, RunSeries& series) {
    std::vector<StackMarker> markers;
    for (const ShownRun& run : request.shown.runs) {
        if (!run.isVisible) continue;
        const SeriesPointer loss = series.loss(run.info.id);
        for (const store::Event& event : project.events(run.info.id)) {
            const auto kind = markerKind(event);
            if (!kind) continue;
            const double x = positionOf(event.step, request.selection.xAxis(), loss.get());
            const bool isKnown =
                std::ranges::any_of(markers, [&](const StackMarker& one) { return one.kind == *kind && one.x == x; });
            if (!isKnown) markers.push_back({x, markerLabel(*kind), *kind, run.colourIndex});
        }
    }
    return markers;
}

}  // namespace octet::ui
