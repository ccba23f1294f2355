// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/documents/series_follower.h"

#include <algorithm>

namespace octet::ui {
namespace {

constexpr int kForgetAfterRounds = 400;  // commits, about a minute of training

bool sameSeries(const store::SeriesKey& a, const store::SeriesKey& b) {
    return a.statistic == b.statistic && a.layer == b.layer && a.operand == b.operand && a.gemm == b.gemm;
}

/// True where samples of `data`, the first of which has index `from`, stand where others of the group do already.
bool standsIn(const SampleAxes& axes, size_t from, const store::SeriesData& data) {
    if (from > axes.step.size()) return false;
    const size_t both = std::min(axes.step.size() - from, data.step.size());
    const auto begins = [&](const std::vector<double>& known, const std::vector<double>& read) {
        const auto first = known.begin() + static_cast<std::ptrdiff_t>(from);
        return std::equal(first, first + static_cast<std::ptrdiff_t>(both), read.begin());
    };
    return begins(axes.step, data.step) && begins(axes.tokens, data.tokens) && begins(axes.wallTime, data.wallTime);
}

/// Adds the places of `data` to the view's axes. Two groups of one cadence do not share: the second gets its own.
void place(SeriesView& view, const store::SeriesData& data) {
    const auto from = static_cast<size_t>(view.size());
    if (!standsIn(*view.axes, from, data)) {
        auto own = std::make_shared<SampleAxes>(*view.axes);
        for (auto* axis : {&own->step, &own->tokens, &own->wallTime})
            axis->resize(from);
        view.axes = std::move(own);
    }
    const auto known = static_cast<std::ptrdiff_t>(view.axes->step.size() - from);
    if (known >= static_cast<std::ptrdiff_t>(data.step.size())) return;
    SampleAxes& axes = *view.axes;
    axes.step.insert(axes.step.end(), data.step.begin() + known, data.step.end());
    axes.tokens.insert(axes.tokens.end(), data.tokens.begin() + known, data.tokens.end());
    axes.wallTime.insert(axes.wallTime.end(), data.wallTime.begin() + known, data.wallTime.end());
}

const store::SeriesInfo* findIn(const std::vector<store::SeriesInfo>& series, const store::SeriesKey& key) {
    const auto found =
        std::ranges::find_if(series, [&](const store::SeriesInfo& one) { return sameSeries(one.key, key); });
    return found == series.end() ? nullptr : &*found;
}

}  // namespace

Result<std::shared_ptr<const SeriesView>> SeriesFollower::follow(store::Reader& reader, store::RunId run,
                                                                 const store::SeriesKey& key) {
    const auto info = find(reader, run, key);
    if (!info) return info.error();
    if (!*info) return std::shared_ptr<const SeriesView>();
    Followed& followed = m_followed[(*info)->id.value];
    followed.idleRounds = 0;
    if (!followed.view) {
        followed.view = std::make_shared<SeriesView>();
        followed.view->info = **info;
        followed.view->axes = sharedAxes(**info);
        followed.stale = true;
    }
    if (const auto grew = refresh(reader, followed); !grew) return grew.error();
    return std::shared_ptr<const SeriesView>(followed.view);
}

std::shared_ptr<SampleAxes> SeriesFollower::sharedAxes(const store::SeriesInfo& info) {
    std::weak_ptr<SampleAxes>& known = m_axes[{info.run.value, info.cadence}];
    auto axes = known.lock();
    if (!axes) known = axes = std::make_shared<SampleAxes>();
    return axes;
}

Result<const store::SeriesInfo*> SeriesFollower::find(store::Reader& reader, store::RunId run,
                                                      const store::SeriesKey& key) {
    Listing& listing = m_listings[run.value];
    const store::SeriesInfo* found = findIn(listing.series, key);
    if (found || !listing.stale) return found;
    auto series = reader.series(run);
    if (!series) return series.error();
    listing.series = std::move(*series);
    listing.stale = false;
    return findIn(listing.series, key);
}

Result<bool> SeriesFollower::grow(store::Reader& reader, SeriesView& view) {
    const auto data = reader.samples(view.info.id, view.size());
    if (!data) return data.error();
    place(view, *data);
    view.values.append(data->value);
    return !data->value.empty();
}

void SeriesFollower::markStale() {
    for (auto& [run, listing] : m_listings)
        listing.stale = true;
    for (auto& [id, followed] : m_followed) {
        followed.stale = true;
        followed.idleRounds = followed.view.use_count() > 1 ? 0 : followed.idleRounds + 1;
    }
    std::erase_if(m_followed, [](const auto& entry) { return entry.second.idleRounds > kForgetAfterRounds; });
}

Result<bool> SeriesFollower::refresh(store::Reader& reader, Followed& followed) {
    if (!followed.stale || followed.damaged) return false;
    auto grew = grow(reader, *followed.view);
    followed.damaged = !grew && grew.error().code == ErrorCode::Unreadable;
    followed.stale = !grew;
    return grew;
}

Result<SeriesFollower::Update> SeriesFollower::update(store::Reader& reader, std::chrono::milliseconds budget) {
    const auto end = std::chrono::steady_clock::now() + budget;
    Update update;
    // Goes on behind the series it stopped at last time, so that the last ones are not always the late ones.
    auto at = m_followed.upper_bound(m_lastUpdated);
    for (size_t visited = 0; visited < m_followed.size(); ++visited, ++at) {
        if (at == m_followed.end()) at = m_followed.begin();
        Followed& followed = at->second;
        if (!followed.stale || followed.damaged || followed.view.use_count() == 1) continue;
        if (std::chrono::steady_clock::now() > end) {
            update.complete = false;
            break;
        }
        const auto grew = refresh(reader, followed);
        if (!grew && !followed.damaged) return grew.error();
        if (!grew) update.damaged = grew.error();
        update.grew = update.grew || (grew && *grew);
        m_lastUpdated = at->first;
    }
    return update;
}

void SeriesFollower::clear() {
    m_followed.clear();
    m_listings.clear();
    m_axes.clear();
}

}  // namespace octet::ui
