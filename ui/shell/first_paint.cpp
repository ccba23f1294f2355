// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/first_paint.h"

#include <time.h>
#include <unistd.h>

#include <QEvent>
#include <QTimer>
#include <QWidget>

#include "engine/store/process_identity.h"

namespace octet::ui {
namespace {

/// Resolution: one clock tick, 10 ms.
double millisecondsSinceBirth() {
    timespec now{};
    clock_gettime(CLOCK_BOOTTIME, &now);
    const double nowMs = static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
    const double ticksPerSecond = static_cast<double>(sysconf(_SC_CLK_TCK));
    return nowMs - static_cast<double>(store::currentProcess().startTicks) / ticksPerSecond * 1e3;
}

class FirstPaint final : public QObject {
public:
    FirstPaint(QWidget& window, std::function<void(double)> done) : QObject(&window), m_done(std::move(done)) {
        window.installEventFilter(this);
    }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() != QEvent::Paint) return false;
        watched->removeEventFilter(this);
        // The window's children are painted in this same pass; behind it the event loop goes on.
        QTimer::singleShot(0, this, [this] {
            m_done(millisecondsSinceBirth());
            deleteLater();
        });
        return false;
    }

private:
    std::function<void(double)> m_done;
};

}  // namespace

void measureFirstPaint(QWidget& window, std::function<void(double)> done) {
    new FirstPaint(window, std::move(done));
}

}  // namespace octet::ui
