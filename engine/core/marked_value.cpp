// SPDX-License-Identifier: Apache-2.0
#include "engine/core/marked_value.h"

#include <fmt/format.h>

#include <algorithm>

namespace octet {
namespace {

/// Walks JSON that nlohmann has already accepted, so nothing here can be out of place.
class JsonWalk {
public:
    explicit JsonWalk(std::string_view text) : m_text(text), m_lines(text) {}

    MarkedValue value() {
        skipSpace();
        if (m_text[m_at] == '{') return collection(MarkedValue::Kind::Map, '}');
        if (m_text[m_at] == '[') return collection(MarkedValue::Kind::List, ']');
        return scalar();
    }

    void skipMark() { m_at = m_text.starts_with("\xEF\xBB\xBF") ? 3 : 0; }

private:
    void skipSpace() {
        while (m_at < m_text.size() && std::string_view(" \t\r\n,:").find(m_text[m_at]) != std::string_view::npos)
            ++m_at;
    }

    MarkedValue scalar() {
        const size_t start = m_at;
        const bool quoted = m_text[m_at] == '"';
        if (quoted) {
            for (++m_at; m_text[m_at] != '"'; ++m_at)
                m_at += m_text[m_at] == '\\' ? 1 : 0;
            ++m_at;
        } else {
            while (m_at < m_text.size() && std::string_view(" \t\r\n,]}").find(m_text[m_at]) == std::string_view::npos)
                ++m_at;
        }
        using Kind = MarkedValue::Kind;
        MarkedValue marked;
        marked.quoted = quoted;
        marked.value = Json::parse(m_text.substr(start, m_at - start));
        marked.kind = quoted                             ? Kind::Text
                      : marked.value.is_boolean()        ? Kind::Boolean
                      : marked.value.is_null()           ? Kind::Null
                      : marked.value.is_number_integer() ? Kind::Integer
                                                         : Kind::Float;
        marked.text = quoted ? marked.value.get<std::string>() : std::string(m_text.substr(start, m_at - start));
        marked.place = m_lines.placeOf(start, m_at);
        return marked;
    }

    MarkedValue collection(MarkedValue::Kind kind, char closing) {
        MarkedValue marked;
        marked.kind = kind;
        const size_t start = m_at++;
        for (skipSpace(); m_text[m_at] != closing; skipSpace()) {
            if (kind == MarkedValue::Kind::Map) {
                marked.keys.push_back(scalar());
                skipSpace();
            }
            marked.items.push_back(value());
        }
        marked.place = m_lines.placeOf(start, ++m_at);
        return marked;
    }

    std::string_view m_text;
    LineIndex m_lines;
    size_t m_at = 0;
};

}  // namespace

const MarkedValue* MarkedValue::find(std::string_view key) const {
    const auto found = std::ranges::find(keys, key, &MarkedValue::text);
    return found == keys.end() ? nullptr : &items[static_cast<size_t>(found - keys.begin())];
}

const MarkedValue* MarkedValue::keyOf(std::string_view key) const {
    const auto found = std::ranges::find(keys, key, &MarkedValue::text);
    return found == keys.end() ? nullptr : &*found;
}

Json MarkedValue::json() const {
    if (kind == Kind::List) {
        Json list = Json::array();
        for (const MarkedValue& item : items)
            list.push_back(item.json());
        return list;
    }
    if (kind == Kind::Map) {
        Json map = Json::object();
        for (size_t i = 0; i < keys.size(); ++i)
            map[keys[i].text] = items[i].json();
        return map;
    }
    return value;
}

LineIndex::LineIndex(std::string_view text) : m_text(text), m_starts{0} {
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\n') m_starts.push_back(i + 1);
    }
}

TextPlace LineIndex::placeOf(size_t offset, size_t end) {
    offset = std::min(offset, m_text.size());
    const auto line = std::upper_bound(m_starts.begin(), m_starts.end(), offset) - 1;
    size_t start = *line;
    if (start == 0 && m_text.starts_with("\xEF\xBB\xBF")) start = std::min<size_t>(3, offset);
    if (m_lastOffset < start || m_lastOffset > offset) {
        m_lastOffset = start;
        m_lastCharacters = 0;
    }
    m_lastCharacters += std::count_if(m_text.begin() + static_cast<ptrdiff_t>(m_lastOffset),
                                      m_text.begin() + static_cast<ptrdiff_t>(offset),
                                      [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
    m_lastOffset = offset;
    return {static_cast<int>(line - m_starts.begin()) + 1, static_cast<int>(m_lastCharacters) + 1, offset,
            std::clamp(end, offset, m_text.size())};
}

Result<MarkedValue> parseMarkedJson(std::string_view text, std::string_view what, TextPlace* problem) {
    if (auto checked = parseJson(text, what); !checked) {
        const std::string& message = checked.error().message;
        const size_t byte = message.rfind("(byte ");
        if (problem && byte != std::string::npos) {
            const size_t offset = std::stoull(message.substr(byte + 6));
            *problem = LineIndex(text).placeOf(offset == 0 ? 0 : offset - 1, offset);
        }
        return checked.error();
    }
    JsonWalk walk(text);
    walk.skipMark();
    return walk.value();
}

}  // namespace octet
