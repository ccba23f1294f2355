// SPDX-License-Identifier: GPL-3.0-or-later
// An application that measures how long each event keeps its GUI thread busy: what a person feels as a stall.
#pragma once

#include <QApplication>

namespace octet::ui {

class LoopWatch final : public QApplication {
public:
    using QApplication::QApplication;

    /// The longest handling of one event of the loop (a timer, a paint, a gesture): on the clock, and of this thread's
    /// processor time, which other programs on the machine hardly change.
    [[nodiscard]] double worstMs() const { return m_worstMs; }
    [[nodiscard]] double worstProcessorMs() const { return m_worstProcessorMs; }
    void reset() { m_worstMs = m_worstProcessorMs = 0; }

    bool notify(QObject* receiver, QEvent* event) override;

private:
    double m_worstMs = 0, m_worstProcessorMs = 0;
    bool m_isInside = false;  // events that an event sends are part of it
};

}  // namespace octet::ui
