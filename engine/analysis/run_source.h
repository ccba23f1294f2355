// SPDX-License-Identifier: Apache-2.0
// What an analysis reads of a project: from a store's Reader (command line) or from series that a window already has in
// memory. With it the two share one definition of every figure.
#pragma once

#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/result.h"
#include "engine/store/reader.h"

namespace octet::analysis {

class RunSource {
public:
    virtual ~RunSource() = default;

    [[nodiscard]] virtual Result<std::vector<store::ExperimentInfo>> experiments() = 0;
    /// Hidden A/A twins included.
    [[nodiscard]] virtual Result<std::vector<store::RunInfo>> runs() = 0;
    [[nodiscard]] virtual Result<std::vector<store::LayerInfo>> layers(store::RunId run) = 0;
    [[nodiscard]] virtual Result<std::vector<store::Event>> events(store::RunId run) = 0;
    [[nodiscard]] virtual Result<std::vector<store::SeriesInfo>> series(store::RunId run) = 0;
    /// Samples with step >= `fromStep`, oldest first; tokens and wallTime may be left empty.
    [[nodiscard]] virtual Result<store::SeriesData> samples(const store::SeriesInfo& series, double fromStep) = 0;

    static constexpr double kFromStart = -std::numeric_limits<double>::infinity();
};

/// Reads a store; the Reader must outlive it.
class StoreSource final : public RunSource {
public:
    explicit StoreSource(store::Reader& reader) : m_reader(reader) {}

    Result<std::vector<store::ExperimentInfo>> experiments() override { return m_reader.experiments(); }
    Result<std::vector<store::RunInfo>> runs() override { return m_reader.runs(true); }
    Result<std::vector<store::LayerInfo>> layers(store::RunId run) override { return m_reader.layers(run); }
    Result<std::vector<store::Event>> events(store::RunId run) override { return m_reader.events(run); }
    Result<std::vector<store::SeriesInfo>> series(store::RunId run) override { return m_reader.series(run); }
    Result<store::SeriesData> samples(const store::SeriesInfo& series, double fromStep) override;

private:
    /// Series of one recording group share their steps, so the first wanted index is looked up once a group.
    struct FirstWanted {
        double fromStep = 0;
        int64_t index = 0;
    };
    store::Reader& m_reader;
    std::map<std::pair<store::RunId, std::string>, FirstWanted> m_first;
};

/// @param reference  an id, or a name (of several runs with it the newest)
[[nodiscard]] Result<store::RunInfo> findRun(RunSource& source, const std::string& reference);

/// "loss", or "model.layers.0.mlp.up_proj/input/amax".
[[nodiscard]] std::string seriesName(const store::SeriesKey& key);

/// Samples of a series by name; no samples when the run has no such series.
[[nodiscard]] Result<store::SeriesData> samplesOf(RunSource& source, store::RunId run, const std::string& name);

}  // namespace octet::analysis
