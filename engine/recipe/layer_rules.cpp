// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/layer_rules.h"

#include <fmt/format.h>

#include "engine/core/text.h"

namespace octet::recipe {
namespace {

constexpr std::string_view kRegexPrefix = "re:";
constexpr size_t kLongestPattern = 1'000;  // std::regex recurses over the pattern

bool endsPart(const std::string& name, size_t at) {
    return at == name.size() || name[at] == '.';
}

}  // namespace

Result<RulePattern> RulePattern::parse(const std::string& match, const std::string& where) {
    if (match.empty() || match == kRegexPrefix) {
        return Error{
            ErrorCode::Usage, fmt::format("{}: expected a pattern, found an empty one.", where),
            "Write a layer name such as \"lm_head\", a pattern such as \"*.mlp.*\", or re: and a regular expression."};
    }
    if (match.size() > kLongestPattern) {
        return Error{ErrorCode::Usage,
                     fmt::format("{}: expected a pattern of at most {} characters, found {}.", where, kLongestPattern,
                                 match.size()),
                     "Split it into several rules."};
    }
    RulePattern pattern;
    if (!match.starts_with(kRegexPrefix)) {
        pattern.m_glob = match;
        return pattern;
    }
    try {
        pattern.m_regex.emplace(match.substr(kRegexPrefix.size()), std::regex::ECMAScript);
    } catch (const std::regex_error& failure) {
        return Error{ErrorCode::Usage,
                     fmt::format("{}: \"{}\" is not a regular expression: {}.", where, match, failure.what()),
                     "ECMAScript syntax is expected; a dot in a name is written \\."};
    }
    return pattern;
}

RuleHit RulePattern::hit(const std::string& name) const {
    if (!m_regex) {
        const bool matched = globMatches(m_glob, name) || (m_glob.find('.') == std::string::npos &&
                                                           globMatches(m_glob, name.substr(name.rfind('.') + 1)));
        return matched ? RuleHit::Whole : RuleHit::None;
    }
    RuleHit best = RuleHit::None;
    for (auto found = std::sregex_iterator(name.begin(), name.end(), *m_regex); found != std::sregex_iterator();
         ++found) {
        const auto start = static_cast<size_t>(found->position());
        const size_t end = start + static_cast<size_t>(found->length());
        const bool startsPart = start == 0 || name[start - 1] == '.' || name[start] == '.';
        const bool wholeParts = startsPart && (endsPart(name, end) || (end > 0 && name[end - 1] == '.'));
        if (wholeParts) return RuleHit::Whole;
        best = RuleHit::InsidePart;
    }
    return best;
}

}  // namespace octet::recipe
