// SPDX-License-Identifier: Apache-2.0
#include "engine/arch/ao_conversion.h"

#include <fmt/format.h>

#include <algorithm>

namespace octet::arch {
namespace {

constexpr int64_t kWidthStep = 16;  // torch._scaled_mm takes inner dimensions that are multiples of it

/// Names of the first and the last Linear, whatever their shape.
std::pair<std::string, std::string> firstAndLast(const std::vector<Module>& modules) {
    const std::vector<Module> linears = linearsOf(modules);
    if (linears.empty()) return {};
    return {linears.front().name, linears.back().name};
}

std::string oddWidth(const Module& linear) {
    for (const auto& [width, side] :
         {std::pair(linear.outFeatures(), "outputs"), std::pair(linear.inFeatures(), "inputs")}) {
        if (width % kWidthStep != 0) return fmt::format("{} {} are not a multiple of 16.", width, side);
    }
    return {};
}

/// Why a Linear stays in high precision; empty when it is converted.
std::string whyNot(const Module& linear, const AoFilter& filter, const std::pair<std::string, std::string>& ends) {
    if (linear.name.empty() && !filter.replacesRoot) {
        return "It is the root: torchao returns a new module, and Accelerate ignores it.";
    }
    if (filter.skipFirstAndLast && linear.name == ends.first) return "Accelerate leaves the first Linear alone.";
    if (filter.skipFirstAndLast && linear.name == ends.second) return "Accelerate leaves the last Linear alone.";
    if (std::ranges::find(filter.names, linear.name) != filter.names.end()) return "The filter names it.";
    for (const std::string& part : filter.nameParts) {
        if (linear.name.find(part) != std::string::npos) return fmt::format("Its name holds \"{}\".", part);
    }
    if (filter.widthsMultipleOf16) {
        if (std::string odd = oddWidth(linear); !odd.empty()) return odd;
    }
    return filter.thresholds ? belowThreshold(linear, *filter.thresholds) : std::string();
}

/// A converted Linear is built anew from weight and bias, so modules inside the old one are gone. They follow it in the
/// list, which is in depth-first order.
void dropChildrenOfConverted(const std::vector<Module>& modules, std::vector<TeDecision>& decisions) {
    for (size_t i = 0; i < modules.size(); ++i) {
        if (modules[i].kind != ModuleKind::Linear || !decisions[i].converted) continue;
        const std::string inside = modules[i].name + ".";
        for (size_t child = i + 1; child < modules.size() && modules[child].name.starts_with(inside); ++child) {
            decisions[child] = {false, fmt::format("It goes away with {}, which torchao replaces.", modules[i].name)};
        }
    }
}

}  // namespace

std::string belowThreshold(const Module& linear, AutoFilter filter) {
    const int64_t n = linear.outFeatures(), k = linear.inFeatures();
    const auto because = [](const std::string& rule) {
        return fmt::format("torchao's auto filter leaves small layers alone: {}.", rule);
    };
    if (filter == AutoFilter::Tensorwise) {
        if (k <= 4096 && n <= 1024) return because("inputs up to 4,096 and outputs up to 1,024");
        return {};
    }
    if (n <= 2048) return because("outputs up to 2,048");
    if (k <= 1024) return because("inputs up to 1,024");
    if (n <= 4096 && k <= 2048) return because("outputs up to 4,096 and inputs up to 2,048");
    return {};
}

std::vector<TeDecision> convertForAo(const std::vector<Module>& modules, const AoFilter& filter) {
    const auto ends = firstAndLast(modules);
    std::vector<TeDecision> decisions;
    for (const Module& module : modules) {
        if (module.kind != ModuleKind::Linear) {
            decisions.push_back({false, "torchao replaces only nn.Linear."});
            continue;
        }
        const std::string reason = whyNot(module, filter, ends);
        decisions.push_back({reason.empty(), reason.empty() ? fmt::format("torchao takes it: {} x {}.",
                                                                          module.outFeatures(), module.inFeatures())
                                                            : reason});
    }
    dropChildrenOfConverted(modules, decisions);
    return decisions;
}

}  // namespace octet::arch
