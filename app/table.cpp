// SPDX-License-Identifier: Apache-2.0
#include "app/table.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "engine/core/text.h"

namespace octet::app {
namespace {

/// The code point that starts at `at`, which moves past it. Bytes that are not UTF-8 count as one letter each.
uint32_t nextCodePoint(std::string_view text, size_t& at) {
    const auto lead = static_cast<unsigned char>(text[at++]);
    const int more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0;
    uint32_t point = more == 3 ? lead & 0x07u : more == 2 ? lead & 0x0Fu : more == 1 ? lead & 0x1Fu : lead;
    for (int i = 0; i < more && at < text.size(); ++i)
        point = point << 6 | (static_cast<unsigned char>(text[at++]) & 0x3Fu);
    return point;
}

/// East Asian wide blocks, and combining marks that take no room.
int widthOf(uint32_t point) {
    static constexpr std::array<std::pair<uint32_t, uint32_t>, 7> wide{{{0x1100, 0x115F},
                                                                        {0x2E80, 0xA4CF},
                                                                        {0xAC00, 0xD7A3},
                                                                        {0xF900, 0xFAFF},
                                                                        {0xFE30, 0xFE6F},
                                                                        {0xFF00, 0xFF60},
                                                                        {0x20000, 0x3FFFD}}};
    if (point >= 0x0300 && point <= 0x036F) return 0;
    for (const auto& [first, last] : wide)
        if (point >= first && point <= last) return 2;
    return 1;
}

std::string paddedCell(const std::string& cell, int width, Table::Align align) {
    const std::string blanks(static_cast<size_t>(std::max(0, width - displayWidth(cell))), ' ');
    return align == Table::Align::Left ? cell + blanks : blanks + cell;
}

}  // namespace

int displayWidth(std::string_view text) {
    int width = 0;
    for (size_t at = 0; at < text.size();)
        width += widthOf(nextCodePoint(text, at));
    return width;
}

std::string wrappedText(std::string_view sentence, int width, int indent) {
    std::string text;
    int column = 0;
    for (const std::string& word : split(sentence, ' ')) {
        const int wide = displayWidth(word);
        const bool breaks = column > 0 && column + 1 + wide > width;
        if (breaks)
            text += "\n" + std::string(static_cast<size_t>(indent), ' ');
        else if (column > 0)
            text += ' ';
        column = (breaks ? indent : column > 0 ? column + 1 : 0) + wide;
        text += word;
    }
    return text;
}

std::string Table::text() const {
    std::vector<std::string> titles;
    for (const Column& column : m_columns)
        titles.push_back(column.title);
    std::vector<const std::vector<std::string>*> lines{&titles};
    for (const auto& row : m_rows)
        lines.push_back(&row);

    std::string out;
    std::vector<int> widths(m_columns.size(), 0);
    for (const auto* line : lines)
        for (size_t i = 0; i < widths.size(); ++i)
            widths[i] = std::max(widths[i], displayWidth((*line)[i]));
    for (const auto* line : lines) {
        std::string row;
        for (size_t i = 0; i < widths.size(); ++i)
            row += (i ? "  " : "") + paddedCell((*line)[i], widths[i], m_columns[i].align);
        row.erase(row.find_last_not_of(' ') + 1);
        out += row + "\n";
    }
    return out;
}

}  // namespace octet::app
