// SPDX-License-Identifier: GPL-3.0-or-later
// Cuts the visible part of a recording into pixel columns, exactly, whatever the spacing of its axis: a sample belongs
// to the column that its x lies in, and a column's extremes come from the pyramid.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/series/pyramid.h"

namespace octet::ui {

/// Samples of one pixel column.
struct Column {
    int64_t first = 0, last = 0;  // indices [first, last)
    series::Extremes extremes;

    [[nodiscard]] bool isEmpty() const { return first == last; }
};

/// First index of each column and, as the last entry, the end: columns + 1 entries. Column k holds the samples with x
/// in [lower + k width, lower + (k + 1) width); the last one also those at `upper`.
/// @param x  ascending, any spacing; repeated values stay together
[[nodiscard]] std::vector<int64_t> columnEdges(std::span<const double> x, double lower, double upper, int columns);

[[nodiscard]] std::vector<Column> sliceColumns(std::span<const double> x, const series::Pyramid& values, double lower,
                                               double upper, int columns);

}  // namespace octet::ui
