// SPDX-License-Identifier: Apache-2.0
// Finding things in a store by what a person types: runs by id or name, series by "layer/operand/statistic".
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/context.h"
#include "engine/analysis/run_source.h"
#include "engine/store/reader.h"

namespace octet::app {

/// Opens --store for reading; a special way of opening it is said as a note.
[[nodiscard]] Result<std::unique_ptr<store::Reader>> openStore(const Context& context);

/// @param reference  an id, or a name (of several runs with it the newest)
[[nodiscard]] Result<store::RunInfo> findRun(store::Reader& reader, const std::string& reference);

using analysis::seriesName;

/// The series with this name; NotFound names the nearest one.
[[nodiscard]] Result<store::SeriesInfo> findSeries(const std::vector<store::SeriesInfo>& series,
                                                   const std::string& name, const store::RunInfo& run);

}  // namespace octet::app
