// SPDX-License-Identifier: Apache-2.0
// Switching between fibers, with what the address and thread sanitizers have to be told. On x86-64 a switch is twelve
// instructions, ten times as fast as ucontext, which other processors use.
#pragma once

#include <cstddef>
#include <memory>

namespace octet::onhost {

struct FiberContext;

/// A stack that is kept from launch to launch, and the place on it where the fiber stopped.
struct Fiber {
    Fiber();
    ~Fiber();
    Fiber(Fiber&&) noexcept;
    Fiber& operator=(Fiber&&) noexcept;
    std::unique_ptr<FiberContext> context;
};

/// Makes the fiber begin with `entry` when it is next switched to. `entry` must call fiberStarted() first and must end
/// with switchToScheduler(fiber, true).
void startFiber(Fiber& fiber, void (*entry)());
void switchToFiber(Fiber& fiber);
void switchToScheduler(Fiber& fiber, bool forGood);
void fiberStarted();
/// To be called by the thread that schedules, before its first switch.
void rememberSchedulerFiber();

/// Ordering for the thread sanitizer; nothing elsewhere.
void tsanAcquire(void* order);
void tsanRelease(void* order);

}  // namespace octet::onhost
