// SPDX-License-Identifier: Apache-2.0
#include "engine/arch/config_fields.h"

#include <fmt/format.h>

#include "engine/core/text.h"

namespace octet::arch {

const Json* ConfigFields::find(const char* key) const {
    const auto found = m_config.find(key);
    return found == m_config.end() || found->is_null() ? nullptr : &*found;
}

void ConfigFields::wrong(const char* key, const std::string& expected, const Json& found) {
    if (m_error) return;
    const std::string shown = found.is_structured() ? jsonKind(found) : found.dump();
    m_error = Error{ErrorCode::Usage, fmt::format("{}: {}: expected {}, found {}.", m_what, key, expected, shown),
                    "Take the config.json as Hugging Face saved it."};
}

int64_t ConfigFields::count(const char* key, int64_t fallback, int64_t most) {
    const Json* value = find(key);
    if (!value) return fallback;
    if (value->is_number_integer() && value->get<int64_t>() >= 1 && value->get<int64_t>() <= most) {
        return value->get<int64_t>();
    }
    wrong(key, fmt::format("a whole number from 1 to {}", groupedDigits(most)), *value);
    return fallback;
}

bool ConfigFields::flag(const char* key, bool fallback) {
    const Json* value = find(key);
    if (!value) return fallback;
    if (value->is_boolean()) return value->get<bool>();
    wrong(key, "true or false", *value);
    return fallback;
}

std::string ConfigFields::text(const char* key, const std::string& fallback) {
    const Json* value = find(key);
    if (!value) return fallback;
    if (value->is_string()) return value->get<std::string>();
    wrong(key, "a text", *value);
    return fallback;
}

std::string ConfigFields::architecture() {
    const Json* list = find("architectures");
    if (!list) return {};
    if (list->is_array() && !list->empty() && list->front().is_string()) return list->front().get<std::string>();
    wrong("architectures", "a list of class names", *list);
    return {};
}

int64_t ConfigFields::labels() {
    if (find("num_labels")) return count("num_labels", 2);
    const Json* names = find("id2label");
    if (!names) return 2;
    if (names->is_object() && !names->empty()) return static_cast<int64_t>(names->size());
    wrong("id2label", "an object with a name for each label", *names);
    return 2;
}

}  // namespace octet::arch
