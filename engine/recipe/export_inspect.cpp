// SPDX-License-Identifier: Apache-2.0
// nvdlfw_inspect YAML: the layers and GEMMs that the recipe's rules keep in high precision, for a te.Linear model. The
// tool refuses a layer in two sections, so each section excludes what earlier rules took.
#include <fmt/format.h>

#include "engine/recipe/export_parts.h"
#include "engine/recipe/library_versions.h"
#include "engine/recipe/te_library.h"

namespace octet::recipe {
namespace {

constexpr std::string_view kSpecial = R"(\.+()[]{}^$|)";

/// A pattern for re.match on the inspector's layer name, which may start with "model." or another root.
std::string regexOf(const std::string& match) {
    if (match.starts_with("re:")) return ".*(?:" + match.substr(3) + ").*";
    std::string regex;
    for (const char c : match) {
        if (c == '*')
            regex += ".*";
        else if (c == '?')
            regex += ".";
        else
            regex += (kSpecial.find(c) != std::string_view::npos ? "\\" : "") + std::string(1, c);
    }
    return "(?:.*\\.)?" + regex;
}

std::string yamlQuoted(const std::string& text) {
    std::string quoted = "'";
    for (const char c : text)
        quoted += c == '\'' ? "''" : std::string(1, c);
    return quoted + "'";
}

std::string gemmList(const std::array<bool, 3>& gemms) {
    std::string list;
    for (size_t i = 0; i < gemms.size(); ++i) {
        if (gemms[i]) list += (list.empty() ? "" : ", ") + std::string(kGemmNames[i]);
    }
    return list;
}

}  // namespace

Result<Exported> inspectYaml(const Recipe& recipe) {
    if (recipe.backend != Backend::Te && recipe.backend != Backend::Native)
        return cannotExport("nvdlfw_inspect works on Transformer Engine's layers only.",
                            recipe.backend == Backend::Ao ? "python" : "accelerate-yaml");
    const bool quantization = holds(VersionFact::TeInspectQuantizationNames, recipe.target);
    const std::string disable = quantization ? "DisableQuantization" : "DisableFP8";
    std::string text = fmt::format("# Layers in high precision, for nvdlfw_inspect with Transformer Engine {}.\n",
                                   recipe.target.transformerEngine) +
                       embeddedRecipe(recipe);
    std::string taken;
    std::vector<std::string> leftOut{
        "The recipe itself is left out: the file says only which layers and GEMMs stay in high precision."};
    int sections = 0;
    for (size_t i = 0; i < recipe.layers.rules.size(); ++i) {
        const LayerRule& rule = recipe.layers.rules[i];
        const std::string regex = regexOf(rule.match);
        const bool whole = rule.keep || rule.high == std::array{true, true, true};
        if (whole || rule.high != LayerRule{}.high) {
            const std::string pattern = taken.empty() ? regex : fmt::format("(?!(?:{})$){}", taken, regex);
            text += fmt::format("rule_{}:\n  enabled: True\n  layers:\n    layer_name_regex_pattern: {}\n", i + 1,
                                yamlQuoted(pattern));
            text += fmt::format("  transformer_engine:\n    {}{}:\n      enabled: True\n", disable,
                                whole ? "Layer" : "GEMM");
            if (!whole) text += fmt::format("      gemms: [{}]\n", gemmList(rule.high));
            ++sections;
        } else {
            leftOut.push_back(
                fmt::format("Rule {} ({}) keeps nothing in high precision and gets no section.", i + 1, rule.match));
        }
        taken += (taken.empty() ? "" : "|") + regex;
    }
    if (sections == 0)
        return cannotExport("No layer rule keeps anything in high precision, so nvdlfw_inspect has nothing to do.",
                            "te");
    Layers plain;
    plain.rules = recipe.layers.rules;
    if (recipe.layers != plain)
        leftOut.emplace_back(
            "The base and the filters of the layers are left out: the file starts from what is te.Linear already.");
    return Exported{text, leftOut};
}

}  // namespace octet::recipe
