// SPDX-License-Identifier: Apache-2.0
#include "engine/core/yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>

namespace octet {
namespace {

using Kind = MarkedValue::Kind;

/// An alias may repeat a part of the file, but not let a few lines grow to millions of values.
constexpr size_t kMostValues = 20'000;

/// Leaves the event handler; parseYaml turns it into an Error.
struct Stop {
    size_t offset;
    std::string message;  // after "line 3, column 5: "
    std::string hint;
};

size_t endOfQuoted(std::string_view text, size_t at) {
    const char quote = text[at];
    for (++at; at < text.size(); ++at) {
        if (text[at] == '\\' && quote == '"') {
            ++at;
        } else if (text[at] == quote) {
            const bool doubled = quote == '\'' && at + 1 < text.size() && text[at + 1] == quote;
            if (!doubled) return at + 1;
            ++at;
        }
    }
    return text.size();
}

/// The rest of the line and every line that is indented deeper than the line the block starts in.
size_t endOfBlock(std::string_view text, size_t at) {
    const size_t lineStart = text.rfind('\n', at) == std::string_view::npos ? 0 : text.rfind('\n', at) + 1;
    const size_t indent = std::min(text.find_first_not_of(' ', lineStart), at) - lineStart;
    size_t end = std::min(text.find('\n', at), text.size());
    while (end < text.size()) {
        const size_t start = end + 1, next = std::min(text.find('\n', start), text.size());
        const size_t letter = text.find_first_not_of(' ', start);
        const bool blank = letter >= next || text[letter] == '\r';
        if (!blank && letter - start <= indent) break;
        end = next;
    }
    return end;
}

size_t endOfPlain(std::string_view text, size_t at, bool inFlow) {
    size_t end = at;
    for (; end < text.size() && text[end] != '\n' && text[end] != '\r'; ++end) {
        const char c = text[end], next = end + 1 < text.size() ? text[end + 1] : '\n';
        if (c == ':' && (next == ' ' || next == '\n' || next == '\r')) break;
        if (c == ' ' && next == '#') break;
        if (inFlow && std::string_view(",[]{}").find(c) != std::string_view::npos) break;
    }
    while (end > at && text[end - 1] == ' ')
        --end;
    return end;
}

bool isBlockStart(char c) {
    return c == '|' || c == '>';
}

/// Builds the tree out of yaml-cpp's events. Offsets are bytes of the text without its byte order mark.
class TreeBuilder final : public YAML::EventHandler {
public:
    TreeBuilder(std::string_view text, LineIndex& lines, size_t skipped)
        : m_text(text), m_lines(lines), m_skipped(skipped) {}

    MarkedValue take() { return m_root ? std::move(*m_root) : MarkedValue{}; }
    /// Bytes of quoted and block scalars, where tabs and # mean themselves.
    [[nodiscard]] const std::vector<std::pair<size_t, size_t>>& quotedParts() const { return m_quoted; }

    void OnDocumentStart(const YAML::Mark& mark) override {
        if (m_root) throw Stop{offsetOf(mark), "a second document starts here", "Keep one document in the file."};
    }
    void OnDocumentEnd() override {}

    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        MarkedValue value;
        const size_t at = offsetOf(mark);
        const size_t end = endOfPlain(m_text, at, inFlow());
        const std::string_view written = m_text.substr(at, end - at);
        const bool isWritten = written == "~" || written == "null" || written == "Null" || written == "NULL";
        value.place = place(at, isWritten ? end : at);
        if (isWritten) value.text = std::string(written);
        finish(std::move(value), anchor);
    }

    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        const auto known = m_anchors.find(anchor);
        const size_t at = offsetOf(mark);
        if (known == m_anchors.end()) throw Stop{at, "an alias stands inside its own anchor", "Write the value out."};
        count(at, known->second.second);
        MarkedValue copy = known->second.first;
        copy.place = place(at, endOfPlain(m_text, at, inFlow()));
        add(std::move(copy));
    }

    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& text) override {
        const size_t at = skipProperties(offsetOf(mark));
        count(at, 1);
        MarkedValue value;
        value.text = text;
        const char first = at < m_text.size() ? m_text[at] : ' ';
        value.quoted = first == '"' || first == '\'' || isBlockStart(first);
        const size_t end = isBlockStart(first) ? endOfBlock(m_text, at)
                           : value.quoted      ? endOfQuoted(m_text, at)
                                               : endOfPlain(m_text, at, inFlow());
        if (value.quoted && !isBlockStart(first) && (end < at + 2 || m_text[end - 1] != first))
            throw Stop{at, "not valid YAML, this quote is never closed", "Close it."};
        if (value.quoted) m_quoted.emplace_back(at, end);
        value.place = place(at, end);
        setType(value, tag, at);
        finish(std::move(value), anchor);
    }

    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value style) override {
        open(Kind::List, mark, tag, anchor, style);
    }
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value style) override {
        open(Kind::Map, mark, tag, anchor, style);
    }
    void OnSequenceEnd() override { close(); }
    void OnMapEnd() override { close(); }

