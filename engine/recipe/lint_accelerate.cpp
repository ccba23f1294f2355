// SPDX-License-Identifier: Apache-2.0
// Traps in Accelerate's launch config. Each rule was seen in a recorded run of accelerate 1.15.0 or read in its source;
// the values of YAML are typed as PyYAML types them.
#include <fmt/format.h>

#include <algorithm>

#include "engine/recipe/accelerate_python.h"
#include "engine/recipe/accelerate_run.h"
#include "engine/recipe/library_versions.h"
#include "engine/recipe/lint_parts.h"

namespace octet::recipe {
namespace {

using Kind = MarkedValue::Kind;

class AccelerateLint {
public:
    AccelerateLint(const MarkedValue& file, Target target, Findings& findings)
        : m_file(file), m_target(std::move(target)), m_findings(findings), m_json(looksLikeJson(findings.text())) {
        m_target.parallel = parallelOf(file);
        const MarkedValue* section = file.find("fp8_config");
        if (section && section->kind == Kind::Map) m_section = section;
        if (const MarkedValue* backend = item("backend")) m_backend = fp8Upper(backend->text);
    }

    void run() {
        checkTop();
        checkSection();
        checkBackendSection();
        checkRunType();
    }

    [[nodiscard]] const Target& target() const { return m_target; }

private:
    /// The value of a live key, under either of its spellings.
    [[nodiscard]] const MarkedValue* item(const std::string& name) const {
        return m_section ? fp8Item(*m_section, name) : nullptr;
    }
    [[nodiscard]] bool isTrue(const std::string& name) const {
        const MarkedValue* value = item(name);
        return value && truthOf(value->text).value_or(false);
    }

    // ---- top level ----

    void checkTop() {
        checkDistributedType();
        checkPrecision();
        const MarkedValue* environment = m_file.find("compute_environment");
        const bool sagemaker = environment && environment->text == "AMAZON_SAGEMAKER";
        const auto known = configFileKeys(sagemaker);
        std::vector<std::string> names(known.begin(), known.end());
        for (const MarkedValue& key : m_file.keys) {
            if (std::ranges::find(names, key.text) != names.end()) continue;
            if (sagemaker && key.text == "fp8_config") {
                m_findings.error(key, "A SageMaker file has no fp8_config: Accelerate refuses the file.",
                                 "Pass the recipe to Accelerator in the script.");
            } else if (isFp8Key(key.text)) {
                m_findings.error(key, fmt::format("{} stands at the top level: Accelerate refuses the file.", key.text),
                                 "Move it into fp8_config.");
            } else {
                m_findings.error(key, fmt::format("Accelerate refuses the file: unknown top-level key {}.", key.text),
                                 didYouMean(key.text, names));
            }
        }
    }

    void checkDistributedType() {
        const MarkedValue* type = m_file.find("distributed_type");
        if (!type) {
            const MarkedValue& first = m_file.keys.front();
            LintFinding& finding = m_findings.error(first, "distributed_type is missing: Accelerate refuses the file.",
                                                    "Add distributed_type: \"NO\" for one process.");
            if (!m_json) m_findings.insertBefore(finding, first, "distributed_type: \"NO\"");
            return;
        }
        if (type->kind == Kind::Boolean) {
            // With num_processes the launcher gets by: false is none of its run types either.
            const bool works = m_file.find("num_processes") != nullptr;
            const char* more = works ? "" : ", and Accelerate then asks for --num_processes";
            LintFinding& finding =
                m_findings.add(works ? Severity::Warning : Severity::Error, type->place,
                               fmt::format("distributed_type {} without quotes is the boolean {} in YAML 1.1{}.",
                                           type->text, type->value.dump(), more),
                               "Write \"NO\".");
            if (!type->value.get<bool>()) m_findings.fix(finding, *type, "\"NO\"");
        } else if (!m_file.find("num_processes") && type->text != "NO") {
            m_findings.error(*type, "num_processes is missing: Accelerate asks for --num_processes.",
                             "Add the number of GPUs.");
        }
    }

