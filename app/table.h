// SPDX-License-Identifier: Apache-2.0
// Aligned columns for people. Numbers go right, words left; wide (Korean, Japanese, Chinese) letters count two columns.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace octet::app {

/// Terminal columns of UTF-8 text.
[[nodiscard]] int displayWidth(std::string_view text);

/// Breaks a sentence between words at `width` columns; the lines after the first are indented.
[[nodiscard]] std::string wrappedText(std::string_view sentence, int width, int indent = 2);

class Table {
public:
    enum class Align { Left, Right };
    struct Column {
        std::string title;
        Align align = Align::Left;
    };

    explicit Table(std::vector<Column> columns) : m_columns(std::move(columns)) {}

    /// One cell for each column.
    void addRow(std::vector<std::string> cells) { m_rows.push_back(std::move(cells)); }

    /// Title row, then the rows; two spaces between columns, none at line ends.
    [[nodiscard]] std::string text() const;

private:
    std::vector<Column> m_columns;
    std::vector<std::vector<std::string>> m_rows;
};

}  // namespace octet::app
