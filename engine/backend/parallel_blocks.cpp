// SPDX-License-Identifier: Apache-2.0
// Compiled with -fopenmp: at::parallel_for is silently serial without it.
#include "engine/backend/parallel_blocks.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <vector>

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
