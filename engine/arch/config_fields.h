// SPDX-License-Identifier: Apache-2.0
// Typed reads from a config.json: defaults for missing keys, one error kept for the first bad value.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>

#include "engine/core/json.h"
#include "engine/core/result.h"

namespace octet::arch {

class ConfigFields {
public:
    ConfigFields(const Json& config, std::string what) : m_config(config), m_what(std::move(what)) {}

    /// A count from 1 to `most`; null counts as missing. The fallback is returned after an error too.
    int64_t count(const char* key, int64_t fallback, int64_t most = 16'777'216);
    bool flag(const char* key, bool fallback);
    std::string text(const char* key, const std::string& fallback);
    /// First entry of "architectures", or "".
    std::string architecture();
    /// num_labels, else the size of id2label, else 2: transformers' own rule.
    int64_t labels();

    [[nodiscard]] const std::optional<Error>& error() const { return m_error; }

private:
    /// The value, or nullptr when the key is missing or null.
    [[nodiscard]] const Json* find(const char* key) const;
    void wrong(const char* key, const std::string& expected, const Json& found);

    const Json& m_config;
    std::string m_what;
    std::optional<Error> m_error;
};

}  // namespace octet::arch
