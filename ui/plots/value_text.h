// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers as people read them on axes and in card heads: local decimals, the same number of them over one card, powers
// of two as 2^-9, times as 1:23. Values of a Log2 card are drawn at log2(value).
#pragma once

#include <QCoreApplication>
#include <QString>

#include "ui/documents/selection.h"
#include "ui/plots/track_stack.h"

namespace octet::ui {

/// Translations of the free functions that draw the stack.
struct StackWords {
    Q_DECLARE_TR_FUNCTIONS(StackWords)
};

/// Where `value` stands on the card's y axis; -infinity for what a log axis can't show.
[[nodiscard]] double toAxis(ValueScale scale, double value);

/// Decimals that tell neighbouring values of a card apart.
/// @param span  height of the y axis, > 0
[[nodiscard]] int headDecimals(ValueScale scale, double span);
/// @param value  in the track's units; may be NaN or infinite
[[nodiscard]] QString valueText(ValueScale scale, double value, int decimals);
/// @param at  on the y axis (log2 of the value on a Log2 card)
[[nodiscard]] QString tickText(ValueScale scale, double at, double tickStep);

/// "40 NaN, 2 Inf"; empty when there are none.
[[nodiscard]] QString nonFiniteText(int64_t nans, int64_t infinities);

/// "step 1,564", "1.2 M tokens", "3:20".
[[nodiscard]] QString positionText(XAxis axis, double x);
/// The same without its unit, as on the axis.
[[nodiscard]] QString positionTickText(XAxis axis, double x, double tickStep);

}  // namespace octet::ui
