// SPDX-License-Identifier: GPL-3.0-or-later
// Made recordings for the plot tests, and the small files of tests/data/cases.
#pragma once

#include <QFile>
#include <QTextStream>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "ui/documents/project.h"
#include "ui/plots/track_stack.h"

namespace octet::ui {

inline void appendSamples(SeriesView& view, const std::vector<float>& values) {
    for (size_t index = 0; index < values.size(); ++index) {
        const auto step = static_cast<double>(view.axes->step.size());
        view.axes->step.push_back(step);
        view.axes->tokens.push_back(step * 1024);
        view.axes->wallTime.push_back(step * 0.5);
    }
    view.values.append(values);
}

inline std::shared_ptr<SeriesView> recording(const std::vector<float>& values) {
    auto view = std::make_shared<SeriesView>();
    appendSamples(*view, values);
    return view;
}

/// Second column of a CSV file; nan, inf and -inf as words.
inline std::vector<float> caseValues(const char* name) {
    QFile file(QStringLiteral(OCTET_TEST_DATA "/cases/") + QLatin1String(name));
    std::vector<float> values;
    if (!file.open(QIODevice::ReadOnly)) return values;
    QTextStream text(&file);
    text.readLine();
    while (!text.atEnd()) {
        const QString word = text.readLine().section(QLatin1Char(','), 1).trimmed();
        const float infinity = std::numeric_limits<float>::infinity();
        if (word == QStringLiteral("nan"))
            values.push_back(std::numeric_limits<float>::quiet_NaN());
        else if (word.endsWith(QStringLiteral("inf")))
            values.push_back(word.startsWith(QLatin1Char('-')) ? -infinity : infinity);
        else
            values.push_back(word.toFloat());
    }
    return values;
}

inline TrackCurve curveOf(int run, std::shared_ptr<const SeriesView> data) {
    TrackCurve curve;
    curve.run = store::RunId{run};
    curve.name = QStringLiteral("run-%1").arg(run);
    curve.colourIndex = run - 1;
    curve.data = std::move(data);
    return curve;
}

inline Track trackOf(const char* key, std::vector<TrackCurve> curves) {
    Track track;
    track.key = track.title = QLatin1String(key);
    track.curves = std::move(curves);
    return track;
}

}  // namespace octet::ui
