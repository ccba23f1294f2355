// SPDX-License-Identifier: Apache-2.0
// Traps in nvdlfw_inspect files for Transformer Engine. Source: Transformer Engine 2.20 debug features and
// nvidia-dlfw-inspect 0.1.0, read and not run.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/recipe/library_versions.h"
#include "engine/recipe/lint_parts.h"

namespace octet::recipe {
namespace {

using Kind = MarkedValue::Kind;

const std::vector<std::string> kSelectors{"layer_name_regex_pattern", "layer_types", "layer_numbers",
                                          "exact_layer_names"};
const std::vector<std::string> kOldFeatures{"DisableFP8GEMM",    "DisableFP8Layer", "FakeQuant",
                                            "LogFp8TensorStats", "LogTensorStats",  "PerTensorScaling"};
const std::vector<std::string> kNewFeatures{"DisableQuantizationGEMM", "DisableQuantizationLayer",
                                            "LogNvfp4TensorStats", "DumpTensors"};
/// Words of the documentation that the code does not know.
constexpr std::pair<const char*, const char*> kWrongKeys[] = {{"layer_type", "layer_types"}, {"type", "stats"}};
constexpr std::pair<const char*, const char*> kWrongStats[] = {{"underflows", "underflows%"},
                                                               {"overflows", "overflows%"}};
constexpr std::array kGemmWords{"fprop", "dgrad", "wgrad"};

class InspectLint {
public:
    InspectLint(const Target& target, Findings& findings) : m_target(target), m_findings(findings) {}

    void section(const MarkedValue& name, const MarkedValue& section) {
        if (section.kind != Kind::Map) {
            m_findings.error(name,
                             fmt::format("Section {} is no map of enabled, layers and transformer_engine.", name.text));
            return;
        }
        if (!section.keyOf("enabled"))
            m_findings.warning(name, fmt::format("Section {} does nothing: enabled is missing.", name.text),
                               "Add enabled: True.");
        checkLayers(name, section.find("layers"));
        const MarkedValue* features = section.find("transformer_engine");
        if (!features || features->kind != Kind::Map) {
            m_findings.warning(name, fmt::format("Section {} has no feature of transformer_engine.", name.text));
            return;
        }
        for (size_t i = 0; i < features->keys.size(); ++i)
            feature(features->keys[i], features->items[i]);
    }

private:
    void checkLayers(const MarkedValue& name, const MarkedValue* layers) {
        if (!layers || layers->kind != Kind::Map) {
            m_findings.error(name, fmt::format("Section {} has no layers.", name.text),
                             "Add layers with layer_name_regex_pattern: .*");
            return;
        }
        int selectors = 0;
        for (const MarkedValue& key : layers->keys) {
            if (std::ranges::find(kSelectors, key.text) != kSelectors.end()) {
                ++selectors;
                continue;
            }
            unknown(key, kSelectors, "layers");
        }
        if (selectors > 1)
            m_findings.error(layers->keys.front(),
                             fmt::format("Section {} selects layers in {} ways; one is allowed.", name.text, selectors),
                             "Keep one of them.");
        if (const MarkedValue* numbers = layers->find("layer_numbers"); numbers && numbers->kind == Kind::List) {
            for (const MarkedValue& number : numbers->items) {
                if (number.kind == Kind::Integer)
                    m_findings.warning(number, "A whole number in layer_numbers meets a type error in nvdlfw_inspect.",
                                       "Write it as text: \"2\" or \"2-5\".");
            }
        }
    }

    void unknown(const MarkedValue& key, const std::vector<std::string>& known, const char* where) {
        LintFinding& finding =
            m_findings.error(key, fmt::format("{} is no key of {}.", key.text, where), didYouMean(key.text, known));
        for (const auto& [wrong, right] : kWrongKeys) {
            if (key.text != wrong || std::ranges::find(known, right) == known.end()) continue;
            finding.hint = fmt::format("Write {}.", right);
            m_findings.fix(finding, key, right);
        }
    }

    void feature(const MarkedValue& name, const MarkedValue& options) {
        const bool newNames = holds(VersionFact::TeInspectQuantizationNames, m_target);
        std::vector<std::string> known = kOldFeatures;
        if (newNames) known.insert(known.end(), kNewFeatures.begin(), kNewFeatures.end());
        if (std::ranges::find(known, name.text) == known.end()) {
            const bool future = std::ranges::find(kNewFeatures, name.text) != kNewFeatures.end();
            const std::string why = future
                                        ? fmt::format("Transformer Engine {} has no feature {}: it exists since 2.14.",
                                                      m_target.transformerEngine, name.text)
                                        : fmt::format("{} is no feature of Transformer Engine.", name.text);
            LintFinding& finding = m_findings.error(name, why, didYouMean(name.text, known));
            const auto same =
                std::ranges::find_if(known, [&](const std::string& word) { return lower(word) == lower(name.text); });
            if (same != known.end()) m_findings.fix(finding, name, *same);
            return;
        }
        if (newNames && name.text.starts_with("DisableFP8")) {
            const std::string now = "DisableQuantization" + name.text.substr(10);
            LintFinding& finding =
                m_findings.warning(name, fmt::format("{} is deprecated since Transformer Engine 2.14.", name.text),
                                   fmt::format("Write {}.", now));
            m_findings.fix(finding, name, now);
        }
        if (options.kind != Kind::Map) return;
        checkGemms(options);
        if (const MarkedValue* end = options.find("end_step")) checkEnd(*end);
        if (const MarkedValue* stats = options.find("stats")) checkStats(*stats);
        if (const MarkedValue* tensors = options.find("tensors_struct"); tensors && tensors->kind == Kind::List) {
            for (const MarkedValue& tensor : tensors->items) {
                if (const MarkedValue* end = tensor.find("end_step")) checkEnd(*end);
                if (const MarkedValue* stats = tensor.find("stats")) checkStats(*stats);
                if (const MarkedValue* type = tensor.keyOf("type"))
                    unknown(*type, {"tensor", "stats", "freq", "start_step", "end_step"}, "tensors_struct");
            }
        }
    }

    void checkGemms(const MarkedValue& options) {
        const MarkedValue* gemms = options.find("gemms");
        if (!gemms || gemms->kind != Kind::List) return;
        for (const MarkedValue& gemm : gemms->items) {
            const bool known = std::ranges::any_of(kGemmWords, [&](const char* word) { return gemm.text == word; });
            if (!known)
                m_findings.error(gemm, fmt::format("{} is no GEMM.", gemm.text),
                                 didYouMean(gemm.text, {"fprop", "dgrad", "wgrad"}));
        }
    }

    void checkEnd(const MarkedValue& end) {
        if (end.text == "-1")
            m_findings.warning(end, "end_step -1 switches logging off; it does not mean no end.",
                               "Leave end_step out.");
    }

    void checkStats(const MarkedValue& stats) {
        for (const MarkedValue& stat : stats.items) {
            for (const auto& [wrong, right] : kWrongStats) {
                if (stat.text != wrong) continue;
                LintFinding& finding = m_findings.error(stat, fmt::format("{} is no statistic.", stat.text),
                                                        fmt::format("Write {}.", right));
                m_findings.fix(finding, stat, right);
            }
        }
    }

    static std::string lower(std::string text) {
        std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        return text;
    }

    const Target& m_target;
    Findings& m_findings;
};

}  // namespace

void lintInspect(const MarkedValue& file, const Target& target, Findings& findings) {
    InspectLint lint(target, findings);
    for (size_t i = 0; i < file.keys.size(); ++i)
        lint.section(file.keys[i], file.items[i]);
}

}  // namespace octet::recipe
