// SPDX-License-Identifier: Apache-2.0
// Sources: arch/te_conversion.h, arch/ao_conversion.h; torchtitan, components/quantization/float8.py (filter_fqns);
// Megatron-LM, --num-layers-at-start-in-bf16 and --num-layers-at-end-in-bf16.
#include "engine/recipe/layer_base.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "engine/arch/ao_conversion.h"
#include "engine/arch/te_conversion.h"
#include "engine/core/text.h"
#include "engine/recipe/layer_rules.h"

namespace octet::recipe {
namespace {

using arch::Module;
using arch::ModuleKind;

BaseDecision told(bool fp8, const std::string& reason) {
    return {fp8, (fp8 ? "FP8: " : "High precision: ") + reason};
}

std::vector<BaseDecision> ofLinears(const std::vector<Module>& modules, const std::vector<arch::TeDecision>& all) {
    std::vector<BaseDecision> decisions;
    for (size_t i = 0; i < modules.size(); ++i) {
        if (modules[i].kind == ModuleKind::Linear) decisions.push_back(told(all[i].converted, all[i].reason));
    }
    return decisions;
}

Result<std::vector<BaseDecision>> teDecisions(const std::vector<Module>& modules) {
    const arch::TeConversion conversion = arch::convertForTe(modules);
    if (conversion.failure) {
        return Error{ErrorCode::Refused, fmt::format("{} ({})", conversion.failure->message, conversion.failure->type),
                     "Set layers.base to all to choose the layers without Accelerate's conversion."};
    }
    return ofLinears(modules, conversion.decisions);
}

/// torchao knows thresholds for two of its recipes; other backends borrow the one whose scales are as fine as theirs.
Result<std::vector<BaseDecision>> thresholdDecisions(const Recipe& recipe, const std::vector<Module>& modules) {
    const bool torchao = recipe.backend == Backend::Ao;
    if (torchao && recipe.ao.config == AoConfig::RowwiseWithGwHp) {
        return Error{ErrorCode::Refused,
                     "torchao's auto filter has no thresholds for rowwise_with_gw_hp (NotImplementedError).",
                     "Use layers.base accelerate or all, or the rowwise recipe."};
    }
    const bool rowwise = torchao && recipe.ao.config == AoConfig::Rowwise;
    const arch::AoFilter filter{.skipFirstAndLast = false,
                                .thresholds = rowwise ? arch::AutoFilter::Rowwise : arch::AutoFilter::Tensorwise,
                                .replacesRoot = true};
    return ofLinears(modules, arch::convertForAo(modules, filter));
}

Result<std::vector<BaseDecision>> unfiltered(const Recipe& recipe, const std::vector<Module>& modules) {
    switch (recipe.layers.base) {
        case LayerBase::Accelerate:
            if (recipe.backend == Backend::Ao) return ofLinears(modules, arch::convertForAo(modules));
            return teDecisions(modules);
        case LayerBase::TorchaoAuto:
            return thresholdDecisions(recipe, modules);
        case LayerBase::All:
        case LayerBase::None:
            break;
    }
    const bool all = recipe.layers.base == LayerBase::All;
    return std::vector<BaseDecision>(
        arch::linearsOf(modules).size(),
        told(all, all ? "layers.base is all." : "layers.base is none and no rule names it."));
}

/// 12 of "model.layers.12.self_attn.q_proj": the first part that is a number.
std::optional<long long> blockOf(const std::string& name) {
    for (const std::string& part : split(name, '.')) {
        if (const auto number = parseInteger(part)) return number;
    }
    return std::nullopt;
}

long long blockCount(const std::vector<Module>& linears) {
    long long count = 0;
    for (const Module& linear : linears)
        count = std::max(count, blockOf(linear.name).value_or(-1) + 1);
    return count;
}

/// Why a filter keeps this layer; empty when none does.
std::string filteredBecause(const Layers& layers, const std::string& name, long long blocks) {
    for (const std::string& text : layers.filterFqns) {
        if (name.find(text) != std::string::npos) return fmt::format("filter_fqns: its name holds \"{}\".", text);
    }
    const auto block = blockOf(name);
    if (!block) return {};
    if (*block < layers.numLayersAtStartInBf16)
        return fmt::format("it is in one of the first {} blocks.", layers.numLayersAtStartInBf16);
    if (*block >= blocks - layers.numLayersAtEndInBf16)
        return fmt::format("it is in one of the last {} blocks.", layers.numLayersAtEndInBf16);
    return {};
}

}  // namespace

Result<std::vector<BaseDecision>> baseDecisions(const Recipe& recipe, const std::vector<Module>& modules) {
    auto decisions = unfiltered(recipe, modules);
    if (!decisions) return decisions.error();
    const std::vector<Module> linears = arch::linearsOf(modules);
    const long long blocks = blockCount(linears);
    for (size_t i = 0; i < linears.size(); ++i) {
        const std::string reason = filteredBecause(recipe.layers, linears[i].name, blocks);
        if (!reason.empty()) (*decisions)[i] = told(false, reason);
    }
    return decisions;
}

std::vector<std::string> filterNotes(const Recipe& recipe, const std::vector<Module>& modules) {
    std::vector<std::string> notes;
    const std::vector<Module> linears = arch::linearsOf(modules);
    if (linears.empty()) return notes;
    for (const std::string& text : recipe.layers.filterFqns) {
        const auto hits = [&](const std::string& name) { return name.find(text) != std::string::npos; };
        const auto inside = [&](const Module& linear) {
            const auto parts = split(linear.name, '.');
            return hits(linear.name) && std::ranges::find(parts, text) == parts.end();
        };
        const auto all = std::ranges::count_if(linears, hits, &Module::name);
        const auto longer = std::ranges::find_if(linears, inside);
        if (all == 0) notes.push_back(fmt::format("filter_fqns: \"{}\" is in no Linear's name.", text));
        if (longer != linears.end() && text.find('.') == std::string::npos) {
            notes.push_back(fmt::format("filter_fqns: \"{}\" also keeps longer names, first {}.", text, longer->name));
        }
    }
    const long long kept =
        static_cast<long long>(recipe.layers.numLayersAtStartInBf16) + recipe.layers.numLayersAtEndInBf16;
    const long long blocks = blockCount(linears);
    if (kept > 0 && kept >= blocks) {
        notes.push_back(fmt::format(
            "The first and last blocks in high precision are {} of {}: no block is left for FP8.", kept, blocks));
    }
    return notes;
}

}  // namespace octet::recipe
