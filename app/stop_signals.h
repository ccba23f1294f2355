// SPDX-License-Identifier: Apache-2.0
// SIGINT, SIGTERM and SIGHUP as a stop request; a second one ends the process at once. SIGPIPE is ignored.
#pragma once

#include <stop_token>
#include <thread>

namespace octet::app {

/// Construct before any other thread starts, so that all of them leave the signals to this one.
class StopSignals {
public:
    StopSignals();
    ~StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;

    [[nodiscard]] std::stop_token token() const { return m_requested.get_token(); }

    /// As if a signal had come: nobody reads what this process writes any more.
    void request() { m_requested.request_stop(); }

private:
    std::stop_source m_requested;
    std::jthread m_waiter;
};

}  // namespace octet::app
