// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/loop_watch.h"

#include <time.h>

#include <algorithm>

namespace octet::ui {
namespace {

double millisecondsOf(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

}  // namespace

bool LoopWatch::notify(QObject* receiver, QEvent* event) {
    if (m_isInside) return QApplication::notify(receiver, event);
    m_isInside = true;
    const double at = millisecondsOf(CLOCK_MONOTONIC), busy = millisecondsOf(CLOCK_THREAD_CPUTIME_ID);
    const bool handled = QApplication::notify(receiver, event);
    m_worstProcessorMs = std::max(m_worstProcessorMs, millisecondsOf(CLOCK_THREAD_CPUTIME_ID) - busy);
    m_worstMs = std::max(m_worstMs, millisecondsOf(CLOCK_MONOTONIC) - at);
    m_isInside = false;
    return handled;
}

}  // namespace octet::ui
