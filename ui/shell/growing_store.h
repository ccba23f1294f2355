// SPDX-License-Identifier: GPL-3.0-or-later
// A process that writes a store as a trainer does, for `octet --bench`: two FP8 runs and a baseline with about 2,000
// series, ten steps a second, a commit every 200 ms.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>

namespace octet::ui {

inline constexpr int kGrowingStepsPerSecond = 10;

class GrowingStore {
public:
    /// Forks the writer: before a QApplication and before any thread, since the child goes on with a copy of this
    /// process. Returns when the store has its runs.
    explicit GrowingStore(std::filesystem::path path);
    /// Ends the writer, which closes its runs first.
    ~GrowingStore();
    GrowingStore(const GrowingStore&) = delete;
    GrowingStore& operator=(const GrowingStore&) = delete;

    [[nodiscard]] bool isWriting() const { return m_series > 0; }
    [[nodiscard]] int64_t seriesCount() const { return m_series; }
    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }

private:
    std::filesystem::path m_path;
    pid_t m_process = -1;
    int m_stop = -1;  // the writer goes on while this pipe is open
    int64_t m_series = 0;
};

}  // namespace octet::ui
