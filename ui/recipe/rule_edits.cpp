// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/recipe/rule_edits.h"

#include <algorithm>

#include "engine/recipe/layer_rules.h"

namespace octet::ui {
namespace {

/// With base none, a rule without wishes takes its layers into FP8.
bool asksNothing(const recipe::LayerRule& rule, recipe::LayerBase base) {
    const bool sameCasts = rule.format == recipe::RuleFormat::Inherit && rule.scaling == recipe::RuleScaling::Inherit;
    return !rule.keep && sameCasts && rule.high == recipe::LayerRule{}.high && base != recipe::LayerBase::None;
}

/// The rule for exactly `match`; a new one starts with what decides it now, so that only the asked part changes.
template <class Change>
Rules edited(const recipe::Layers& layers, const std::string& match, Change change) {
    Rules rules = layers.rules;
    auto rule = std::ranges::find(rules, match, &recipe::LayerRule::match);
    const int decides = decidingRule(rules, match);
    const bool isShadowed = rule != rules.end() && decides >= 0 && decides < rule - rules.begin();
    if (rule == rules.end() || isShadowed) {
        recipe::LayerRule fresh = decides >= 0 ? rules[static_cast<size_t>(decides)] : recipe::LayerRule{};
        fresh.match = match;
        fresh.why.clear();
        if (isShadowed) rules.erase(rule);
        rule = rules.insert(rules.begin(), fresh);
    }
    change(*rule);
    const size_t index = static_cast<size_t>(rule - rules.begin());
    if (!asksNothing(*rule, layers.base)) return rules;
    // A rule that asks nothing still decides: it stays where a later one would take its layer.
    Rules without = withoutRule(rules, index);
    return decidingRule(without, match) < 0 ? without : rules;
}

}  // namespace

int decidingRule(const Rules& rules, const std::string& name) {
    for (size_t i = 0; i < rules.size(); ++i) {
        const auto pattern = recipe::RulePattern::parse(rules[i].match, "match");
        if (pattern && pattern->hit(name) != recipe::RuleHit::None) return static_cast<int>(i);
    }
    return -1;
}

Rules withKept(const recipe::Layers& layers, const std::string& match, bool keep) {
    return edited(layers, match, [keep](recipe::LayerRule& rule) {
        rule.keep = keep;
        if (keep) rule.high = recipe::LayerRule{}.high;
    });
}

Rules withGemmHigh(const recipe::Layers& layers, const std::string& match, recipe::Gemm gemm, bool high) {
    return edited(layers, match, [gemm, high](recipe::LayerRule& rule) {
        if (rule.keep) rule.high = {true, true, true};
        rule.keep = false;
        rule.high[static_cast<size_t>(gemm)] = high;
    });
}

Rules withMoved(Rules rules, size_t from, size_t to) {
    if (from >= rules.size() || to >= rules.size()) return rules;
    recipe::LayerRule rule = std::move(rules[from]);
    rules.erase(rules.begin() + static_cast<std::ptrdiff_t>(from));
    rules.insert(rules.begin() + static_cast<std::ptrdiff_t>(to), std::move(rule));
    return rules;
}

Rules withoutRule(Rules rules, size_t index) {
    if (index < rules.size()) rules.erase(rules.begin() + static_cast<std::ptrdiff_t>(index));
    return rules;
}

std::string lastPart(const std::string& name) {
    return name.substr(name.rfind('.') + 1);
}

}  // namespace octet::ui