private:
    struct Open {
        MarkedValue value;
        YAML::anchor_t anchor;
        bool flow;
        bool wantsKey = true;
        size_t countBefore;
    };

    [[nodiscard]] size_t offsetOf(const YAML::Mark& mark) const {
        return std::min(static_cast<size_t>(std::max(mark.pos, 0)), m_text.size());
    }
    [[nodiscard]] TextPlace place(size_t at, size_t end) { return m_lines.placeOf(at + m_skipped, end + m_skipped); }
    [[nodiscard]] bool inFlow() const { return !m_open.empty() && m_open.back().flow; }

    void count(size_t at, size_t values) {
        m_count += values;
        if (m_count > kMostValues) {
            throw Stop{at,
                       fmt::format("the file holds more than {} values once its aliases are filled in", kMostValues),
                       "A configuration needs a few dozen; write it without nested aliases."};
        }
    }

    /// An anchor or a tag stands before its value.
    [[nodiscard]] size_t skipProperties(size_t at) const {
        while (at < m_text.size() && (m_text[at] == '&' || m_text[at] == '!')) {
            at = std::min(m_text.find_first_of(" \n", at), m_text.size());
            at = std::min(m_text.find_first_not_of(" \r\n", at), m_text.size());
        }
        return at;
    }

    static void setType(MarkedValue& value, const std::string& tag, size_t at) {
        static const std::map<std::string, Kind> known{{"tag:yaml.org,2002:str", Kind::Text},
                                                       {"tag:yaml.org,2002:int", Kind::Integer},
                                                       {"tag:yaml.org,2002:float", Kind::Float},
                                                       {"tag:yaml.org,2002:bool", Kind::Boolean},
                                                       {"tag:yaml.org,2002:null", Kind::Null}};
        const bool isPlain = !value.quoted && tag != "!";
        const YamlScalar typed = isPlain ? typedScalar(value.text) : YamlScalar{Kind::Text, value.text};
        value.kind = typed.kind;
        value.value = typed.value;
        if (tag.empty() || tag == "!" || tag == "?") return;
        const auto asked = known.find(tag);
        const YamlScalar inside = typedScalar(value.text);
        if (asked == known.end() || (asked->second != Kind::Text && asked->second != inside.kind)) {
            throw Stop{at,
                       fmt::format("the tag {} on \"{}\" is not plain YAML; PyYAML's safe loader stops on it", tag,
                                   value.text),
                       "Remove the tag."};
        }
        value.kind = asked->second;
        value.value = value.kind == Kind::Text ? Json(value.text) : inside.value;
    }

    void open(Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
              YAML::EmitterStyle::value style) {
        const size_t at = skipProperties(offsetOf(mark));
        count(at, 1);
        if (!tag.empty() && tag != "?" && tag != "tag:yaml.org,2002:map" && tag != "tag:yaml.org,2002:seq") {
            throw Stop{at, fmt::format("the tag {} is not plain YAML; PyYAML's safe loader stops on it", tag),
                       "Remove the tag."};
        }
        Open entry{{}, anchor, style == YAML::EmitterStyle::Flow || inFlow(), true, m_count};
        entry.value.kind = kind;
        entry.value.place = place(at, at);
        m_open.push_back(std::move(entry));
    }

    void close() {
        Open entry = std::move(m_open.back());
        m_open.pop_back();
        MarkedValue& value = entry.value;
        for (const MarkedValue& item : value.items)
            value.place.end = std::max(value.place.end, item.place.end);
        if (value.kind == Kind::Map) mergeInto(value);
        finish(std::move(value), entry.anchor, m_count - entry.countBefore + 1);
    }

    /// "<<: *base": the other map's keys, where this one has none.
    static void mergeInto(MarkedValue& map) {
        const auto isMerge = [](const MarkedValue& key) { return key.text == "<<" && !key.quoted; };
        const auto found = std::ranges::find_if(map.keys, isMerge);
        if (found == map.keys.end()) return;
        const size_t index = static_cast<size_t>(found - map.keys.begin());
        const MarkedValue source = std::move(map.items[index]);
        const size_t at = found->place.offset;
        map.keys.erase(found);
        map.items.erase(map.items.begin() + static_cast<ptrdiff_t>(index));
        const std::vector<MarkedValue> several =
            source.kind == Kind::List ? source.items : std::vector<MarkedValue>{source};
        for (const MarkedValue& other : several) {
            if (other.kind != Kind::Map) throw Stop{at, "\"<<\" merges maps only", "Write the keys out."};
            for (size_t i = 0; i < other.keys.size(); ++i) {
                if (map.find(other.keys[i].text)) continue;
                map.keys.push_back(other.keys[i]);
                map.items.push_back(other.items[i]);
            }
        }
    }

    void finish(MarkedValue value, YAML::anchor_t anchor, size_t values = 1) {
        if (anchor != 0) m_anchors[anchor] = {value, values};
        add(std::move(value));
    }

    void add(MarkedValue value) {
        if (m_open.empty()) {
            m_root = std::move(value);
            return;
        }
        Open& parent = m_open.back();
        if (parent.value.kind == Kind::Map && parent.wantsKey) {
            checkKey(parent.value, value);
            parent.value.keys.push_back(std::move(value));
        } else {
            parent.value.items.push_back(std::move(value));
        }
        parent.wantsKey = !parent.wantsKey;
    }

    void checkKey(const MarkedValue& map, const MarkedValue& key) const {
        const size_t at = key.place.offset - m_skipped;
        if (key.kind == Kind::List || key.kind == Kind::Map) {
            throw Stop{at, "a list or a map cannot be a key", "Write the key as text."};
        }
        const auto twin = std::ranges::find_if(map.keys, [&](const MarkedValue& other) {
            return other.kind == key.kind &&
                   (other.text == key.text || (other.value == key.value && !key.value.is_string()));
        });
        if (twin != map.keys.end()) {
            throw Stop{at,
                       fmt::format("the key \"{}\" stands here and in line {}; PyYAML would silently take the last one",
                                   key.text, twin->place.line),
                       "Keep one of the two."};
        }
    }

    std::string_view m_text;
    LineIndex& m_lines;
    size_t m_skipped;
    std::optional<MarkedValue> m_root;
    std::vector<Open> m_open;
    std::map<YAML::anchor_t, std::pair<MarkedValue, size_t>> m_anchors;
    std::vector<std::pair<size_t, size_t>> m_quoted;
    size_t m_count = 0;
};

