// SPDX-License-Identifier: GPL-3.0-or-later
// What the person looks at: shared by every view of one project and kept with the window. Views never talk to each
// other; they read and write this.
#pragma once

#include <QObject>
#include <QSet>
#include <QString>
#include <QStringList>
#include <optional>

#include "engine/store/store_types.h"

namespace octet::ui {

/// What is seen of the x axis, in its units.
struct XRange {
    double lower = 0, upper = 1;
    bool operator==(const XRange&) const = default;
};

enum class XAxis { Step, Tokens, WallTime };
enum class ViewPreset { Live, Compare };

class Selection final : public QObject {
    Q_OBJECT

public:
    explicit Selection(QObject* parent = nullptr);

    [[nodiscard]] bool isVisible(store::RunId run) const { return !m_hidden.contains(run.value); }
    /// Drawn with the chosen experiment although it belongs to another one.
    [[nodiscard]] bool isOverlaid(store::RunId run) const { return m_overlaid.contains(run.value); }
    [[nodiscard]] const QSet<qint64>& hidden() const { return m_hidden; }
    [[nodiscard]] const QSet<qint64>& overlaid() const { return m_overlaid; }
    [[nodiscard]] store::RunId currentRun() const { return m_currentRun; }
    [[nodiscard]] store::RunId baseline() const { return m_baseline; }  // 0: the experiment's own
    [[nodiscard]] store::ExperimentId experiment() const { return m_experiment; }
    [[nodiscard]] const QStringList& layers() const { return m_layers; }     // chosen for amax and scale tracks
    [[nodiscard]] const QString& operand() const { return m_operand; }       // "grad_output"
    [[nodiscard]] std::optional<double> cursor() const { return m_cursor; }  // in units of xAxis()
    [[nodiscard]] XAxis xAxis() const { return m_xAxis; }
    [[nodiscard]] ViewPreset preset() const { return m_preset; }
    [[nodiscard]] bool follows() const { return m_follows; }                        // x range grows with the data
    [[nodiscard]] const std::optional<XRange>& xRange() const { return m_xRange; }  // nothing while it follows

    /// Another project: nothing of the old one is hidden, chosen or zoomed to any more.
    void forget();
    void setVisible(store::RunId run, bool visible);
    void setOverlaid(store::RunId run, bool overlaid);
    void setCurrentRun(store::RunId run);
    void setBaseline(store::RunId run);
    void setExperiment(store::ExperimentId experiment);
    void setLayers(const QStringList& layers);
    void setOperand(const QString& operand);
    void setCursor(std::optional<double> x);
    void setXAxis(XAxis axis);
    void setPreset(ViewPreset preset);
    void setFollows(bool follows);
    void setXRange(const std::optional<XRange>& range);

signals:
    void visibilityChanged();  // of runs, and which are overlaid
    void currentRunChanged();
    void baselineChanged();
    void experimentChanged();
    void layersChanged();  // or the operand
    void cursorChanged();
    void xAxisChanged();
    void presetChanged();
    void followsChanged();
    void xRangeChanged();

private:
    QSet<qint64> m_hidden, m_overlaid;
    store::RunId m_currentRun, m_baseline;
    store::ExperimentId m_experiment;
    QStringList m_layers;
    QString m_operand;
    std::optional<double> m_cursor;
    XAxis m_xAxis = XAxis::Step;
    ViewPreset m_preset = ViewPreset::Live;
    bool m_follows = true;
    std::optional<XRange> m_xRange;
};

}  // namespace octet::ui
