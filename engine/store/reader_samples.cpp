// SPDX-License-Identifier: Apache-2.0
// Samples of one series from chunks and frames. Where both hold a sample the chunk counts; frames go on where the
// channel's last chunk ends, so every moment of sealing reads the same.
#include <fmt/format.h>

#include <cstring>

#include "engine/store/chunk.h"
#include "engine/store/frame.h"
#include "engine/store/reader_impl.h"

namespace octet::store {
namespace {

struct Place {
    int64_t group = 0;
    int64_t channel = 0;
};

/// Reads one channel from `from` on; `next` is the index of the sample that is wanted next.
template <typename T>
struct ChannelReading {
    int64_t next = 0;
    std::vector<T> samples;
    bool damaged = false;

    /// Takes what a piece [first, first + n) has from `next` on. `row` is the channel's place in the piece.
    void take(int64_t first, int64_t n, Blob data, int64_t row) {
        if (damaged || first + n <= next) return;
        const auto offset = static_cast<size_t>(row * n + (next - first)) * sizeof(T);
        const auto bytes = static_cast<size_t>(first + n - next) * sizeof(T);
        if (first > next || n < 0 || offset + bytes > data.size()) {
            damaged = true;
            return;
        }
        const size_t had = samples.size();
        samples.resize(had + bytes / sizeof(T));
        std::memcpy(samples.data() + had, data.data() + offset, bytes);
        next = first + n;
    }
};

template <typename T>
void readChunks(Connection& connection, Place place, ChannelReading<T>& reading) {
    connection.each(
        "SELECT first, n, data FROM chunk WHERE grp = ?1 AND channel = ?2 AND first >= coalesce((SELECT max(first) "
        "FROM chunk WHERE grp = ?1 AND channel = ?2 AND first <= ?3), 0) ORDER BY first",
        [&](const Row& row) { reading.take(row.integer(0), row.integer(1), row.blob(2), 0); }, place.group,
        place.channel, reading.next);
}

constexpr const char* kFramesFrom =
    "FROM frame WHERE grp = ?1 AND first >= coalesce((SELECT max(first) FROM frame WHERE grp = ?1 AND first <= ?2), 0) "
    "ORDER BY first";

std::vector<double> readAxis(Connection& connection, int64_t group, int64_t channel, int64_t from, bool& damaged) {
    ChannelReading<double> reading{from, {}, false};
    readChunks(connection, {group, channel}, reading);
    static const std::string sql = fmt::format("SELECT first, n, axes {}", kFramesFrom);
    connection.each(
        sql.c_str(),
        [&](const Row& row) { reading.take(row.integer(0), row.integer(1), row.blob(2), kStepChannel - channel); },
        group, reading.next);
    damaged = damaged || reading.damaged;
    return std::move(reading.samples);
}

std::vector<float> readValues(Connection& connection, Place place, int64_t from, bool& damaged) {
    ChannelReading<float> reading{from, {}, false};
    readChunks(connection, place, reading);
    static const std::string sql = fmt::format("SELECT first, n, data {}", kFramesFrom);
    connection.each(
        sql.c_str(), [&](const Row& row) { reading.take(row.integer(0), row.integer(1), row.blob(2), place.channel); },
        place.group, reading.next);
    damaged = damaged || reading.damaged;
    return std::move(reading.samples);
}

std::optional<Place> placeOf(Connection& connection, SeriesId series) {
    std::optional<Place> place;
    connection.each(
        "SELECT grp, channel FROM series WHERE id = ?",
        [&](const Row& row) {
            place = Place{row.integer(0), row.integer(1)};
        },
        series.value);
    return place;
}

}  // namespace

Result<SeriesData> Reader::samples(SeriesId series, int64_t from) {
    Connection& connection = *m_impl->connection;
    return guarded("read", connection.path(), [&]() -> Result<SeriesData> {
        const ReadTransaction reading(connection);
        const auto place = placeOf(connection, series);
        if (!place) {
            return Error{ErrorCode::NotFound,
                         fmt::format("There is no series {} in {}.", series.value, connection.path().string()), ""};
        }
        const int64_t start = std::max<int64_t>(0, from);
        bool damaged = false;
        SeriesData data;
        data.step = readAxis(connection, place->group, kStepChannel, start, damaged);
        data.tokens = readAxis(connection, place->group, kTokensChannel, start, damaged);
        data.wallTime = readAxis(connection, place->group, kWallTimeChannel, start, damaged);
        data.value = readValues(connection, *place, start, damaged);
        const size_t n = data.value.size();
        damaged = damaged || data.step.size() != n || data.tokens.size() != n || data.wallTime.size() != n;
        if (!damaged) return data;
        return Error{ErrorCode::Unreadable,
                     fmt::format("The samples of series {} in {} are damaged: a piece is missing or too short.",
                                 series.value, connection.path().string()),
                     "The other series can still be read."};
    });
}

}  // namespace octet::store