    void checkPrecision() {
        const MarkedValue* precision = m_file.find("mixed_precision");
        const MarkedValue* section = m_file.keyOf("fp8_config");
        if (precision && precision->kind == Kind::Boolean) {
            LintFinding& finding = m_findings.error(
                *precision,
                fmt::format("mixed_precision {} without quotes is the boolean {}; accelerate launch stops on it.",
                            precision->text, precision->value.dump()),
                "Write \"no\" with quotes, or fp8.");
            if (!precision->value.get<bool>()) m_findings.fix(finding, *precision, "\"no\"");
        }
        const bool fp8 = precision && precision->text == "fp8";
        if (section && !fp8) {
            m_findings.warning(*section,
                               fmt::format("fp8_config has no effect: mixed_precision is {}, not fp8.",
                                           precision ? precision->text : "missing"),
                               "Set mixed_precision: fp8.");
        }
    }

    void checkSection() {
        if (!m_section) return;
        if (!item("backend")) {
            m_findings.warning(
                *m_file.keyOf("fp8_config"),
                "fp8_config has no backend: Accelerate takes the first that is installed, torchao before "
                "Transformer Engine.",
                "Write backend: TE or backend: AO.");
        }
        lintFp8Values(*m_section, m_backend, m_findings);
    }

    // ---- what the backend makes of it ----

    void checkBackendSection() {
        if (!m_section) return;
        if (m_backend == "TE") checkTe();
        if (m_backend == "AO") checkAo();
    }

    void checkTe() {
        const MarkedValue* algo = item("amax_compute_algo");
        const bool mxfp8 = isTrue("use_mxfp8_block_scaling");
        if (algo && fp8Upper(algo->text) == "MOST_RECENT" && !mxfp8) {
            m_findings.warning(
                *algo,
                "amax_compute_algo most_recent has no effect: it is Accelerate's own default and is never "
                "passed on, so Transformer Engine runs max.");
        }
        const MarkedValue* interval = item("interval");
        if (interval && interval->text != "1" && pythonInt(interval->text)) {
            m_findings.warning(*interval, fmt::format("interval {} has no effect: {}.", interval->text,
                                                      holds(VersionFact::TeInterval, m_target)
                                                          ? "Transformer Engine stores it and never uses it"
                                                          : "Transformer Engine has had no such field since 2.2"));
        }
        const MarkedValue* high = item("override_linear_precision");
        const bool keeps =
            high && high->kind == Kind::List &&
            std::ranges::any_of(high->items, [](const MarkedValue& one) { return truthOf(one.text).value_or(false); });
        if (keeps) {
            m_findings.warning(
                *high,
                "override_linear_precision has no effect: Transformer Engine has had no such field since "
                "2.0, so all three GEMMs run in FP8.");
        }
        if (mxfp8) checkMxfp8();
    }

    void checkMxfp8() {
        const MarkedValue& asked = *item("use_mxfp8_block_scaling");
        const bool capable =
            !isBefore(m_target.computeCapability, "10.0") && isBefore(m_target.computeCapability, "12.0");
        if (!capable) {
            m_findings.error(
                asked,
                fmt::format("MXFP8 needs compute capability 10.x; the target has {}.", m_target.computeCapability),
                "Train on Blackwell (10.0, 10.3), or check with --capability 10.0.");
        }
        if (!holds(VersionFact::AccelerateMxfp8, m_target)) {
            m_findings.error(asked, fmt::format("Accelerate {} has no use_mxfp8_block_scaling: it exists since 1.11.",
                                                m_target.accelerate));
        }
        const MarkedValue* format = item("fp8_format") ? item("fp8_format") : item("format");
        if (format && fp8Upper(format->text) == "HYBRID") {
            m_findings.warning(*format,
                               "fp8_format HYBRID has no effect: it is Accelerate's default and dropped, so MXFP8 "
                               "runs E4M3.");
        }
        const std::pair<const char*, const char*> amax[] = {{"amax_history_len", "1024"},
                                                            {"amax_compute_algo", "MOST_RECENT"}};
        for (const auto& [name, normal] : amax) {
            const MarkedValue* value = item(name);
            if (!value || value->kind == Kind::Null || fp8Upper(value->text) == normal) continue;
            m_findings.error(
                *value,
                fmt::format("Accelerate refuses {} {} together with use_mxfp8_block_scaling.", name, value->text),
                "Remove the line: block scaling has no amax history.");
        }
    }

