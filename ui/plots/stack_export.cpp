// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/stack_export.h"

#include <fmt/format.h>

#include <QBuffer>
#include <QSvgGenerator>
#include <cmath>

#include "engine/core/files.h"
#include "ui/plots/value_text.h"

namespace octet::ui {
namespace {

constexpr int64_t kMostRows = 2'000'000;

QByteArray pngOf(StackPlot& plot, double scale) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    const bool made = plot.toPixmap(plot.width(), plot.height(), scale).save(&buffer, "PNG");
    return made ? bytes : QByteArray();
}

QByteArray svgOf(StackPlot& plot) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setSize(plot.size());
    generator.setViewBox(QRect(QPoint(), plot.size()));
    generator.setTitle(plot.accessibleName());
    QCPPainter painter;
    if (!painter.begin(&generator)) return {};
    plot.toPainter(&painter, plot.width(), plot.height());
    painter.end();
    return bytes;
}

struct CsvColumn {
    QString name;
    const PlotSeries* series;
    const series::Pyramid* values;
    int64_t at = 0, last = 0;
};

QString quoted(const QString& name) {
    if (!name.contains(QLatin1Char(',')) && !name.contains(QLatin1Char('"')) && !name.contains(QLatin1Char('\n')))
        return name;
    return QLatin1Char('"') + QString(name).replace(QLatin1Char('"'), QStringLiteral("\"\"")) + QLatin1Char('"');
}

std::vector<CsvColumn> csvColumns(const StackScene& scene, XAxis axis, const QCPRange& x) {
    std::vector<CsvColumn> columns;
    for (const TrackCard& card : scene.cards)
        for (const Curve& curve : card.curves) {
            if (curve.size() == 0 || !scene.shows(curve)) continue;
            const auto [first, last] = curve.series->indices(axis, x.lower, x.upper);
            QString name = card.track.title + QLatin1Char(' ') + curve.name;
            if (curve.smoothing > 0) name += StackWords::tr(" (smoothed %1)").arg(curve.smoothing);
            columns.push_back({name, curve.series.get(), &curve.values(), first, std::min(last, curve.size())});
            if (!curve.hasBand()) continue;
            for (const auto& [edge, words] : {std::pair(curve.low.get(), StackWords::tr("least")),
                                              std::pair(curve.high.get(), StackWords::tr("most"))}) {
                const auto [from, to] = edge->indices(axis, x.lower, x.upper);
                columns.push_back({name + QLatin1Char(' ') + words, edge, &edge->values(0), from, to});
            }
        }
    return columns;
}

// Writes the least x that a column still has, with the values that stand there.
bool writeRow(std::string& text, std::vector<CsvColumn>& columns, XAxis axis) {
    double x = std::numeric_limits<double>::infinity();
    for (const CsvColumn& column : columns)
        if (column.at < column.last) x = std::min(x, column.series->x(axis)[static_cast<size_t>(column.at)]);
    if (std::isinf(x)) return false;
    fmt::format_to(std::back_inserter(text), "{}", x);
    for (CsvColumn& column : columns) {
        text += ',';
        if (column.at >= column.last || column.series->x(axis)[static_cast<size_t>(column.at)] != x) continue;
        const float value = column.values->at(column.at++);
        fmt::format_to(std::back_inserter(text), "{}", std::isnan(value) ? std::fabs(value) : value);
    }
    text += '\n';
    return true;
}

}  // namespace

Result<void> exportStack(StackPlot& plot, const QString& path, double scale) {
    const bool vector = path.endsWith(QStringLiteral(".svg"), Qt::CaseInsensitive);
    if (!vector && !path.endsWith(QStringLiteral(".png"), Qt::CaseInsensitive))
        return Error{ErrorCode::Usage, fmt::format("{} is neither a .png nor a .svg file.", path.toStdString()),
                     "Give the picture one of these two endings."};
    const bool focused = plot.scene().focused;
    plot.setFocused(false);
    const QByteArray bytes = vector ? svgOf(plot) : pngOf(plot, scale);
    plot.setFocused(focused);
    plot.redrawNow();  // the picture has moved the layout to its own painter
    if (bytes.isEmpty())
        return Error{ErrorCode::Failed, "The picture could not be drawn.", "Make the window smaller, or the scale."};
    return writeFileAtomically(path.toStdString(), {bytes.constData(), static_cast<size_t>(bytes.size())});
}

QString csvOf(const StackScene& scene, const QCPRange& x) {
    const XAxis axis = scene.selection->xAxis();
    auto columns = csvColumns(scene, axis, x);
    QStringList names{axis == XAxis::Step     ? QStringLiteral("step")
                      : axis == XAxis::Tokens ? QStringLiteral("tokens")
                                              : QStringLiteral("seconds")};
    for (const CsvColumn& column : columns)
        names << quoted(column.name);
    std::string text;
    int64_t rows = 0;
    while (rows < kMostRows && writeRow(text, columns, axis))
        ++rows;
    if (rows == kMostRows) text += fmt::format("# cut after {} rows: zoom in for the rest\n", kMostRows);
    return names.join(QLatin1Char(',')) + QLatin1Char('\n') +
           QString::fromLatin1(text.data(), static_cast<qsizetype>(text.size()));
}

}  // namespace octet::ui
