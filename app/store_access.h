// SPDX-License-Identifier: Apache-2.0
// Finding things in a store by what a person types: runs by id or name, series by "layer/operand/statistic".
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/context.h"
#include "engine/series/comparison.h"
#include "engine/store/reader.h"

namespace octet::app {

/// Opens --store for reading; a special way of opening it is said as a note.
[[nodiscard]] Result<std::unique_ptr<store::Reader>> openStore(const Context& context);

/// @param reference  an id, or a name (of several runs with it the newest)
[[nodiscard]] Result<store::RunInfo> findRun(store::Reader& reader, const std::string& reference);

/// "loss", or "model.layers.0.mlp.up_proj/input/amax".
[[nodiscard]] std::string seriesName(const store::SeriesKey& key);

/// The series with this name; NotFound names the nearest one.
[[nodiscard]] Result<store::SeriesInfo> findSeries(const std::vector<store::SeriesInfo>& series,
                                                   const std::string& name, const store::RunInfo& run);

/// Samples of a series by name; no samples when the run has no such series.
[[nodiscard]] Result<store::SeriesData> samplesOf(store::Reader& reader, store::RunId run, const std::string& name);

/// What a comparison needs of `run`. The caller may change group and baseline.
/// @param spec  of the run's experiment: the optimiser, steps and activations must agree too
[[nodiscard]] Result<series::ComparedRun> comparedRun(store::Reader& reader, const store::RunInfo& run,
                                                      const Json& spec);

}  // namespace octet::app
