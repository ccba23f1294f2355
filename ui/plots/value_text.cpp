// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/value_text.h"

#include <QLocale>
#include <algorithm>
#include <cmath>
#include <limits>

namespace octet::ui {
namespace {

// Decimals that show a step of this size.
int decimalsOf(double step) {
    if (!(step > 0)) return 0;
    return std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-6)), 0, 12);
}

// -0.0 and what rounds to it are written as 0.
QString fixed(double value, int decimals) {
    if (std::fabs(value) < 0.5 * std::pow(10.0, -decimals)) value = 0;
    return QLocale().toString(value, 'f', decimals);
}

QString plain(double value, int decimals) {
    const double size = std::fabs(value);
    if (decimals > 6 || size >= 1e7) return QLocale().toString(value, 'g', 5);
    return fixed(value, decimals);
}

QString clock(double seconds, int decimals) {
    const bool negative = seconds < 0;
    seconds = std::fabs(seconds);
    if (decimals == 0) seconds = std::round(seconds);
    const auto whole = static_cast<int64_t>(seconds);
    const auto two = [](int64_t number) { return QStringLiteral("%1").arg(number, 2, 10, QLatin1Char('0')); };
    QString last = two(whole % 60);
    if (decimals > 0) last += fixed(seconds - static_cast<double>(whole), decimals).mid(1);
    const QString sign = negative ? QStringLiteral("-") : QString();
    if (whole < 3600) return sign + QString::number(whole / 60) + QLatin1Char(':') + last;
    return sign + QString::number(whole / 3600) + QLatin1Char(':') + two(whole / 60 % 60) + QLatin1Char(':') + last;
}

// 1,200,000 as 1.2 M; `step` says how fine the number must be.
QString shortCount(double value, double step) {
    const double size = std::max(std::fabs(value), step);
    const auto scaled = [&](double unit, const char* letter) {
        return fixed(value / unit, decimalsOf(step / unit)) + QStringLiteral(" ") + QLatin1String(letter);
    };
    if (size >= 1e9) return scaled(1e9, "G");
    if (size >= 1e6) return scaled(1e6, "M");
    return fixed(value, decimalsOf(step));
}

}  // namespace

double toAxis(ValueScale scale, double value) {
    if (scale != ValueScale::Log2) return value;
    return value > 0 ? std::log2(value) : -std::numeric_limits<double>::infinity();
}

int headDecimals(ValueScale scale, double span) {
    if (scale == ValueScale::Log2) return 1;
    return decimalsOf(span / 1000);
}

QString valueText(ValueScale scale, double value, int decimals) {
    if (std::isnan(value)) return QStringLiteral("NaN");
    if (std::isinf(value)) return value > 0 ? QStringLiteral("+Inf") : QStringLiteral("-Inf");
    if (scale == ValueScale::Log2) {
        if (value == 0) return QStringLiteral("0");
        const QString sign = value < 0 ? QStringLiteral("-") : QString();
        return sign + QStringLiteral("2^") + fixed(std::log2(std::fabs(value)), decimals);
    }
    return plain(value, decimals) + (scale == ValueScale::Percent ? QStringLiteral(" %") : QString());
}

QString tickText(ValueScale scale, double at, double tickStep) {
    const int decimals = decimalsOf(tickStep);
    if (scale == ValueScale::Log2) return QStringLiteral("2^") + fixed(at, decimals);
    if (std::fabs(at) < tickStep * 1e-6) at = 0;
    return plain(at, decimals) + (scale == ValueScale::Percent ? QStringLiteral(" %") : QString());
}

QString nonFiniteText(int64_t nans, int64_t infinities) {
    QStringList parts;
    if (nans > 0) parts << QLocale().toString(static_cast<qlonglong>(nans)) + QStringLiteral(" NaN");
    if (infinities > 0) parts << QLocale().toString(static_cast<qlonglong>(infinities)) + QStringLiteral(" Inf");
    return parts.join(QStringLiteral(", "));
}

QString positionText(XAxis axis, double x) {
    if (axis == XAxis::Step) return StackWords::tr("step %1").arg(fixed(x, x == std::floor(x) ? 0 : 2));
    if (axis == XAxis::Tokens) return StackWords::tr("%1 tokens").arg(shortCount(x, std::fabs(x) >= 1e6 ? 1e4 : 1));
    return clock(x, 1);
}

QString positionTickText(XAxis axis, double x, double tickStep) {
    if (axis == XAxis::WallTime) return clock(x, decimalsOf(tickStep));
    return shortCount(x, tickStep);
}

}  // namespace octet::ui
