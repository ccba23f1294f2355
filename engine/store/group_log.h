// SPDX-License-Identifier: Apache-2.0
// The writer's memory of one recording group: samples that wait, committed frames of the open segment, and full
// segments that are being sealed into chunks, a part per commit. write() only stages; nothing in memory moves on
// before committed(), so a transaction that failed can be tried again. Owned by the Writer's thread.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "engine/store/connection.h"
#include "engine/store/frame.h"
#include "engine/store/store_types.h"

namespace octet::store {

/// How much of the sealing a transaction takes on.
enum class Sealing { None, Part, Everything };

class GroupLog {
public:
    GroupLog(GroupId group, size_t seriesCount, int64_t segmentSamples);

    /// @param values  one per series
    void append(const Axes& at, std::span<const float> values);
    [[nodiscard]] bool hasSamples() const { return !m_waitingAxes.empty(); }
    [[nodiscard]] bool hasSealing() const { return !m_full.empty() || !m_outlived.empty(); }
    /// The open segment counts as full: for the end of a run.
    void closeSegment();

    /// Writes frames, chunks and deletions inside the caller's transaction. Throws SQLite::Exception.
    void write(Connection& connection, Sealing sealing);
    void committed();
    void rolledBack();

private:
    struct Segment {
        std::vector<Frame> frames;
        int64_t n = 0;
    };
    struct Staged {
        std::vector<Frame> frames;
        size_t segmentsSealed = 0;  // whole ones at the front of m_full
        size_t channelsSealed = 0;  // of the segment after those
        size_t framesDeleted = 0;   // at the front of m_outlived
    };
    void stageFrames(Connection& connection);
    void stageChunks(Connection& connection, size_t channels);
    void stageDeletions(Connection& connection, size_t frames);
    [[nodiscard]] size_t sealingQuota() const;
    [[nodiscard]] size_t channelCount() const { return m_seriesCount + kAxisCount; }
    void take(Frame frame);

    GroupId m_group;
    size_t m_seriesCount;
    int64_t m_segmentSamples;
    int64_t m_end = 0;  // samples committed

    std::vector<double> m_waitingAxes;   // [n][3]
    std::vector<float> m_waitingValues;  // [n][series]
    Segment m_open;
    std::deque<Segment> m_full;      // oldest first
    size_t m_channelsSealed = 0;     // of m_full.front()
    std::deque<int64_t> m_outlived;  // rows of frames whose segment is sealed whole
    Staged m_staged;
};

}  // namespace octet::store
