// SPDX-License-Identifier: Apache-2.0
// A value out of a text file with the place where it stands, so that a finding can name line and column and a repair
// can change just those bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/core/json.h"

namespace octet {

/// Line and column count from 1, columns in characters; the bytes are [offset, end) of the text as it was given.
struct TextPlace {
    int line = 0;
    int column = 0;
    size_t offset = 0;
    size_t end = 0;
};

struct MarkedValue {
    enum class Kind { Null, Boolean, Integer, Float, Text, Date, List, Map };
    Kind kind = Kind::Null;
    std::string text;                // scalars: as written, without quotes and escapes
    bool quoted = false;             // a quoted or block scalar, which is text whatever it looks like
    Json value;                      // scalars: null, boolean, number or text
    TextPlace place;                 // for a list or map: to the end of its last scalar
    std::vector<MarkedValue> keys;   // Map: one for each item
    std::vector<MarkedValue> items;  // List and Map

    /// The item under this text key; nullptr when there is none.
    [[nodiscard]] const MarkedValue* find(std::string_view key) const;
    [[nodiscard]] const MarkedValue* keyOf(std::string_view key) const;

    /// Without places: keys as text, dates as text.
    [[nodiscard]] Json json() const;
};

/// What a syntax error knows beside its sentence.
struct TextProblem {
    Error error;
    TextPlace place;
};

/// Finds line and column of byte offsets.
class LineIndex {
public:
    explicit LineIndex(std::string_view text);
    [[nodiscard]] TextPlace placeOf(size_t offset, size_t end);

private:
    std::string_view m_text;
    std::vector<size_t> m_starts;
    size_t m_lastOffset = 0;  // counting goes on from here in the same line, so that one long line stays cheap
    ptrdiff_t m_lastCharacters = 0;
};

/// Reads JSON with places; a key that comes twice is an error.
/// @param problem  where the error is, if it is one
[[nodiscard]] Result<MarkedValue> parseMarkedJson(std::string_view text, std::string_view what,
                                                  TextPlace* problem = nullptr);

}  // namespace octet
