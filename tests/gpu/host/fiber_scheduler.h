// SPDX-License-Identifier: Apache-2.0
// Runs a GPU grid on the host: one fiber per thread of a block, blocks one after the other, in an order shuffled by a
// seed. Barriers and warp operations are checked: who reaches them, with which mask, from which line.
// The scheduler is compiled without the thread sanitizer; it tells it what each barrier orders, so that a missing
// barrier in a kernel is a data race that TSan reports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <source_location>
#include <string>

namespace octet::onhost {

using Where = std::source_location;

struct Index {
    unsigned x = 0, y = 0, z = 0;
};

/// Of the running fiber; the scheduler sets them before it resumes a fiber.
struct Current {
    Index thread, block, blockSize, gridSize;
};
extern Current current;

struct Grid {
    unsigned blocksX = 1, blocksY = 1, threads = 1;
    size_t dynamicSharedBytes = 0;
};

/// Runs `body` once per thread. @return the first violated rule with file and line; empty when all went well
std::string launch(const Grid& grid, const std::function<void()>& body, uint64_t seed);

void barrier(Where where = Where::current());

/// Publishes `value` to the lanes of `mask`, waits for all of them and gives every lane's value.
void exchange(unsigned mask, uint64_t value, const char* operation, uint64_t (&values)[32], Where where);

/// Number of this thread in its warp.
unsigned lane();

/// Memory of the running block, made at the first call with this key and filled with 0xCD; freed with the block.
void* sharedMemory(const char* key, size_t bytes);
void* dynamicSharedMemory();

}  // namespace octet::onhost