    [[nodiscard]] bool allGatherIsOn() const {
        const MarkedValue* value = item("enable_fsdp_float8_all_gather");
        if (!value || value->kind == Kind::Null) return holds(VersionFact::AccelerateAoFlagsOn, m_target);
        return truthOf(value->text).value_or(false);
    }

    void checkAo() {
        if (allGatherIsOn() && m_target.parallel != "fsdp2") {
            const MarkedValue* value = item("enable_fsdp_float8_all_gather");
            const MarkedValue& at = value ? *value : *m_section->keyOf("backend");
            LintFinding& finding = m_findings.error(
                at,
                fmt::format(
                    "enable_fsdp_float8_all_gather {}outside FSDP2: the converted weights become new parameters "
                    "that the optimizer does not hold, so they are not trained.",
                    value ? "" : "is on unless switched off; "),
                "Write enable_fsdp_float8_all_gather: false.");
            if (value)
                m_findings.fix(finding, *value, "false");
            else
                m_findings.insertBefore(finding, at, "enable_fsdp_float8_all_gather: false");
        }
        const MarkedValue* dynamo = m_file.find("dynamo_config");
        const bool compiles = dynamo && dynamo->kind == Kind::Map && !dynamo->keys.empty();
        if (!compiles && !m_file.find("dynamo_backend")) {
            m_findings.warning(*m_section->keyOf("backend"),
                               "torchao without torch.compile is slower than BF16: its casts run one by one.",
                               "Add dynamo_config with dynamo_backend: INDUCTOR, or compile in the script.");
        }
        if (m_target.parallel.starts_with("fsdp")) checkFsdpLoading();
    }

    void checkFsdpLoading() {
        const MarkedValue* section = m_file.find("fsdp_config");
        const MarkedValue* loading =
            section && section->kind == Kind::Map ? section->find("fsdp_cpu_ram_efficient_loading") : nullptr;
        if (loading && !truthOf(loading->text).value_or(true)) return;
        const MarkedValue& at = loading                             ? *loading
                                : section && !section->keys.empty() ? section->keys.front()
                                                                    : *m_file.keyOf("distributed_type");
        LintFinding& finding = m_findings.error(
            at,
            "Accelerate refuses backend AO under FSDP with fsdp_cpu_ram_efficient_loading, which is on unless the file "
            "says otherwise.",
            "Write fsdp_cpu_ram_efficient_loading: false in fsdp_config.");
        if (loading)
            m_findings.fix(finding, at, "false");
        else if (section && !section->keys.empty())
            m_findings.insertBefore(finding, at, "fsdp_cpu_ram_efficient_loading: false");
    }

    void checkRunType() {
        const MarkedValue* type = m_file.find("distributed_type");
        if (!type || !m_section) return;
        if (m_backend == "TE" && m_target.parallel == "fsdp2") {
            m_findings.error(
                *type, "FSDP2 with backend TE swaps the layers but never enters FP8 autocast: nothing runs in FP8.",
                "Use backend AO, or FSDP 1.");
        }
        if (m_backend == "TE" && m_target.parallel == "deepspeed") {
            m_findings.error(
                *type, "DeepSpeed ignores these settings and runs Transformer Engine's defaults (HYBRID, 1024, max).",
                "Pass FP8RecipeKwargs(backend=\"TE\", ...) in the script; it is the only class DeepSpeed reads.");
        }
        if (m_backend == "MSAMP" && m_target.parallel.starts_with("fsdp"))
            m_findings.error(*type, "MS-AMP does not work with FSDP: prepare() stops.", "Use backend TE or AO.");
        if (m_target.parallel == "megatron")
            m_findings.warning(
                *type, "Under Megatron, Accelerate converts nothing; FP8 comes from the model's own configuration.");
    }

    const MarkedValue& m_file;
    Target m_target;
    Findings& m_findings;
    bool m_json;
    const MarkedValue* m_section = nullptr;
    std::string m_backend;  // in capitals
};

}  // namespace

void lintAccelerate(const MarkedValue& file, const std::string& what, Target target, Findings& findings,
                    std::optional<Recipe>& recipe) {
    AccelerateLint lint(file, std::move(target), findings);
    lint.run();
    if (auto loaded = recipeFromConfig(file, what)) {
        recipe = loaded->recipe;
        recipe->target = lint.target();
    }
}

}  // namespace octet::recipe
