// SPDX-License-Identifier: GPL-3.0-or-later
// Series that somebody looks at, read once and then only as far as they grew. Used from the GUI thread; an update keeps
// to a time budget and goes on where it stopped.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ui/documents/project.h"

namespace octet::ui {

class SeriesFollower {
public:
    /// nullptr when the run has no such series; an Error when it can't be read.
    [[nodiscard]] Result<std::shared_ptr<const SeriesView>> follow(store::Reader& reader, store::RunId run,
                                                                   const store::SeriesKey& key);

    /// Something was committed: every followed series may have grown, and there may be new ones.
    void markStale();

    struct Update {
        bool grew = false;
        bool complete = true;          // false: the budget ended first
        std::optional<Error> damaged;  // one series can't be read; it is not tried again
    };
    /// Reads what is stale and looked at by somebody. Busy and the like come back as an Error; they are tried again.
    [[nodiscard]] Result<Update> update(store::Reader& reader, std::chrono::milliseconds budget);

    void clear();

private:
    struct Followed {
        std::shared_ptr<SeriesView> view;
        bool stale = false;
        bool damaged = false;
        int idleRounds = 0;  // of markStale() while nobody looked
    };
    struct Listing {
        std::vector<store::SeriesInfo> series;
        bool stale = true;
    };

    [[nodiscard]] Result<const store::SeriesInfo*> find(store::Reader& reader, store::RunId run,
                                                        const store::SeriesKey& key);
    [[nodiscard]] std::shared_ptr<SampleAxes> sharedAxes(const store::SeriesInfo& info);
    [[nodiscard]] static Result<bool> grow(store::Reader& reader, SeriesView& view);
    [[nodiscard]] static Result<bool> refresh(store::Reader& reader, Followed& followed);

    std::map<int64_t, Followed> m_followed;                                       // by series id
    std::map<int64_t, Listing> m_listings;                                        // by run id
    std::map<std::pair<int64_t, std::string>, std::weak_ptr<SampleAxes>> m_axes;  // by run id and cadence
    int64_t m_lastUpdated = 0;
};

}  // namespace octet::ui
