// SPDX-License-Identifier: Apache-2.0
#include "app/stop_signals.h"

#include <csignal>
#include <ctime>

namespace octet::app {
namespace {

/// What `nohup` or a shell has told this process to ignore stays ignored: a blocked signal would be seen all the same.
sigset_t stopSet() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction action {};
        if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) sigaddset(&set, signal);
    }
    return set;
}

/// Takes the default action, so that the parent sees which signal it was.
void endAtOnce(int signal) {
    std::signal(signal, SIG_DFL);
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, signal);
    pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
    std::raise(signal);
}

}  // namespace

StopSignals::StopSignals() {
    std::signal(SIGPIPE, SIG_IGN);  // a reader that ends must not end the training between two commits
    const sigset_t set = stopSet();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    m_waiter = std::jthread([this, set](const std::stop_token& ending) {
        const timespec tick{0, 100'000'000};
        while (!ending.stop_requested()) {
            const int signal = sigtimedwait(&set, nullptr, &tick);
            if (signal < 0) continue;
            if (!m_requested.request_stop()) endAtOnce(signal);
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
