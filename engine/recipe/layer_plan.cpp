// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/layer_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/recipe/ao_config.h"
#include "engine/recipe/gemm_plan.h"
#include "engine/recipe/layer_base.h"
#include "engine/recipe/layer_rules.h"
#include "engine/recipe/schema.h"
#include "engine/recipe/te_library.h"

namespace octet::recipe {
namespace {

using arch::Module;
using arch::ModuleKind;

constexpr std::array<bool, 3> kAll{true, true, true};
constexpr std::array<bool, 3> kNoGemm{false, false, false};

/// MXFP8 tensors need multiples of 32 on both sides, the other GEMMs of 16 (Transformer Engine, pytorch/utils.py and
/// csrc/quantizer.cpp; torch._scaled_mm). Block scaling's kernels take partial blocks. torchao's emulation takes all.
int64_t widthStep(const Recipe& recipe, RuleScaling scaling) {
    if (scaling == RuleScaling::Inherit && float8ConfigOf(recipe.ao).emulate) return 1;
    return scaling == RuleScaling::Mxfp8 ? 32 : 16;
}

std::string shapeProblem(const Recipe& recipe, RuleScaling scaling, const Module& linear) {
    const bool torchao =
        scaling == RuleScaling::Inherit || scaling == RuleScaling::Tensorwise || scaling == RuleScaling::Rowwise;
    const int64_t step = widthStep(recipe, scaling);
    for (const auto& [width, side] :
         {std::pair(linear.outFeatures(), "outputs"), std::pair(linear.inFeatures(), "inputs")}) {
        if (width % step != 0) {
            return fmt::format("High precision: {} cannot run it in {}, {} {} are not a multiple of {}.",
                               torchao ? "torch._scaled_mm" : "te.Linear", step == 32 ? "MXFP8" : "FP8", width, side,
                               step);
        }
    }
    return {};
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

/// "scaling rowwise and fp8_format E4M3"
std::string castWords(const LayerRule& rule) {
    if (rule.format == RuleFormat::Inherit) return fmt::format("scaling {}", nameOf(rule.scaling));
    if (rule.scaling == RuleScaling::Inherit) return fmt::format("fp8_format {}", nameOf(rule.format));
    return fmt::format("scaling {} and fp8_format {}", nameOf(rule.scaling), nameOf(rule.format));
}

/// @param problem  why this shape can't run in FP8, or empty
void applyRule(const LayerRule& rule, size_t index, const std::string& problem, LayerBase kind, LayerPlan& plan) {
    const std::string label = fmt::format("rule {} ({})", index + 1, rule.match);
    if (rule.keep || rule.high == kAll) {
        plan.fp8 = kNoGemm;
        plan.reason = fmt::format("High precision: {} keeps it{}", label, because(rule));
        return;
    }
    if (kind == LayerBase::None) {
        plan.fp8 = problem.empty() ? kAll : kNoGemm;
        plan.reason = problem.empty() ? fmt::format("FP8: {} takes it{}", label, because(rule)) : problem;
    }
    if (plan.fp8 == kNoGemm) return;
    if (rule.scaling != RuleScaling::Inherit || rule.format != RuleFormat::Inherit) {
        plan.reason = fmt::format("FP8: {} sets {}{}", label, castWords(rule), because(rule));
    }
    if (rule.high == kNoGemm) return;
    for (size_t g = 0; g < plan.fp8.size(); ++g)
        plan.fp8[g] = plan.fp8[g] && !rule.high[g];
    plan.reason = fmt::format("FP8 in {}: {} keeps {} in high precision{}", gemmsText(plan.fp8), label,
                              gemmsText(rule.high), because(rule));
}

void applyOverride(const Recipe& recipe, LayerPlan& plan) {
    const auto& high = recipe.te.overrideLinearPrecision;
    if (recipe.backend != Backend::Te) return;
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

/// Puts the casts in, and takes out of FP8 what the recipe itself keeps out of it (torchao's disabled operands,
/// backward_override).
void planGemms(const Recipe& recipe, const LayerRule* rule, LayerPlan& plan) {
    const std::array<GemmPlan, 3> gemms = gemmPlans(recipe, rule);
    std::array<bool, 3> high{};
    for (size_t g = 0; g < gemms.size(); ++g) {
        const bool ruledOut = rule != nullptr && rule->high[g];
        high[g] = plan.fp8[g] && !gemms[g].fp8;
        if (plan.fp8[g] && !ruledOut && (gemms[g].fp8 || gemms[g].dequantised)) plan.gemms[g] = gemms[g];
        plan.fp8[g] = plan.fp8[g] && gemms[g].fp8;
    }
    if (!plan.gemms[0].fp8) {
        for (GemmPlan& gemm : plan.gemms)
            if (gemm.dequantised) gemm = {};  // no cast of fprop to dequantise
    }
    if (plan.fp8 == kNoGemm) {
        plan.gemms = {};
        if (high != kNoGemm) plan.reason = "High precision: the recipe itself keeps what is left of it out of FP8.";
    } else if (high != kNoGemm) {
        plan.reason += fmt::format(" The recipe keeps {} in high precision.", gemmsText(high));
    }
}

void noteShapes(const Recipe& recipe, size_t bad, size_t mxBad, size_t all, std::vector<std::string>& notes) {
    if (recipe.layers.base == LayerBase::All && bad > mxBad) {
        notes.push_back(
            fmt::format("{} of {} Linears stay in high precision although layers.base is all: their widths are not "
                        "multiples of 16.",
                        bad - mxBad, all));
    }
    if (mxBad > 0) {
        notes.push_back(fmt::format(
            "{} of {} Linears stay in high precision here: MXFP8 needs widths that are multiples of 32, and "
            "Transformer Engine would fail there.",
            mxBad, all));
    }
}

}  // namespace

Result<LayerPlans> planLayers(const Recipe& recipe, const std::vector<Module>& modules) {
    auto tallies = parseRules(recipe.layers.rules);
    if (!tallies) return tallies.error();
    const auto base = baseDecisions(recipe, modules);
    if (!base) return base.error();
    const std::vector<Module> linears = arch::linearsOf(modules);
    LayerPlans plans;
    size_t bad = 0, mxBad = 0;
    for (size_t i = 0; i < linears.size(); ++i) {
        const Module& linear = linears[i];
        const auto index = firstMatch(*tallies, linear.name);
        const LayerRule* rule = index ? &recipe.layers.rules[*index] : nullptr;
        const RuleScaling scaling = scalingOf(recipe, rule);
        const std::string problem = shapeProblem(recipe, scaling, linear);
        LayerPlan plan{linear.name, linear.outFeatures(), linear.inFeatures(), false, {}, (*base)[i].reason};
        if ((*base)[i].fp8) {
            plan.fp8 = problem.empty() ? kAll : kNoGemm;
            if (!problem.empty()) plan.reason = problem;
        }
        if (rule != nullptr) applyRule(*rule, *index, problem, recipe.layers.base, plan);
        const bool kept = rule != nullptr && (rule->keep || rule->high == kAll);
        if ((*base)[i].fp8 && !problem.empty() && !kept) {
            ++bad;
            mxBad += scaling == RuleScaling::Mxfp8;
        }
        applyOverride(recipe, plan);
        planGemms(recipe, rule, plan);
        plan.converted = plan.fp8 != kNoGemm;
        plans.layers.push_back(std::move(plan));
    }
    plans.notes = filterNotes(recipe, modules);
    const std::vector<std::string> ofRules = ruleNotes(recipe, *tallies, linears);
    plans.notes.insert(plans.notes.end(), ofRules.begin(), ofRules.end());
    noteShapes(recipe, bad, mxBad, linears.size(), plans.notes);
    return plans;
}

}  // namespace octet::recipe
