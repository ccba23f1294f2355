// SPDX-License-Identifier: Apache-2.0
#include "app/stop_signals.h"

#include <csignal>
#include <ctime>

namespace octet::app {
namespace {

sigset_t stopSet() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
        sigaddset(&set, signal);
    return set;
}

}  // namespace

StopSignals::StopSignals() {
    const sigset_t set = stopSet();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    m_waiter = std::jthread([this, set](const std::stop_token& ending) {
        const timespec tick{0, 100'000'000};
        while (!ending.stop_requested()) {
            if (sigtimedwait(&set, nullptr, &tick) < 0) continue;
            m_requested.request_stop();
            pthread_sigmask(SIG_UNBLOCK, &set, nullptr);  // the next one takes its default action
            return;
        }
    });
}

StopSignals::~StopSignals() {
    m_waiter.request_stop();
    m_waiter.join();
    const sigset_t set = stopSet();
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

}  // namespace octet::app
