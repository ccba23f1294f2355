// SPDX-License-Identifier: Apache-2.0
// How a layer rule's pattern meets a module name: a glob against the whole name and, without a dot, against the last
// part; `re:` and an ECMAScript regular expression that is searched anywhere in the name.
#pragma once

#include <optional>
#include <regex>
#include <string>
#include <string_view>

#include "engine/core/result.h"

namespace octet::recipe {

enum class RuleHit {
    None,
    Whole,       // whole names or whole parts of a name
    InsidePart,  // `re:` found it only inside a longer part: mlp.gate in mlp.gate_up_proj
};

class RulePattern {
public:
    /// @param where  names the rule in the message, "layers.rules[1].match"
    [[nodiscard]] static Result<RulePattern> parse(const std::string& match, const std::string& where);

    [[nodiscard]] RuleHit hit(const std::string& name) const;

private:
    std::string m_glob;
    std::optional<std::regex> m_regex;
};

}  // namespace octet::recipe