/// A tab that is neither in quotes, in a block scalar nor in a comment: PyYAML finds no token there.
std::optional<size_t> strayTab(std::string_view text, std::vector<std::pair<size_t, size_t>> quoted) {
    std::ranges::sort(quoted);
    auto next = quoted.begin();
    for (size_t at = 0; at < text.size(); ++at) {
        while (next != quoted.end() && next->second <= at)
            ++next;
        if (next != quoted.end() && at >= next->first) {
            at = next->second - 1;
            continue;
        }
        const bool comment = text[at] == '#' && (at == 0 || text[at - 1] == ' ' || text[at - 1] == '\n');
        if (comment) at = std::min(text.find('\n', at), text.size());
        if (at < text.size() && text[at] == '\t') return at;
    }
    return std::nullopt;
}

std::optional<Stop> badBytes(std::string_view text) {
    for (size_t at = 0; at < text.size(); ++at) {
        const unsigned char c = static_cast<unsigned char>(text[at]);
        const bool loneReturn = c == '\r' && (at + 1 == text.size() || text[at + 1] != '\n');
        if (loneReturn && at + 1 < text.size())
            return Stop{at, "a carriage return stands alone", "End lines with LF or CRLF."};
        if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F)
            return Stop{at, fmt::format("the control character 0x{:02X} is not allowed in YAML", c), "Remove it."};
    }
    return std::nullopt;
}

