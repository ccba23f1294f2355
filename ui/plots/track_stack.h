// SPDX-License-Identifier: GPL-3.0-or-later
// Stacked cards with one x axis: each card is a track (loss, gap, amax, ...) with a head that names what is drawn and
// shows the values at the crosshair. Draws exact min/max per pixel column from the series' pyramids. Follow, box zoom,
// wheel, pan and crosshair work on all cards together and go through the Selection.
#pragma once

#include <QColor>
#include <QString>
#include <QWidget>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "ui/documents/project.h"
#include "ui/documents/selection.h"

namespace octet::ui {

enum class ValueScale { Linear, Log2, Percent };

/// One line of a track.
struct TrackCurve {
    store::RunId run;
    QString name;                                 // "hybrid-16"
    int colourIndex = 0;                          // runColour / runPenStyle
    std::shared_ptr<const SeriesView> data;       // may be null: nothing recorded yet
    double smoothing = 0;                         // 0: as recorded; else de-biased EMA over the full data
    bool faint = false;                           // raw values behind a smoothed line
    bool dashed = false;                          // evaluation
    bool dots = false;                            // few samples: mark each
    std::shared_ptr<const SeriesView> low, high;  // edges of a band around the line (seeds of one recipe); may be null
};

/// A curve computed from others (gap to the baseline): x in the stack's axis, y; may hold NaN for gaps.
struct ComputedCurve {
    store::RunId run;
    QString name;
    int colourIndex = 0;
    std::vector<double> x, y;
};

struct TrackBand {
    double low = 0, high = 0;  // in the track's units
    QString label;
    enum class Meaning { Noise, Bar, Overflow } meaning = Meaning::Noise;
};

/// A vertical mark over all tracks.
struct StackMarker {
    double x = 0;
    QString label;
    enum class Kind { ColdStart, RecipeChange, NotFinite, Paused, Note } kind = Kind::Note;
    int colourIndex = 0;
};

struct Track {
    QString key;        // stable: keeps its y range and height
    QString title;      // capitals in the head: "LOSS"
    QString caption;    // how to read it: "evaluation dashed, raw behind smoothed 0.9"
    QString emptyText;  // what will appear here
    ValueScale scale = ValueScale::Linear;
    QString unit;
    double stretch = 1;  // share of the height
    std::vector<TrackCurve> curves;
    std::vector<ComputedCurve> computed;
    std::vector<TrackBand> bands;
    // The y range fits what is drawn from this x on, where there is some: a cold start before it would flatten the
    // rest.
    double fitFrom = -std::numeric_limits<double>::infinity();
};

class TrackStack final : public QWidget {
    Q_OBJECT

public:
    explicit TrackStack(Selection* selection, QWidget* parent = nullptr);
    ~TrackStack() override;

    /// Replaces what is drawn; tracks with a known key keep their y zoom.
    void setTracks(std::vector<Track> tracks, std::vector<StackMarker> markers);
    /// The data grew: one queued redraw, at most 25 a second, only while visible.
    void refresh();

    /// What is seen as .png or .svg; the error says why there is no file.
    [[nodiscard]] Result<void> exportImage(const QString& path, double scale) const;
    /// What is seen, as CSV: x, then one column a curve; '.' decimals; nan, inf, -inf as words.
    [[nodiscard]] QString visibleCsv() const;
    /// Milliseconds of one full redraw, for the bench.
    [[nodiscard]] double redrawNow();

signals:
    void legendClicked(store::RunId run, bool isolate);

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace octet::ui
