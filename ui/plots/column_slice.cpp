// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/column_slice.h"

#include <algorithm>

namespace octet::ui {
namespace {

// First index >= from with x[index] >= value. Columns have similar widths, so the search starts with the last stride.
int64_t gallop(std::span<const double> x, int64_t from, double value, int64_t stride) {
    const auto size = static_cast<int64_t>(x.size());
    int64_t low = from, high = from;
    stride = std::max<int64_t>(stride, 1);
    while (high < size && x[static_cast<size_t>(high)] < value) {
        low = high + 1;
        high += stride;
        stride *= 2;
    }
    const auto begin = x.begin();
    return std::lower_bound(begin + low, begin + std::min(high, size), value) - begin;
}

}  // namespace

std::vector<int64_t> columnEdges(std::span<const double> x, double lower, double upper, int columns) {
    std::vector<int64_t> edges(static_cast<size_t>(columns) + 1);
    edges[0] = std::lower_bound(x.begin(), x.end(), lower) - x.begin();
    const double width = (upper - lower) / columns;
    int64_t stride = 1;
    for (int column = 1; column < columns; ++column) {
        const auto at = static_cast<size_t>(column);
        edges[at] = gallop(x, edges[at - 1], lower + column * width, stride);
        stride = edges[at] - edges[at - 1];
    }
    const auto end = std::upper_bound(x.begin() + edges[static_cast<size_t>(columns) - 1], x.end(), upper);
    edges.back() = end - x.begin();
    return edges;
}

std::vector<Column> sliceColumns(std::span<const double> x, const series::Pyramid& values, double lower, double upper,
                                 int columns) {
    x = x.first(std::min(x.size(), static_cast<size_t>(values.size())));
    const auto edges = columnEdges(x, lower, upper, columns);
    std::vector<Column> slice(static_cast<size_t>(columns));
    for (size_t column = 0; column < slice.size(); ++column) {
        const int64_t first = edges[column], last = edges[column + 1];
        slice[column] = {first, last, first < last ? values.range(first, last) : series::Extremes{}};
    }
    return slice;
}

}  // namespace octet::ui
