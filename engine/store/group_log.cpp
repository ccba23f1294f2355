// SPDX-License-Identifier: Apache-2.0
#include "engine/store/group_log.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "engine/store/chunk.h"

namespace octet::store {
namespace {

constexpr size_t kSealingParts = 32;                 // 1/32 of the series per commit: worst commit 32 ms, not 199
constexpr size_t kDeletionsAtLeast = 4;              // frames per commit
constexpr size_t kMaxFrameBytes = size_t{64} << 20;  // SQLite's limit of a blob is 1,000,000,000

/// One channel of a segment, in one piece.
template <typename T>
std::vector<T> gathered(std::span<const Frame> frames, std::vector<T> Frame::*part, size_t row, int64_t n) {
    std::vector<T> samples;
    samples.reserve(static_cast<size_t>(n));
    for (const Frame& frame : frames) {
        const auto count = static_cast<size_t>(frame.n);
        const auto from = (frame.*part).begin() + static_cast<std::ptrdiff_t>(row * count);
        samples.insert(samples.end(), from, from + static_cast<std::ptrdiff_t>(count));
    }
    return samples;
}

template <typename T>
void insertChunk(Connection& connection, GroupId group, int64_t channel, int64_t first, std::span<const T> samples) {
    const ChunkSummary summary = summarise(samples);
    connection.run(
        "INSERT INTO chunk(grp, channel, first, n, kind, min, max, non_finite, data) VALUES(?,?,?,?,?,?,?,?,?)",
        group.value, channel, first, static_cast<int64_t>(samples.size()), kChunkKind<T>, summary.min, summary.max,
        summary.nonFinite, std::as_bytes(samples));
}

}  // namespace

GroupLog::GroupLog(GroupId group, size_t seriesCount, int64_t segmentSamples)
    : m_group(group),
      m_seriesCount(seriesCount),
      m_segmentSamples(std::clamp<int64_t>(segmentSamples, 1, kMaxChunkSamples)) {}

void GroupLog::append(const Axes& at, std::span<const float> values) {
    if (values.size() != m_seriesCount) throw std::invalid_argument("a sample needs one value per series of its group");
    m_waitingAxes.insert(m_waitingAxes.end(), {at.step, at.tokens, at.wallTime});
    m_waitingValues.insert(m_waitingValues.end(), values.begin(), values.end());
}

void GroupLog::closeSegment() {
    if (m_open.n == 0) return;
    m_full.push_back(std::move(m_open));
    m_open = {};
}

void GroupLog::write(Connection& connection, Sealing sealing) {
    m_staged = {};
    const size_t quota = sealingQuota();
    stageFrames(connection);
    if (sealing == Sealing::None) return;
    const bool everything = sealing == Sealing::Everything;
    stageChunks(connection, everything ? std::numeric_limits<size_t>::max() : quota);
    stageDeletions(connection, everything ? m_outlived.size()
                                          : std::max(kDeletionsAtLeast, m_outlived.size() / (kSealingParts / 2)));
}

/// 1/32 of the channels, or more when samples come so fast that sealing would fall behind.
size_t GroupLog::sealingQuota() const {
    const size_t incoming = m_waitingAxes.size() / kAxisCount;
    const auto segment = static_cast<size_t>(m_segmentSamples);
    const size_t toKeepUp = (channelCount() * incoming + segment - 1) / segment;
    return std::max({size_t{1}, (channelCount() + kSealingParts - 1) / kSealingParts, toKeepUp});
}

void GroupLog::stageFrames(Connection& connection) {
    const size_t waiting = m_waitingAxes.size() / kAxisCount;
    const size_t perBytes = std::max<size_t>(1, kMaxFrameBytes / std::max<size_t>(1, m_seriesCount * sizeof(float)));
    const size_t most = std::min(perBytes, static_cast<size_t>(m_segmentSamples));
    for (size_t from = 0; from < waiting; from += most) {
        const size_t n = std::min(most, waiting - from);
        const std::span axes(m_waitingAxes);
        const std::span values(m_waitingValues);
        Frame frame;
        frame.first = m_end + static_cast<int64_t>(from);
        frame.n = static_cast<int64_t>(n);
        frame.axes = transposed<double>(axes.subspan(from * kAxisCount, n * kAxisCount), kAxisCount);
        frame.values = transposed<float>(values.subspan(from * m_seriesCount, n * m_seriesCount), m_seriesCount);
        frame.seq = connection.run("INSERT INTO frame(grp, first, n, axes, data) VALUES(?,?,?,?,?)", m_group.value,
                                   frame.first, frame.n, std::as_bytes(std::span<const double>(frame.axes)),
                                   std::as_bytes(std::span<const float>(frame.values)));
        m_staged.frames.push_back(std::move(frame));
    }
}

void GroupLog::stageChunks(Connection& connection, size_t channels) {
    size_t next = m_channelsSealed;
    for (const Segment& segment : m_full) {
        const int64_t first = segment.frames.front().first;
        for (; next < channelCount() && channels > 0; ++next, --channels) {
            if (next < kAxisCount) {
                const auto samples = gathered(std::span(segment.frames), &Frame::axes, next, segment.n);
                insertChunk<double>(connection, m_group, -1 - static_cast<int64_t>(next), first, samples);
            } else {
                const size_t row = next - kAxisCount;
                const auto samples = gathered(std::span(segment.frames), &Frame::values, row, segment.n);
                insertChunk<float>(connection, m_group, static_cast<int64_t>(row), first, samples);
            }
        }
        if (next < channelCount()) break;
        ++m_staged.segmentsSealed;
        next = 0;
    }
    m_staged.channelsSealed = next;
}

void GroupLog::stageDeletions(Connection& connection, size_t frames) {
    m_staged.framesDeleted = std::min(frames, m_outlived.size());
    for (size_t i = 0; i < m_staged.framesDeleted; ++i) {
        connection.run("DELETE FROM frame WHERE seq = ?", m_outlived[i]);
    }
}

void GroupLog::committed() {
    m_outlived.erase(m_outlived.begin(), m_outlived.begin() + static_cast<std::ptrdiff_t>(m_staged.framesDeleted));
    for (size_t i = 0; i < m_staged.segmentsSealed; ++i) {
        for (const Frame& frame : m_full.front().frames)
            m_outlived.push_back(frame.seq);
        m_full.pop_front();
    }
    const bool sealed = m_staged.segmentsSealed > 0 || m_staged.channelsSealed > 0;
    if (sealed) m_channelsSealed = m_staged.channelsSealed;
    if (m_staged.frames.empty()) return;
    for (Frame& frame : m_staged.frames)
        take(std::move(frame));
    m_waitingAxes.clear();
    m_waitingValues.clear();
    m_staged = {};
}

void GroupLog::rolledBack() {
    m_staged = {};
}

void GroupLog::take(Frame frame) {
    if (m_open.n + frame.n > kMaxChunkSamples) closeSegment();
    m_end = frame.end();
    m_open.n += frame.n;
    m_open.frames.push_back(std::move(frame));
    if (m_open.n >= m_segmentSamples) closeSegment();
}

}  // namespace octet::store
