// SPDX-License-Identifier: Apache-2.0
// The layer filter of a recipe as Python, for torchao's module_filter_fn: the base, the filters by name and block, then
// the rules, in the order in which layer_base.cpp and layer_plan.cpp decide.
#include <fmt/format.h>

#include <array>

#include "engine/recipe/accelerate_python.h"
#include "engine/recipe/export_parts.h"
#include "engine/recipe/schema.h"
#include "engine/recipe/te_library.h"

namespace octet::recipe {
namespace {

std::string rulesCode(const Layers& layers) {
    std::string code = "RULES = [";
    for (const LayerRule& rule : layers.rules) {
        const bool kept = rule.keep || rule.high == std::array{true, true, true};
        std::string why = rule.why;
        std::erase_if(why, [](char c) { return c == '\n' || c == '\r'; });
        code += fmt::format("\n    ({}, {}),{}", pythonLiteral(rule.match), kept ? "\"high\"" : "\"fp8\"",
                            why.empty() ? "" : "  # " + why);
    }
    return code + (layers.rules.empty() ? "]\n" : "\n]\n");
}

/// torchao's thresholds: the layer is large enough to gain.
std::string thresholdCode(const Recipe& recipe) {
    if (recipe.ao.config == AoConfig::Rowwise) return "n > 2048 and k > 1024 and not (n <= 4096 and k <= 2048)";
    return "not (k <= 4096 and n <= 1024)";
}

std::string baseCode(const Recipe& recipe) {
    switch (recipe.layers.base) {
        case LayerBase::Accelerate:
            return "fqn not in (linears[0], linears[-1])";
        case LayerBase::TorchaoAuto:
            return thresholdCode(recipe);
        case LayerBase::All:
            return "True";
        case LayerBase::None:
            break;
    }
    return "False";
}

std::string blocksCode(const Layers& layers) {
    const int start = layers.numLayersAtStartInBf16, end = layers.numLayersAtEndInBf16;
    if (start == 0 && end == 0) return {};
    return fmt::format(
        "        block = block_of(fqn)\n"
        "        base = base and not (0 <= block < {} or blocks - {} <= block)\n",
        start, end);
}

constexpr const char* kMatches =
    "def matches(pattern, fqn):\n"
    "    if pattern.startswith(\"re:\"):\n"
    "        return re.search(pattern[3:], fqn) is not None\n"
    "    glob = re.escape(pattern).replace(r\"\\*\", \".*\").replace(r\"\\?\", \".\")\n"
    "    names = [fqn] if \".\" in pattern else [fqn, fqn.rsplit(\".\", 1)[-1]]\n"
    "    return any(re.fullmatch(glob, name) for name in names)\n";

constexpr const char* kBlockOf =
    "def block_of(fqn):\n"
    "    return next((int(part) for part in fqn.split(\".\") if part.isdigit()), -1)\n\n\n";

}  // namespace

std::string filterCode(const Recipe& recipe, bool always) {
    const Layers& layers = recipe.layers;
    if (!always && layers == Layers{}) return {};
    const bool blocks = layers.numLayersAtStartInBf16 > 0 || layers.numLayersAtEndInBf16 > 0;
    std::string code =
        "# The first pattern that matches a layer decides: * and ? against the whole name, without a dot also against\n"
        "# its last part; re: is searched.\n" +
        rulesCode(layers);
    code += fmt::format("FILTER_FQNS = {}\n\n\n{}\n\n", pythonLiteral(Json(layers.filterFqns)), kMatches);
    if (blocks) code += kBlockOf;
    code +=
        "def make_filter(model):\n"
        "    linears = [name for name, module in model.named_modules() if isinstance(module, torch.nn.Linear)]\n";
    if (blocks) code += "    blocks = 1 + max(map(block_of, linears))\n";
    code += fmt::format(
        "\n    def takes(module, fqn):\n"
        "        k, n = module.in_features, module.out_features\n"
        "        if k % 16 or n % 16:\n"
        "            return False\n"
        "        base = {}\n"
        "        base = base and not any(text in fqn for text in FILTER_FQNS)\n{}"
        "        for pattern, precision in RULES:\n"
        "            if matches(pattern, fqn):\n"
        "                return precision == \"fp8\"{}\n"
        "        return base\n\n"
        "    return takes\n",
        baseCode(recipe), blocksCode(layers), layers.base == LayerBase::None ? "" : " and base");
    return code;
}

std::vector<std::string> leftOutOfFilter(const Recipe& recipe) {
    std::vector<std::string> leftOut;
    for (size_t i = 0; i < recipe.layers.rules.size(); ++i) {
        const LayerRule& rule = recipe.layers.rules[i];
        const bool some = rule.high != LayerRule{}.high && rule.high != std::array{true, true, true} && !rule.keep;
        if (some) {
            leftOut.push_back(
                fmt::format("Rule {} ({}) keeps {} in high precision; torchao's filter takes whole layers, so FP8 runs "
                            "in all three.",
                            i + 1, rule.match, gemmsText(rule.high)));
        }
        if (!rule.keep && (rule.format != RuleFormat::Inherit || rule.scaling != RuleScaling::Inherit)) {
            leftOut.push_back(
                fmt::format("Rule {} ({}) has a format or scaling of its own; one config holds for all layers.", i + 1,
                            rule.match));
        }
    }
    return leftOut;
}

std::vector<std::string> leftOutOfForm(const Recipe& recipe, const char* why) {
    std::vector<std::string> leftOut;
    const Layers& layers = recipe.layers;
    if (recipe.semantics == Semantics::Documented) {
        leftOut.emplace_back(
            "semantics documented is left out: Accelerate and Transformer Engine run the recipe as the library does.");
    }
    if (!layers.rules.empty())
        leftOut.push_back(fmt::format("Layer rules ({}) are left out: {}.", layers.rules.size(), why));
    if (!layers.filterFqns.empty() || layers.numLayersAtStartInBf16 > 0 || layers.numLayersAtEndInBf16 > 0)
        leftOut.push_back(fmt::format("The layer filters by name and block are left out: {}.", why));
    if (layers.base != LayerBase::Accelerate) {
        leftOut.push_back(fmt::format("layers.base {} is left out: Accelerate converts by its own order and shapes.",
                                      nameOf(layers.base)));
    }
    return leftOut;
}

}  // namespace octet::recipe
