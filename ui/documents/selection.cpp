// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/documents/selection.h"

namespace octet::ui {
namespace {

/// @return whether the value is another one now
template <typename Value>
bool replaced(Value& held, const Value& value) {
    if (held == value) return false;
    held = value;
    return true;
}

}  // namespace

Selection::Selection(QObject* parent) : QObject(parent), m_operand(QStringLiteral("grad_output")) {}

void Selection::forget() {
    const bool hadRuns = !m_hidden.isEmpty() || !m_overlaid.isEmpty();
    m_hidden.clear();
    m_overlaid.clear();
    if (hadRuns) emit visibilityChanged();
    setCurrentRun({});
    setBaseline({});
    setExperiment({});
    setLayers({});
    setCursor(std::nullopt);
    setXRange(std::nullopt);
    setFollows(true);
}

void Selection::setVisible(store::RunId run, bool visible) {
    if (isVisible(run) == visible) return;
    if (visible)
        m_hidden.remove(run.value);
    else
        m_hidden.insert(run.value);
    emit visibilityChanged();
}

void Selection::setOverlaid(store::RunId run, bool overlaid) {
    if (isOverlaid(run) == overlaid) return;
    if (overlaid)
        m_overlaid.insert(run.value);
    else
        m_overlaid.remove(run.value);
    emit visibilityChanged();
}

void Selection::setCurrentRun(store::RunId run) {
    if (replaced(m_currentRun, run)) emit currentRunChanged();
}

void Selection::setBaseline(store::RunId run) {
    if (replaced(m_baseline, run)) emit baselineChanged();
}

void Selection::setExperiment(store::ExperimentId experiment) {
    if (replaced(m_experiment, experiment)) emit experimentChanged();
}

void Selection::setLayers(const QStringList& layers) {
    if (replaced(m_layers, layers)) emit layersChanged();
}

void Selection::setOperand(const QString& operand) {
    if (replaced(m_operand, operand)) emit layersChanged();
}

void Selection::setCursor(std::optional<double> x) {
    if (replaced(m_cursor, x)) emit cursorChanged();
}

void Selection::setXAxis(XAxis axis) {
    if (!replaced(m_xAxis, axis)) return;
    setCursor(std::nullopt);  // their unit was the other axis's
    setXRange(std::nullopt);
    emit xAxisChanged();
}

void Selection::setPreset(ViewPreset preset) {
    if (replaced(m_preset, preset)) emit presetChanged();
}

void Selection::setFollows(bool follows) {
    if (replaced(m_follows, follows)) emit followsChanged();
}

void Selection::setXRange(const std::optional<XRange>& range) {
    if (replaced(m_xRange, range)) emit xRangeChanged();
}

}  // namespace octet::ui
