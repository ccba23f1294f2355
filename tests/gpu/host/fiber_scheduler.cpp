// SPDX-License-Identifier: Apache-2.0
#include "tests/gpu/host/fiber_scheduler.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "tests/gpu/host/fiber_switch.h"

namespace octet::onhost {

Current current;

namespace {

enum class State : uint8_t { Ready, AtBarrier, InWarpOperation, Done };

struct Thread {
    Fiber fiber;
    Index index;
    unsigned number = 0;
    State state = State::Ready;
    Where where;
    unsigned warpOperations = 0, barriers = 0;
};

/// Two sets of slots: a lane may start the next operation while others still read the last one.
struct Warp {
    uint64_t slots[2][32] = {};
    unsigned arrived = 0, mask = 0;
    const char* operation = nullptr;
    int order[2] = {};  // what TSan synchronises on, per set of slots
};

struct Freed {
    void operator()(void* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<void, Freed>;

/// Exactly `bytes` long, so that the address sanitizer sees the first byte behind it.
Memory poisoned(size_t bytes) {
    Memory memory(std::malloc(bytes));
    std::memset(memory.get(), 0xCD, bytes);
    return memory;
}

struct Machine {
    std::vector<Thread> pool;  // grows only: fibers are dear to make under TSan
    std::span<Thread> threads;
    std::vector<Warp> warps;
    std::vector<std::pair<const char*, Memory>> shared;  // keys are literals: one address each
    int sharedOrder = 0;
    Memory dynamic;
    const std::function<void()>* body = nullptr;
    Thread* running = nullptr;
    size_t atBarrier = 0, alive = 0;
    Where barrierAt;
    // What TSan synchronises on. Barriers alternate between two: a thread that is already on its way to the next
    // barrier must not be ordered before one that has yet to leave the last.
    int startOrder = 0, endOrder = 0, barrierOrder[2] = {};
    std::string failure;
};
Machine machine;

std::string text(const Where& where) {
    return std::string(where.file_name()) + ":" + std::to_string(where.line());
}

void fail(const std::string& message) {
    if (machine.failure.empty()) machine.failure = message;
}

void suspend() {
    switchToScheduler(machine.running->fiber, false);
}

/// Bottom frame of every fiber.
void runThread() {
    fiberStarted();
    tsanAcquire(&machine.startOrder);
    (*machine.body)();
    machine.running->state = State::Done;
    --machine.alive;
    tsanRelease(&machine.endOrder);
    switchToScheduler(machine.running->fiber, true);
}

void resume(Thread& thread) {
    machine.running = &thread;
    current.thread = thread.index;
    switchToFiber(thread.fiber);
}

/// Opens the barrier when everybody is there. @return whether it opened
bool openBarrier() {
    if (machine.atBarrier == 0 || machine.atBarrier != machine.alive) return false;
    if (machine.alive != machine.threads.size()) {
        fail("barrier at " + text(machine.barrierAt) + " reached by " + std::to_string(machine.alive) + " of " +
             std::to_string(machine.threads.size()) + " threads, the others had returned");
    }
    machine.atBarrier = 0;
    for (Thread& thread : machine.threads)
        if (thread.state == State::AtBarrier) thread.state = State::Ready;
    return true;
}

void reportDeadlock() {
    for (const Thread& thread : machine.threads) {
        if (thread.state == State::Done) continue;
        const char* what = thread.state == State::AtBarrier ? "at the barrier " : "in the warp operation ";
        return fail("deadlock: thread " + std::to_string(thread.number) + " waits " + what + text(thread.where));
    }
}

void runBlock(std::vector<size_t>& order, std::mt19937_64& random) {
    machine.alive = machine.threads.size();
    machine.atBarrier = 0;
    std::fill(machine.warps.begin(), machine.warps.end(), Warp{});
    for (Thread& thread : machine.threads) {
        thread.state = State::Ready;
        thread.warpOperations = thread.barriers = 0;
        startFiber(thread.fiber, runThread);
    }
    std::shuffle(order.begin(), order.end(), random);
    while (machine.alive > 0 && machine.failure.empty()) {
        bool moved = false;
        for (const size_t number : order) {
            if (machine.threads[number].state != State::Ready || !machine.failure.empty()) continue;
            moved = true;
            resume(machine.threads[number]);
        }
        if (!openBarrier() && !moved && machine.alive > 0) reportDeadlock();
    }
    tsanAcquire(&machine.endOrder);
}

void build(const Grid& grid) {
    if (machine.pool.size() < grid.threads) machine.pool.resize(grid.threads);
    machine.threads = std::span(machine.pool).first(grid.threads);
    for (unsigned i = 0; i < grid.threads; ++i) {
        machine.threads[i].number = i;
        machine.threads[i].index = {i, 0, 0};
    }
    machine.warps.resize((grid.threads + 31) / 32);
    current.blockSize = {grid.threads, 1, 1};
    current.gridSize = {grid.blocksX, grid.blocksY, 1};
}

}  // namespace

std::string launch(const Grid& grid, const std::function<void()>& body, uint64_t seed) {
    machine.failure.clear();
    machine.body = &body;
    build(grid);
    rememberSchedulerFiber();
    std::vector<size_t> order(grid.threads);
    for (size_t i = 0; i < order.size(); ++i)
        order[i] = i;
    std::mt19937_64 random(seed);
    for (unsigned y = 0; y < grid.blocksY; ++y) {
        for (unsigned x = 0; x < grid.blocksX && machine.failure.empty(); ++x) {
            current.block = {x, y, 0};
            machine.dynamic = grid.dynamicSharedBytes > 0 ? poisoned(grid.dynamicSharedBytes) : nullptr;
            tsanRelease(&machine.startOrder);
            runBlock(order, random);
            machine.shared.clear();
        }
    }
    machine.dynamic.reset();
    return machine.failure;
}

void barrier(Where where) {
    if (machine.atBarrier == 0) {
        machine.barrierAt = where;
    } else if (machine.barrierAt.line() != where.line()) {
        fail("barrier in divergent code: " + text(machine.barrierAt) + " and " + text(where));
    }
    ++machine.atBarrier;
    machine.running->state = State::AtBarrier;
    machine.running->where = where;
    int* const order = &machine.barrierOrder[machine.running->barriers++ & 1];
    tsanRelease(order);
    suspend();
    tsanAcquire(order);
}

void exchange(unsigned mask, uint64_t value, const char* operation, uint64_t (&values)[32], Where where) {
    Thread& self = *machine.running;
    Warp& warp = machine.warps[self.number / 32];
    const unsigned own = lane();
    if ((mask >> own & 1) == 0) fail("lane " + std::to_string(own) + " is not in its own mask at " + text(where));
    if (warp.arrived == 0) {
        warp.mask = mask;
        warp.operation = operation;
    } else if (warp.mask != mask || std::strcmp(warp.operation, operation) != 0) {
        fail("the lanes of a warp disagree about mask or operation at " + text(where));
    }
    const unsigned set = self.warpOperations++ & 1;
    warp.slots[set][own] = value;
    warp.arrived |= 1u << own;
    self.where = where;
    tsanRelease(&warp.order[set]);
    if (warp.arrived == warp.mask) {
        warp.arrived = 0;
        for (unsigned k = 0; k < 32; ++k) {
            const size_t number = self.number / 32 * 32 + k;
            if (number < machine.threads.size() && machine.threads[number].state == State::InWarpOperation)
                machine.threads[number].state = State::Ready;
        }
    } else {
        self.state = State::InWarpOperation;
        suspend();
    }
    tsanAcquire(&warp.order[set]);
    std::memcpy(values, warp.slots[set], sizeof values);
}

unsigned lane() {
    return machine.running->number % 32;
}

void* sharedMemory(const char* key, size_t bytes) {
    for (const auto& [known, memory] : machine.shared) {
        if (known != key) continue;
        tsanAcquire(&machine.sharedOrder);  // it was filled by the thread that came first
        return memory.get();
    }
    machine.shared.emplace_back(key, poisoned(bytes));
    tsanRelease(&machine.sharedOrder);
    return machine.shared.back().second.get();
}

void* dynamicSharedMemory() {
    return machine.dynamic.get();
}

}  // namespace octet::onhost
