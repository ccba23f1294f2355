// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/layer_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/arch/te_conversion.h"
#include "engine/recipe/layer_rules.h"
#include "engine/recipe/schema.h"
#include "engine/recipe/te_library.h"

namespace octet::recipe {
namespace {

using arch::Module;
using arch::ModuleKind;

constexpr std::array<bool, 3> kAll{true, true, true};
constexpr std::array<bool, 3> kNoGemm{false, false, false};

/// What the base says of one Linear before any rule.
struct BaseDecision {
    bool fp8 = false;
    bool possible = false;  // te.Linear can run this shape
    std::string reason;
};

/// te.Linear's FP8 GEMMs need both widths to be multiples of 16 (Transformer Engine, pytorch/utils.py).
std::string shapeProblem(const Module& linear) {
    for (const auto& [width, side] :
         {std::pair(linear.outFeatures(), "outputs"), std::pair(linear.inFeatures(), "inputs")}) {
        if (width % 16 != 0) {
            return fmt::format("High precision: te.Linear cannot run it in FP8, {} {} are not a multiple of 16.", width,
                               side);
        }
    }
    return {};
}

Result<std::vector<BaseDecision>> baseDecisions(const Recipe& recipe, const std::vector<Module>& modules) {
    std::vector<BaseDecision> decisions;
    if (recipe.layers.base == LayerBase::Accelerate) {
        const arch::TeConversion conversion = arch::convertForTe(modules);
        if (conversion.failure) {
            return Error{ErrorCode::Refused,
                         fmt::format("{} ({})", conversion.failure->message, conversion.failure->type),
                         "Set layers.base to all to choose the layers without Accelerate's conversion."};
        }
        for (size_t i = 0; i < modules.size(); ++i) {
            if (modules[i].kind != ModuleKind::Linear) continue;
            const arch::TeDecision& decision = conversion.decisions[i];
            decisions.push_back({decision.converted, shapeProblem(modules[i]).empty(),
                                 (decision.converted ? "FP8: " : "High precision: ") + decision.reason});
        }
        return decisions;
    }
    const bool all = recipe.layers.base == LayerBase::All;
    for (const Module& linear : arch::linearsOf(modules)) {
        const std::string problem = shapeProblem(linear);
        const bool fp8 = all && problem.empty();
        std::string reason =
            fp8 ? "FP8: layers.base is all." : "High precision: layers.base is none and no rule names it.";
        decisions.push_back({fp8, problem.empty(), all && !fp8 ? problem : reason});
    }
    return decisions;
}

/// One rule with its pattern and what it met.
struct RuleTally {
    RulePattern pattern;
    size_t hits = 0;
    size_t decided = 0;
    std::vector<std::string> insideLonger;
};

Result<std::vector<RuleTally>> parseRules(const std::vector<LayerRule>& rules) {
    std::vector<RuleTally> tallies;
    for (size_t i = 0; i < rules.size(); ++i) {
        auto pattern = RulePattern::parse(rules[i].match, fmt::format("layers.rules[{}].match", i));
        if (!pattern) return pattern.error();
        tallies.push_back({std::move(*pattern), 0, 0, {}});
    }
    return tallies;
}

/// Counts every hit and returns the index of the first rule that matches.
std::optional<size_t> firstMatch(std::vector<RuleTally>& tallies, const std::string& name) {
    std::optional<size_t> first;
    for (size_t i = 0; i < tallies.size(); ++i) {
        const RuleHit hit = tallies[i].pattern.hit(name);
        if (hit == RuleHit::None) continue;
        ++tallies[i].hits;
        if (hit == RuleHit::InsidePart) tallies[i].insideLonger.push_back(name);
        if (!first) {
            first = i;
            ++tallies[i].decided;
        }
    }
    return first;
}

std::string because(const LayerRule& rule) {
    return rule.why.empty() ? "." : fmt::format(": {}.", rule.why);
}

void applyRule(const LayerRule& rule, size_t index, const BaseDecision& base, LayerBase kind, const Module& linear,
               LayerPlan& plan) {
    const std::string label = fmt::format("rule {} ({})", index + 1, rule.match);
    if (rule.keep || rule.high == kAll) {
        plan.fp8 = kNoGemm;
        plan.reason = fmt::format("High precision: {} keeps it{}", label, because(rule));
        return;
    }
    if (kind == LayerBase::None) {
        plan.fp8 = base.possible ? kAll : kNoGemm;
        plan.reason = base.possible ? fmt::format("FP8: {} takes it{}", label, because(rule)) : shapeProblem(linear);
    }
    if (rule.high == kNoGemm || plan.fp8 == kNoGemm) return;
    for (size_t g = 0; g < plan.fp8.size(); ++g)
        plan.fp8[g] = plan.fp8[g] && !rule.high[g];
    plan.reason = fmt::format("FP8 in {}: {} keeps {} in high precision{}", gemmsText(plan.fp8), label,
                              gemmsText(rule.high), because(rule));
}

void applyOverride(const Recipe& recipe, LayerPlan& plan) {
    const auto& high = recipe.te.overrideLinearPrecision;
    if (recipe.semantics != Semantics::Documented || high == kNoGemm || plan.fp8 == kNoGemm) return;
    for (size_t g = 0; g < high.size(); ++g)
        plan.fp8[g] = plan.fp8[g] && !high[g];
    if (plan.fp8 == kNoGemm) {
        plan.reason = "High precision: override_linear_precision keeps what the rules left in FP8.";
    } else {
        plan.reason +=
            fmt::format(" override_linear_precision keeps {} in high precision, as documented.", gemmsText(high));
    }
}

std::string noHitNote(const std::string& label, const LayerRule& rule, const std::vector<Module>& linears) {
    std::string note = fmt::format("{} matches no Linear of this model", label);
    const bool isGlob = !rule.match.starts_with("re:");
    const auto wider = RulePattern::parse("*." + rule.match, label);
    if (!isGlob || !wider) return note + ".";
    const auto hits =
        std::ranges::count_if(linears, [&](const Module& m) { return wider->hit(m.name) != RuleHit::None; });
    if (hits == 0) return note + ".";
    return note + fmt::format(": a pattern with a dot must cover the whole name; *.{} matches {}.", rule.match, hits);
}

std::vector<std::string> ruleNotes(const Recipe& recipe, const std::vector<RuleTally>& tallies,
                                   const std::vector<Module>& linears) {
    std::vector<std::string> notes;
    for (size_t i = 0; i < tallies.size(); ++i) {
        const LayerRule& rule = recipe.layers.rules[i];
        const RuleTally& tally = tallies[i];
        const std::string label = fmt::format("Rule {} ({})", i + 1, rule.match);
        if (tally.hits == 0) {
            notes.push_back(noHitNote(label, rule, linears));
        } else if (tally.decided == 0) {
            notes.push_back(
                fmt::format("{} decides nothing: earlier rules take all its layers ({}).", label, tally.hits));
        }
        if (!tally.insideLonger.empty()) {
            notes.push_back(fmt::format("{} matches {} of its {} layers only as part of a longer name, first {}.",
                                        label, tally.insideLonger.size(), tally.hits, tally.insideLonger.front()));
        }
    }
    return notes;
}

void noteShapes(const Recipe& recipe, const std::vector<BaseDecision>& base, std::vector<std::string>& notes) {
    const auto bad = std::ranges::count_if(base, [](const BaseDecision& decision) { return !decision.possible; });
    if (recipe.layers.base != LayerBase::All || bad == 0) return;
    notes.push_back(
        fmt::format("{} of {} Linears stay in high precision although layers.base is all: their widths are not "
                    "multiples of 16.",
                    bad, base.size()));
}

}  // namespace

Result<LayerPlans> planLayers(const Recipe& recipe, const std::vector<Module>& modules) {
    auto tallies = parseRules(recipe.layers.rules);
    if (!tallies) return tallies.error();
    const auto base = baseDecisions(recipe, modules);
    if (!base) return base.error();
    const std::vector<Module> linears = arch::linearsOf(modules);
    LayerPlans plans;
    for (size_t i = 0; i < linears.size(); ++i) {
        const Module& linear = linears[i];
        LayerPlan plan{
            linear.name,      linear.outFeatures(), linear.inFeatures(), false, (*base)[i].fp8 ? kAll : kNoGemm,
            (*base)[i].reason};
        if (const auto rule = firstMatch(*tallies, linear.name)) {
            applyRule(recipe.layers.rules[*rule], *rule, (*base)[i], recipe.layers.base, linear, plan);
        }
        applyOverride(recipe, plan);
        plan.converted = plan.fp8 != kNoGemm;
        plans.layers.push_back(std::move(plan));
    }
    plans.notes = ruleNotes(recipe, *tallies, linears);
    noteShapes(recipe, *base, plans.notes);
    return plans;
}

}  // namespace octet::recipe
