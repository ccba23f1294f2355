// SPDX-License-Identifier: Apache-2.0
#include "tests/gpu/host/fiber_switch.h"

#include <cstdint>
#include <cstdlib>
#include <utility>

#if !defined(__x86_64__)
#include <ucontext.h>
#endif
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(OCTET_HOST_TSAN)
extern "C" {
void* __tsan_get_current_fiber(void);
void* __tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void* fiber);
void __tsan_switch_to_fiber(void* fiber, unsigned flags);
void __tsan_acquire(void* address);
void __tsan_release(void* address);
}
#endif

namespace octet::onhost {

namespace {
constexpr size_t kStackBytes = 64 * 1024;
constexpr unsigned kNoSynchronisation = 1;  // a switch orders nothing: only barriers and warp operations do
}  // namespace

struct FiberContext {
    char* stack = static_cast<char*>(std::malloc(kStackBytes));
    void* fakeStack = nullptr;
    void* tsan = nullptr;
#if defined(__x86_64__)
    void* stackPointer = nullptr;
#else
    ucontext_t registers;
#endif
    FiberContext() {
#if defined(OCTET_HOST_TSAN)
        tsan = __tsan_create_fiber(0);
#endif
    }
    FiberContext(const FiberContext&) = delete;
    FiberContext& operator=(const FiberContext&) = delete;
    ~FiberContext() {
#if defined(OCTET_HOST_TSAN)
        __tsan_destroy_fiber(tsan);
#endif
        std::free(stack);
    }
};

Fiber::Fiber() : context(std::make_unique<FiberContext>()) {}
Fiber::~Fiber() = default;
Fiber::Fiber(Fiber&&) noexcept = default;
Fiber& Fiber::operator=(Fiber&&) noexcept = default;

namespace {
FiberContext scheduler;  // its stack is the thread's own
#if defined(__SANITIZE_ADDRESS__)
const void* schedulerStack = nullptr;
size_t schedulerStackBytes = 0;
#endif
#if defined(OCTET_HOST_TSAN)
void* schedulerTsan = nullptr;
#endif
}  // namespace

#if defined(__x86_64__)
extern "C" void octetFiberSwitch(void** saved, void* target);
asm(R"(.text
.globl octetFiberSwitch
.type octetFiberSwitch,@function
octetFiberSwitch:
 push %rbp
 push %rbx
 push %r12
 push %r13
 push %r14
 push %r15
 mov %rsp,(%rdi)
 mov %rsi,%rsp
 pop %r15
 pop %r14
 pop %r13
 pop %r12
 pop %rbx
 pop %rbp
 ret
)");

void startFiber(Fiber& fiber, void (*entry)()) {
    const uintptr_t top = (reinterpret_cast<uintptr_t>(fiber.context->stack) + kStackBytes) & ~uintptr_t{15};
    void** slot = reinterpret_cast<void**>(top);
    *--slot = nullptr;  // keeps the stack aligned as at a call
    *--slot = reinterpret_cast<void*>(entry);
    for (int savedRegister = 0; savedRegister < 6; ++savedRegister)
        *--slot = nullptr;
    fiber.context->stackPointer = slot;
    fiber.context->fakeStack = nullptr;
}
static void swapTo(FiberContext& from, FiberContext& to) {
    octetFiberSwitch(&from.stackPointer, to.stackPointer);
}
#else
void startFiber(Fiber& fiber, void (*entry)()) {
    ucontext_t& registers = fiber.context->registers;
    getcontext(&registers);
    registers.uc_stack.ss_sp = fiber.context->stack;
    registers.uc_stack.ss_size = kStackBytes;
    registers.uc_link = nullptr;
    makecontext(&registers, entry, 0);
    fiber.context->fakeStack = nullptr;
}
static void swapTo(FiberContext& from, FiberContext& to) {
    swapcontext(&from.registers, &to.registers);
}
#endif

void switchToFiber(Fiber& fiber) {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(&scheduler.fakeStack, fiber.context->stack, kStackBytes);
#endif
#if defined(OCTET_HOST_TSAN)
    __tsan_switch_to_fiber(fiber.context->tsan, kNoSynchronisation);
#endif
    swapTo(scheduler, *fiber.context);
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(scheduler.fakeStack, nullptr, nullptr);
#endif
}

void switchToScheduler(Fiber& fiber, [[maybe_unused]] bool forGood) {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(forGood ? nullptr : &fiber.context->fakeStack, schedulerStack, schedulerStackBytes);
#endif
#if defined(OCTET_HOST_TSAN)
    __tsan_switch_to_fiber(schedulerTsan, kNoSynchronisation);
#endif
    swapTo(*fiber.context, scheduler);
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(fiber.context->fakeStack, &schedulerStack, &schedulerStackBytes);
#endif
}

void fiberStarted() {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(nullptr, &schedulerStack, &schedulerStackBytes);
#endif
}

void rememberSchedulerFiber() {
#if defined(OCTET_HOST_TSAN)
    schedulerTsan = __tsan_get_current_fiber();
#endif
}

void tsanAcquire([[maybe_unused]] void* order) {
#if defined(OCTET_HOST_TSAN)
    __tsan_acquire(order);
#endif
}
void tsanRelease([[maybe_unused]] void* order) {
#if defined(OCTET_HOST_TSAN)
    __tsan_release(order);
#endif
}

}  // namespace octet::onhost
