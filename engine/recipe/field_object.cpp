// SPDX-License-Identifier: Apache-2.0
// Whole JSON objects read by a table of fields: levels, unknown keys, hints.
#include <fmt/format.h>

#include <algorithm>

#include "engine/core/text.h"
#include "engine/recipe/field.h"

namespace octet::recipe {
namespace {

/// Keys one level below `prefix` ("" or "te.") among all known dotted keys.
std::vector<std::string> keysBelow(const std::vector<std::string>& known, const std::string& prefix) {
    std::vector<std::string> keys;
    for (const std::string& key : known) {
        if (!key.starts_with(prefix)) continue;
        const std::string next = key.substr(prefix.size(), key.find('.', prefix.size()) - prefix.size());
        if (std::ranges::find(keys, next) == keys.end()) keys.push_back(next);
    }
    return keys;
}

class ObjectReader {
public:
    ObjectReader(const std::vector<const FieldInfo*>& fields, const std::vector<std::string>& otherKeys,
                 std::string_view what)
        : m_fields(fields), m_otherKeys(otherKeys), m_what(what), m_known(otherKeys) {
        for (const FieldInfo* field : fields)
            m_known.emplace_back(field->key);
    }

    Result<void> read(const Json& object, const std::string& prefix) {
        if (!object.is_object()) {
            const std::string place = prefix.empty() ? "" : ": " + prefix.substr(0, prefix.size() - 1);
            return Error{ErrorCode::Usage,
                         fmt::format("{}{}: expected an object, found {}.", m_what, place, jsonKind(object)), ""};
        }
        for (const auto& [key, value] : object.items()) {
            if (auto done = readKey(prefix, key, value); !done) return done;
        }
        return {};
    }

    std::vector<ReadValue> take() { return std::move(m_values); }

private:
    Result<void> readKey(const std::string& prefix, const std::string& key, const Json& value) {
        const std::string path = prefix + key;
        const bool isOneLevel = key.find('.') == std::string::npos;  // "te.margin" at the top is no path
        for (size_t i = 0; isOneLevel && i < m_fields.size(); ++i) {
            if (m_fields[i]->key != path) continue;
            auto read = fieldFromJson(*m_fields[i], value, m_what);
            if (!read) return read.error();
            m_values.push_back({i, std::move(*read)});
            return {};
        }
        if (isOneLevel && std::ranges::find(m_otherKeys, path) != m_otherKeys.end()) return {};
        const auto levels = keysBelow(m_known, prefix);
        const bool isLevel = std::ranges::find(levels, key) != levels.end();
        return isLevel ? read(value, path + ".") : unknownKey(prefix, key, levels);
    }

    Error unknownKey(const std::string& prefix, const std::string& key, const std::vector<std::string>& levels) const {
        return {ErrorCode::Usage, fmt::format("{}: unknown key \"{}{}\".", m_what, prefix, key), hintFor(key, levels)};
    }

    /// The same key elsewhere, else the nearest one here, else the nearest one anywhere.
    std::string hintFor(const std::string& key, const std::vector<std::string>& levels) const {
        std::vector<std::string> leaves;
        for (const std::string& known : m_known)
            leaves.push_back(known.substr(known.rfind('.') + 1));
        const auto pathOf = [&](const std::string& leaf) {
            return m_known[static_cast<size_t>(std::ranges::find(leaves, leaf) - leaves.begin())];
        };
        if (std::ranges::find(leaves, key) != leaves.end()) {
            const std::string path = pathOf(key);
            const size_t dot = path.rfind('.');
            return dot == std::string::npos ? "It belongs to the top level of the file."
                                            : fmt::format("Write it inside \"{}\".", path.substr(0, dot));
        }
        if (const auto nearest = nearestWord(key, levels)) return fmt::format("Did you mean \"{}\"?", *nearest);
        if (const auto nearest = nearestWord(key, leaves)) return fmt::format("Did you mean \"{}\"?", pathOf(*nearest));
        return fmt::format("Known keys here: {}.", fmt::join(levels, ", "));
    }

    const std::vector<const FieldInfo*>& m_fields;
    const std::vector<std::string>& m_otherKeys;
    std::string_view m_what;
    std::vector<std::string> m_known;
    std::vector<ReadValue> m_values;
};

}  // namespace

Result<std::vector<ReadValue>> readFields(const Json& json, const std::vector<const FieldInfo*>& fields,
                                          const std::vector<std::string>& otherKeys, std::string_view what) {
    ObjectReader reader(fields, otherKeys, what);
    if (auto done = reader.read(json, ""); !done) return done.error();
    return reader.take();
}

void putAt(Json& json, std::string_view key, Json value) {
    Json* at = &json;
    for (const std::string& part : split(key, '.'))
        at = &(*at)[part];
    *at = std::move(value);
}

}  // namespace octet::recipe
