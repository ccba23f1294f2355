// SPDX-License-Identifier: GPL-3.0-or-later
// Axis tickers: round steps and round times along x, decimals, percents or powers of two along y.
#pragma once

#include "ui/plots/qcp.h"
#include "ui/plots/value_text.h"

namespace octet::ui {

class PositionTicker final : public QCPAxisTicker {
public:
    void setAxis(XAxis axis) { m_axis = axis; }

protected:
    double getTickStep(const QCPRange& range) override;
    int getSubTickCount(double) override { return 0; }
    QString getTickLabel(double tick, const QLocale&, QChar, int) override;

private:
    XAxis m_axis = XAxis::Step;
    double m_step = 1;
};

class ValueTicker final : public QCPAxisTicker {
public:
    explicit ValueTicker(ValueScale scale) : m_scale(scale) {}

protected:
    double getTickStep(const QCPRange& range) override;
    int getSubTickCount(double) override { return 0; }
    QString getTickLabel(double tick, const QLocale&, QChar, int) override;

private:
    ValueScale m_scale;
    double m_step = 1;
};

}  // namespace octet::ui
