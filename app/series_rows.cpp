// SPDX-License-Identifier: Apache-2.0
#include "app/series_rows.h"

#include <fmt/format.h>

#include <cmath>

#include "app/store_access.h"
#include "app/table.h"
#include "engine/core/text.h"

namespace octet::app {
namespace {

template <typename T>
std::string numberWords(T value) {
    if (std::isnan(value)) return "nan";  // fmt would print the sign of a NaN
    return fmt::format("{}", value);
}

}  // namespace

std::string csvNumber(double value) {
    return numberWords(value);
}

std::string csvNumber(float value) {
    return numberWords(value);
}

std::string seriesCsv(const store::SeriesData& data) {
    std::string text = "step,tokens,wall_time,value\n";
    for (size_t i = 0; i < data.value.size(); ++i)
        text += fmt::format("{},{},{},{}\n", csvNumber(data.step[i]), csvNumber(data.tokens[i]),
                            csvNumber(data.wallTime[i]), csvNumber(data.value[i]));
    return text;
}

std::string seriesTable(const store::SeriesInfo& series, const store::SeriesData& data) {
    using enum Table::Align;
    const std::string& unit = series.key.unit;
    Table table({{"step", Right}, {"tokens", Right}, {"time s", Right}, {unit.empty() ? "value" : unit, Right}});
    for (size_t i = 0; i < data.value.size(); ++i)
        table.addRow({csvNumber(data.step[i]), csvNumber(data.tokens[i]), fmt::format("{:.2f}", data.wallTime[i]),
                      csvNumber(data.value[i])});
    return table.text();
}

Json seriesJson(const store::RunInfo& run, const store::SeriesInfo& series, const store::SeriesData& data) {
    Json values = Json::array();
    // Through the shortest text: 0.1f reads 0.1, not 0.10000000149011612.
    for (const float value : data.value)
        values.push_back(jsonNumber(parseNumber(csvNumber(value)).value_or(value)));
    return {
        {"run", run.id.value},   {"series", seriesName(series.key)}, {"unit", series.key.unit},   {"step", data.step},
        {"tokens", data.tokens}, {"wall_time", data.wallTime},       {"value", std::move(values)}};
}

}  // namespace octet::app
