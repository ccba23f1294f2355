// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/status_bar.h"

#include <QHBoxLayout>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "engine/core/text.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/pill.h"
#include "ui/widgets/theme.h"

namespace octet::ui {

/// A round dot in the colour of a state.
class StatusDot final : public QWidget {
public:
    explicit StatusDot(QWidget* parent) : QWidget(parent) { setFixedSize(8, 8); }

    void setTone(Tone tone) {
        m_tone = tone;
        update();
    }

protected:
    void paintEvent(QPaintEvent*) override {
        const Theme& theme = themeOf(this);
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(m_tone == Tone::Ok     ? theme.ok
                         : m_tone == Tone::Warn ? theme.warn
                         : m_tone == Tone::Bad  ? theme.bad
                                                : theme.faint);
        painter.drawEllipse(rect());
    }

private:
    Tone m_tone = Tone::Neutral;
};

namespace {

constexpr int kHeightPx = 26, kRefreshMs = 500, kRateWindow = 20;

QString grouped(double value) {
    return QString::fromStdString(groupedDigits(static_cast<long long>(value)));
}

QString clockText(double seconds) {
    const auto whole = static_cast<qint64>(seconds + 0.5);
    const QLatin1Char zero('0');
    if (whole < 3600) return QStringLiteral("%1:%2").arg(whole / 60).arg(whole % 60, 2, 10, zero);
    return QStringLiteral("%1:%2:%3").arg(whole / 3600).arg(whole / 60 % 60, 2, 10, zero).arg(whole % 60, 2, 10, zero);
}

double numberAt(const Json& object, const char* key) {
    return object.is_object() && object.contains(key) && object[key].is_number() ? object[key].get<double>() : 0;
}

QString textAt(const Json& object, const char* key) {
    const bool is = object.is_object() && object.contains(key) && object[key].is_string();
    return is ? QString::fromStdString(object[key].get<std::string>()) : QString();
}

QString deviceText(const Json& environment) {
    const QString device = textAt(environment, "device");
    if (device.isEmpty()) return {};
    QString text = device == QStringLiteral("cpu") ? StatusBar::tr("CPU") : device;
    const auto threads = static_cast<int>(numberAt(environment, "threads"));
    if (threads > 0) text += StatusBar::tr(", %1 threads").arg(threads);
    if (textAt(environment, "arithmetic").contains(QStringLiteral("emulated"))) text += StatusBar::tr(", emulated");
    return text;
}

Tone toneOf(store::RunState state) {
    switch (state) {
        case store::RunState::Running:
        case store::RunState::Done:
            return Tone::Ok;
        case store::RunState::Paused:
        case store::RunState::Stopped:
            return Tone::Warn;
        case store::RunState::Failed:
        case store::RunState::Interrupted:
            return Tone::Bad;
        case store::RunState::Queued:
            break;
    }
    return Tone::Neutral;
}

bool isLive(const store::RunInfo& run) {
    return run.state == store::RunState::Running || run.state == store::RunState::Paused;
}

}  // namespace

StatusBar::StatusBar(Selection* selection, QWidget* parent)
    : QFrame(parent),
      m_selection(selection),
      m_dot(new StatusDot(this)),
      m_worker(new ElidedLabel({}, ElidedLabel::Ink::Dim, this)),
      m_place(new ElidedLabel({}, ElidedLabel::Ink::Dim, this)),
      m_device(new ElidedLabel({}, ElidedLabel::Ink::Dim, this)),
      m_throughput(new ElidedLabel({}, ElidedLabel::Ink::Dim, this)),
      m_saved(new ElidedLabel({}, ElidedLabel::Ink::Dim, this)) {
    setProperty("role", QStringLiteral("bar"));
    setFixedHeight(kHeightPx);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(12, 0, 12, 0);
    layout->setSpacing(6);
    layout->addWidget(m_dot);
    QFont small = textFont();
    small.setPixelSize(12);
    for (ElidedLabel* label : {m_worker, m_place, m_device, m_throughput, m_saved}) {
        label->setFont(small);
        if (label == m_saved) layout->addStretch(1);
        layout->addWidget(label);
        if (label != m_saved) layout->addSpacing(12);
    }
    m_timer.setInterval(kRefreshMs);
    connect(&m_timer, &QTimer::timeout, this, &StatusBar::refresh);
    connect(m_selection, &Selection::currentRunChanged, this, &StatusBar::refresh);
    refresh();
}

void StatusBar::setProject(Project* project) {
    if (m_project) m_project->disconnect(this);
    m_project = project;
    m_failing = false;
    m_sinceSaved.invalidate();
    if (m_project) {
        connect(m_project, &Project::runsChanged, this, &StatusBar::refresh);
        connect(m_project, &Project::samplesArrived, this, [this] { m_sinceSaved.start(); });
        connect(m_project, &Project::failed, this, [this] {
            m_failing = true;
            refresh();
        });
        connect(m_project, &Project::recovered, this, [this] {
            m_failing = false;
            refresh();
        });
    }
    refresh();
}

void StatusBar::setStarting(bool starting) {
    m_starting = starting;
    refresh();
}

void StatusBar::setPlaceText(const QString& text) {
    m_place->setText(text);
}

void StatusBar::refresh() {
    showWorker();
    showSaved();
}

/// The current run when it is being trained, else another one that is, else the current one.
const store::RunInfo* StatusBar::shownRun() const {
    if (!m_project) return nullptr;
    const store::RunInfo* current = m_project->run(m_selection->currentRun());
    if (current && isLive(*current)) return current;
    for (const store::RunInfo& run : m_project->runs()) {
        if (isLive(run) && !run.hidden) return &run;
    }
    return current;
}

void StatusBar::showWorker() {
    const store::RunInfo* run = shownRun();
    const bool live = run && isLive(*run);
    m_timer.isActive() == live ? void() : live ? m_timer.start() : m_timer.stop();
    if (m_starting && !live) {
        m_dot->setTone(Tone::Warn);
        m_worker->setText(tr("starting the worker"));
    } else {
        m_dot->setTone(run ? toneOf(run->state) : Tone::Neutral);
        m_worker->setText(run ? workerText(*run) : tr("no run yet"));
    }
    m_device->setText(run ? deviceText(run->environment) : QString());
    m_throughput->setText(run ? throughputText(*run) : QString());
}

QString StatusBar::workerText(const store::RunInfo& run) const {
    const QString name = QString::fromStdString(run.name);
    const QString pending = m_project->pendingCommand(run.id);
    const QString place =
        tr("step %1 of %2")
            .arg(grouped(static_cast<double>(run.steps)), grouped(static_cast<double>(run.plannedSteps)));
    if (!pending.isEmpty()) return tr("%1 %2, %3").arg(name, place, pending);
    const auto loss = run.state == store::RunState::Running ? seriesOf(run, "loss") : nullptr;
    if (loss && loss->size() > 1 && run.plannedSteps > run.steps) {
        const double perStep =
            loss->axes->wallTime[static_cast<size_t>(loss->size() - 1)] / static_cast<double>(loss->size());
        const double left = perStep * static_cast<double>(run.plannedSteps - run.steps);
        return tr("%1 %2, %3 left").arg(name, place, clockText(left));
    }
    return tr("%1 %2, %3").arg(name, place, QString::fromLatin1(store::runStateName(run.state)));
}

std::shared_ptr<const SeriesView> StatusBar::seriesOf(const store::RunInfo& run, const char* statistic) const {
    return m_project->series(run.id, {"", "", "", statistic, ""});
}

QString StatusBar::throughputText(const store::RunInfo& run) const {
    const double tokens = numberAt(run.environment, "tokens_per_step");
    const auto stepMs = tokens > 0 ? seriesOf(run, "step_ms") : nullptr;
    if (!stepMs || stepMs->size() == 0) return {};
    const int64_t first = std::max<int64_t>(0, stepMs->size() - kRateWindow);
    double sum = 0;
    for (int64_t i = first; i < stepMs->size(); ++i)
        sum += static_cast<double>(stepMs->values.at(i));
    const double mean = sum / static_cast<double>(stepMs->size() - first);
    return mean > 0 && std::isfinite(mean) ? tr("%1 tokens/s").arg(grouped(tokens / mean * 1000)) : QString();
}

void StatusBar::showSaved() {
    if (!m_project) {
        m_saved->setText(tr("no project open"));
    } else if (m_failing) {
        m_saved->setText(tr("not in touch with the store"));
    } else if (m_timer.isActive() && m_sinceSaved.isValid()) {
        const double seconds = static_cast<double>(m_sinceSaved.elapsed()) / 1000;
        m_saved->setText(tr("saved %1 s ago").arg(seconds, 0, 'f', 1));
    } else {
        m_saved->setText(tr("all saved"));
    }
}

}  // namespace octet::ui
