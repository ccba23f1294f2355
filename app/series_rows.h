// SPDX-License-Identifier: Apache-2.0
// Samples of one series as CSV, as a table and as JSON. Points are always '.', whatever the locale.
#pragma once

#include <string>

#include "engine/core/json.h"
#include "engine/store/reader.h"

namespace octet::app {

/// Shortest text that reads back as the same number; "nan", "inf", "-inf" for the others.
[[nodiscard]] std::string csvNumber(double value);
[[nodiscard]] std::string csvNumber(float value);

/// Header `step,tokens,wall_time,value`, one row a sample.
[[nodiscard]] std::string seriesCsv(const store::SeriesData& data);

[[nodiscard]] std::string seriesTable(const store::SeriesInfo& series, const store::SeriesData& data);

/// {"run", "series", "unit", "step": [...], "tokens": [...], "wall_time": [...], "value": [...]}
[[nodiscard]] Json seriesJson(const store::RunInfo& run, const store::SeriesInfo& series,
                              const store::SeriesData& data);

}  // namespace octet::app
