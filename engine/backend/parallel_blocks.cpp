// SPDX-License-Identifier: Apache-2.0
// Compiled with -fopenmp: at::parallel_for is silently serial without it.
#include "engine/backend/parallel_blocks.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "engine/scaling/column_scales.h"

namespace octet::backend {
namespace {

constexpr int64_t kTaskElements = 8 * numerics::kBlockElements;

int64_t taskCount(size_t elements) {
    return (static_cast<int64_t>(elements) + kTaskElements - 1) / kTaskElements;
}

/// body(task, first element, element count)
template <typename Body>
void forEachTask(size_t elements, const Body& body) {
    at::parallel_for(0, taskCount(elements), 1, [&](int64_t begin, int64_t end) {
        for (int64_t task = begin; task < end; ++task) {
            const auto first = static_cast<size_t>(task * kTaskElements);
            body(static_cast<size_t>(task), first, std::min(elements - first, static_cast<size_t>(kTaskElements)));
        }
    });
}

template <typename Partial>
Partial mergeInOrder(const std::vector<Partial>& partials) {
    Partial total{};
    for (const Partial& partial : partials)
        total.merge(partial);
    return total;
}

}  // namespace

numerics::CastStatistics quantiseParallel(std::span<const float> in, std::span<float> values,
                                          const numerics::QuantiseSpec& spec) {
    std::vector<numerics::CastStatistics> partials(static_cast<size_t>(taskCount(in.size())));
    forEachTask(in.size(), [&](size_t task, size_t first, size_t n) {
        partials[task] = numerics::quantise(in.subspan(first, n), values.subspan(first, n), spec);
    });
    return mergeInOrder(partials);
}

numerics::CastStatistics measureAmaxParallel(std::span<const float> in) {
    std::vector<numerics::CastStatistics> partials(static_cast<size_t>(taskCount(in.size())));
    forEachTask(in.size(), [&](size_t task, size_t first, size_t n) {
        partials[task] = numerics::measureAmax(in.subspan(first, n));
    });
    return mergeInOrder(partials);
}

namespace {

scaling::ColumnScales columnScalesParallel(const scaling::TileMatrix& matrix, const scaling::TileCastSpec& spec,
                                           const std::vector<scaling::TileTask>& tasks) {
    std::vector<uint32_t> all(static_cast<size_t>(matrix.cols));
    std::mutex joining;  // maxima may be joined in any order
    at::parallel_for(0, static_cast<int64_t>(tasks.size()), 1, [&](int64_t begin, int64_t end) {
        std::vector<uint32_t> bits(all.size());
        for (auto task = static_cast<size_t>(begin); task < static_cast<size_t>(end); ++task)
            scaling::raiseToColumnMaxima(matrix, tasks[task].row, tasks[task].rows, bits);
        const std::lock_guard lock(joining);
        for (size_t i = 0; i < all.size(); ++i)
            all[i] = std::max(all[i], bits[i]);
    });
    return scaling::columnScalesFrom(all, spec);
}

}  // namespace

scaling::TileCastResult castTilesParallel(const scaling::TileMatrix& matrix, const scaling::TileCastSpec& spec) {
    const std::vector<scaling::TileTask> tasks = scaling::tileTasks(matrix.rows, matrix.cols, spec.tile);
    const bool wholeColumns = scaling::hasWholeColumns(spec.tile, matrix.rows);
    scaling::ColumnScales scales;
    if (wholeColumns) scales = columnScalesParallel(matrix, spec, tasks);
    std::vector<scaling::TileCastResult> partials(tasks.size());
    at::parallel_for(0, static_cast<int64_t>(tasks.size()), 1, [&](int64_t begin, int64_t end) {
        for (auto task = static_cast<size_t>(begin); task < static_cast<size_t>(end); ++task) {
            partials[task] = wholeColumns ? scaling::castTaskWithColumnScales(matrix, tasks[task], spec, scales)
                                          : scaling::castTask(matrix, tasks[task], spec);
        }
    });
    return mergeInOrder(partials);
}

void roundToBf16Parallel(std::span<const float> in, std::span<float> out) {
    forEachTask(in.size(), [&](size_t, size_t first, size_t n) {
        numerics::roundToBf16(in.subspan(first, n), out.subspan(first, n));
    });
}

numerics::ExponentCounts countExponentsParallel(std::span<const float> in) {
    std::vector<numerics::ExponentCounts> partials(static_cast<size_t>(taskCount(in.size())));
    forEachTask(in.size(), [&](size_t task, size_t first, size_t n) {
        partials[task] = numerics::countExponents(in.subspan(first, n));
    });
    return mergeInOrder(partials);
}

}  // namespace octet::backend
