// SPDX-License-Identifier: GPL-3.0-or-later
// Every series that the Runs place draws, by run. Finding a series reads it whole once, so what is asked for is found
// piece by piece within a time budget; derived series grow with their sources. GUI thread.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "ui/runs/derived_series.h"

namespace octet::ui {

class RunSeries final {
public:
    explicit RunSeries(Project* project) : m_project(project) {}

    /// nullptr until it is found; asking is enough.
    [[nodiscard]] SeriesPointer recorded(store::RunId run, const store::SeriesKey& key);
    [[nodiscard]] SeriesPointer loss(store::RunId run) { return recorded(run, {"", "", "", "loss", ""}); }

    [[nodiscard]] SeriesPointer smoothedLoss(store::RunId run);
    [[nodiscard]] SeriesPointer throughput(const store::RunInfo& run);
    [[nodiscard]] SeriesPointer gap(store::RunId run, store::RunId baseline);
    /// What an operand can be at most with the scale of its step: the format's maximum / scale.
    [[nodiscard]] SeriesPointer limit(const store::RunInfo& run, const std::string& layer, const std::string& operand);
    /// Underflow of dy, and saturation of every operand: means over the layers in FP8, weighted by elements.
    [[nodiscard]] SeriesPointer meanUnderflow(const store::RunInfo& run);
    [[nodiscard]] SeriesPointer meanSaturated(const store::RunInfo& run);

    /// Over the seeds of one recipe; nullptr until all of them are found. @param name  of what is averaged
    [[nodiscard]] SeriesPointer spread(const char* name, const std::vector<SeriesPointer>& seeds,
                                       SpreadSeries::Kind kind);

    struct Update {
        bool found = false;    // something that was asked for has appeared
        bool complete = true;  // nothing is left that the budget cut off
    };
    [[nodiscard]] Update update(std::chrono::milliseconds budget);
    /// Series that were not there may have been added since.
    void retryMissing();

private:
    using Key = std::tuple<int64_t, std::string, std::string, std::string>;  // run, layer, operand, statistic
    enum class State { Wanted, Found, Missing };
    struct Entry {
        store::RunId run;
        store::SeriesKey key;
        SeriesPointer data;
        State state = State::Wanted;
    };
    using DerivedKey = std::tuple<std::string, int64_t, std::string>;

    template <typename Make>
    [[nodiscard]] SeriesPointer derived(const DerivedKey& key, Make make);
    [[nodiscard]] SeriesPointer mean(const store::RunInfo& run, const char* name, const char* statistic,
                                     const std::vector<const char*>& operands);
    [[nodiscard]] Entry& entry(store::RunId run, const store::SeriesKey& key);

    Project* m_project;
    std::map<Key, Entry> m_recorded;
    std::map<DerivedKey, std::unique_ptr<DerivedSeries>> m_derived;
};

}  // namespace octet::ui