constexpr const char* kTabHint = "Use spaces: YAML allows no tab between tokens.";

}  // namespace

size_t firstNonUtf8(std::string_view text) {
    const auto byte = [&](size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0u; };
    const auto follows = [&](size_t at) { return (byte(at) & 0xC0u) == 0x80u; };
    for (size_t at = 0; at < text.size();) {
        const unsigned first = byte(at);
        size_t length = first < 0x80 ? 1 : first >= 0xC2 && first < 0xE0 ? 2 : first >= 0xE0 && first < 0xF0 ? 3 : 4;
        if (first >= 0x80 && (first < 0xC2 || first > 0xF4)) return at;
        for (size_t i = 1; i < length; ++i) {
            if (!follows(at + i)) return at;
        }
        const unsigned second = byte(at + 1);
        if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) || (first == 0xF0 && second < 0x90) ||
            (first == 0xF4 && second > 0x8F))
            return at;
        at += length;
    }
    return std::string_view::npos;
}

Result<MarkedValue> parseYaml(std::string_view text, std::string_view what, TextPlace* problem) {
    if (text.size() > kYamlLimit) {
        return Error{
            ErrorCode::Usage,
            fmt::format("{} has {} bytes; a configuration of at most {} is read.", what, text.size(), kYamlLimit),
            "Pass the configuration file itself."};
    }
    LineIndex lines(text);
    const size_t skipped = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
    const std::string_view body = text.substr(skipped);
    const auto fail = [&](const Stop& stop) {
        const TextPlace place = lines.placeOf(stop.offset + skipped, stop.offset + skipped);
        if (problem) *problem = place;
        return Error{ErrorCode::Usage,
                     fmt::format("{}, line {}, column {}: {}.", what, place.line, place.column, stop.message),
                     stop.hint};
    };
    if (const size_t bad = firstNonUtf8(text); bad != std::string_view::npos) {
        const TextPlace place = lines.placeOf(bad, bad);
        if (problem) *problem = place;
        return Error{ErrorCode::Usage, fmt::format("{} is not UTF-8 at byte {} (line {}).", what, bad, place.line),
                     "Save it as UTF-8; if it is Korean text from Windows, read it with --encoding cp949."};
    }
    if (const auto bad = badBytes(body)) return fail(*bad);
    TreeBuilder builder(body, lines, skipped);
    try {
        std::istringstream stream{std::string(body)};
        YAML::Parser parser(stream);
        while (parser.HandleNextDocument(builder)) {
        }
    } catch (const Stop& stop) {
        return fail(stop);
    } catch (const YAML::Exception& failure) {
        const auto tab = strayTab(body, builder.quotedParts());
        const size_t at = failure.mark.is_null() ? 0 : static_cast<size_t>(failure.mark.pos);
        if (tab && *tab <= at) return fail({*tab, "a tab stands where spaces are expected", kTabHint});
        return fail({at, "not valid YAML, " + failure.msg, "Check indentation, quotes and brackets there."});
    }
    if (const auto tab = strayTab(body, builder.quotedParts()))
        return fail({*tab, "a tab stands where spaces are expected", kTabHint});
    return builder.take();
}

}  // namespace octet
