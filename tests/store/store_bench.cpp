// SPDX-License-Identifier: Apache-2.0
// Figures of the store: commit times at 10 samples per commit, as fast as they go and at a trainer's pace, and samples
// per second into it. Usage: store_bench FOLDER [SECONDS PER PACED LINE, 30; 0 leaves them out]
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <vector>

#include "tests/store/sample_run.h"

namespace {

using namespace octet;
using Clock = std::chrono::steady_clock;

double msSince(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

std::unique_ptr<store::Writer> fresh(const std::filesystem::path& path) {
    for (const char* suffix : {"", "-wal", "-shm"})
        std::filesystem::remove(path.string() + suffix);
    store::WriterOptions options;
    options.create = true;
    return std::move(store::Writer::open(path, options)).value();
}

double quantile(std::vector<double>& times, double part) {
    std::sort(times.begin(), times.end());
    return times[static_cast<size_t>(part * static_cast<double>(times.size() - 1))];
}

void diskTimes(const std::filesystem::path& path, size_t bytes) {
    const int file = open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644);
    const std::vector<char> data(bytes, 'x');
    std::vector<double> times;
    for (int i = 0; i < 300; ++i) {
        if (pwrite(file, data.data(), bytes, static_cast<off_t>(bytes) * (i % 100)) < 0) break;
        const auto start = Clock::now();
        if (fdatasync(file) != 0) break;
        times.push_back(msSince(start));
    }
    close(file);
    std::filesystem::remove(path);
    if (times.empty()) return;
    fmt::print("the disk alone, fdatasync of {} bytes: median {:.2f} ms, p95 {:.2f}\n", bytes, quantile(times, 0.5),
               quantile(times, 0.95));
}

struct Load {
    size_t series = 0;
    int commits = 0;
    int samplesEach = 0;
    std::chrono::milliseconds every{0};  // from commit to commit; 0: as fast as it goes
};

void commitTimes(const std::filesystem::path& path, const Load& load) {
    const auto [seriesCount, commits, samplesEach, every] = load;
    auto writer = fresh(path);
    const auto started = sample_run::start(*writer, 1, seriesCount);
    std::vector<float> row(seriesCount, 1.5f);
    std::vector<double> times;
    int64_t step = 0;
    const auto begin = Clock::now();
    for (int c = 0; c < commits; ++c) {
        for (int i = 0; i < samplesEach; ++i) {
            row[static_cast<size_t>(step) % seriesCount] = static_cast<float>(step);
            writer->append(started->group, sample_run::axes(step++), row);
        }
        if (every.count() > 0) std::this_thread::sleep_until(begin + c * every);
        const auto start = Clock::now();
        if (!writer->commit()) return;
        times.push_back(msSince(start));
    }
    const double total = msSince(begin);
    const auto ending = Clock::now();
    const bool ended = writer->endAttempt(started->attempt, store::RunState::Done).ok();
    fmt::print(
        "{:5} series, {:4} samples per commit{}: median {:.2f} ms, p95 {:.2f}, worst {:.2f}; {:.2f} M samples/s; "
        "end of run {:.0f} ms{}\n",
        seriesCount, samplesEach, every.count() > 0 ? fmt::format(", every {} ms", every.count()) : "",
        quantile(times, 0.5), quantile(times, 0.95), quantile(times, 1.0),
        static_cast<double>(step) * static_cast<double>(seriesCount) / total / 1e3, msSince(ending),
        ended ? "" : " (failed)");
}

}  // namespace

int main(int count, char** words) {
    const std::filesystem::path path = std::filesystem::path(count > 1 ? words[1] : ".") / "bench.octet";
    diskTimes(path.string() + ".disk", 80000);
    const int pacedCommits = 5 * (count > 2 ? std::atoi(words[2]) : 30);
    for (const size_t series : {200, 2000}) {
        commitTimes(path, {series, 1000, 10});
        if (pacedCommits > 0) commitTimes(path, {series, pacedCommits, 10, std::chrono::milliseconds(200)});
    }
    commitTimes(path, {2000, 60, 500});
    commitTimes(path, {200, 60, 5000});
    commitTimes(path, {2000, 20, 5000});
    for (const char* suffix : {"", "-wal", "-shm"})
        std::filesystem::remove(path.string() + suffix);
    return 0;
}
