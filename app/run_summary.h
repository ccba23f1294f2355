// SPDX-License-Identifier: Apache-2.0
// All that a store knows of one run, as text for people and as JSON.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/store/reader.h"

namespace octet::app {

struct RunSummary {
    store::RunInfo run;
    std::vector<store::LayerInfo> layers;
    std::vector<store::Event> events;
    std::vector<store::SeriesInfo> series;
    std::vector<std::pair<std::string, float>> last;  // newest sample of each series of the run itself
};

[[nodiscard]] Result<RunSummary> summarise(store::Reader& reader, const store::RunInfo& run);
[[nodiscard]] std::string summaryText(const RunSummary& summary);
[[nodiscard]] Json summaryJson(const RunSummary& summary);

}  // namespace octet::app
