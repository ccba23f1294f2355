// SPDX-License-Identifier: Apache-2.0
// accelerate launch: how a config file, typed flags and exported variables become the environment of the training
// process. Flags beat the file, the file beats the flags' defaults, and the defaults are always written.
#include <fmt/format.h>

#include <array>

#include "engine/core/text.h"
#include "engine/recipe/accelerate_steps.h"
#include "engine/recipe/library_versions.h"

namespace octet::recipe {
namespace {

enum class FlagKind { Switch, Integer, Choice, Truth, ThreeTruths };

struct Fp8Flag {
    const char* name;
    FlagKind kind;
    std::array<const char*, 4> choices{};
};
constexpr Fp8Flag kFlags[] = {
    {"mixed_precision", FlagKind::Choice, {"no", "fp16", "bf16", "fp8"}},
    {"fp8_backend", FlagKind::Choice, {"ao", "te", "msamp"}},
    {"fp8_use_autocast_during_eval", FlagKind::Switch, {}},
    {"fp8_margin", FlagKind::Integer, {}},
    {"fp8_interval", FlagKind::Integer, {}},
    {"fp8_format", FlagKind::Choice, {"HYBRID", "E4M3", "E5M2"}},
    {"fp8_amax_history_len", FlagKind::Integer, {}},
    {"fp8_amax_compute_algo", FlagKind::Choice, {"max", "most_recent"}},
    {"fp8_override_linear_precision", FlagKind::ThreeTruths, {}},
    {"fp8_opt_level", FlagKind::Choice, {"O1", "O2"}},
    {"fp8_enable_fsdp_float8_all_gather", FlagKind::Truth, {}},
    {"fp8_pad_inner_dim", FlagKind::Truth, {}},
};

/// What argparse holds when nothing is typed. The two torchao flags run their default through the truth parser: 1.
Json flagDefaults() {
    return {{"fp8_use_autocast_during_eval", false},
            {"fp8_margin", 0},
            {"fp8_interval", 1},
            {"fp8_format", "HYBRID"},
            {"fp8_amax_history_len", 1024},
            {"fp8_amax_compute_algo", "most_recent"},
            {"fp8_override_linear_precision", Json::array({false, false, false})},
            {"fp8_opt_level", "O2"},
            {"fp8_enable_fsdp_float8_all_gather", 1},
            {"fp8_pad_inner_dim", 1}};
}

class Launch {
public:
    explicit Launch(Environment exported) : m_environment(std::move(exported)), m_arguments(flagDefaults()) {}

    std::optional<AccelerateStop> readFlags(const std::vector<std::string>& flags) {
        for (size_t i = 0; i < flags.size() && !m_stop; ++i) {
            std::string name = flags[i];
            if (!name.starts_with("--")) continue;  // value of an option that has nothing to do with FP8
            name.erase(0, 2);
            std::optional<std::string> value;
            if (const size_t equals = name.find('='); equals != std::string::npos) {
                value = name.substr(equals + 1);
                name.erase(equals);
            }
            const auto* flag = std::ranges::find(kFlags, name, &Fp8Flag::name);
            if (flag == std::end(kFlags)) {
                if (name.starts_with("fp8_")) stop("command line", "SystemExit", Trap::FlagUnknown, "--" + name, "");
                continue;
            }
            if (!value && flag->kind != FlagKind::Switch && i + 1 < flags.size()) value = flags[++i];
            readFlag(*flag, value.value_or(""));
        }
        return m_stop;
    }

    std::optional<AccelerateStop> readFile(const MarkedValue& file) {
        checkTopLevel(file);
        if (m_stop) return m_stop;
        if (const MarkedValue* section = file.find("fp8_config"); section && section->kind == MarkedValue::Kind::Map) {
            for (size_t i = 0; i < section->keys.size(); ++i)
                fromFile(section->keys[i].text, section->items[i].json());
        }
        if (m_precision.empty()) {
            const MarkedValue* precision = file.find("mixed_precision");
            const bool none = !precision || precision->kind == MarkedValue::Kind::Null;
            if (!none && precision->kind != MarkedValue::Kind::Text)
                return stop("launch", "AttributeError", Trap::PrecisionIsBoolean, "mixed_precision", precision->text);
            if (!none) m_precision = precision->text;
        }
        return m_stop;
    }

    /// The variables of the training process, or a stop.
    std::optional<AccelerateStop> finish() {
        if (m_precision.empty()) m_precision = "no";
        m_environment["ACCELERATE_MIXED_PRECISION"] = m_precision;
        if (m_precision != "fp8") return m_stop;
        for (const auto& [key, value] : m_arguments.items()) {
            if (!key.starts_with("fp8_") || value.is_null()) continue;
            if (key == "fp8_override_linear_precision")
                writeOverride(value);
            else
                m_environment[variableName(key)] = pythonText(value);
        }
        return m_stop;
    }

    [[nodiscard]] const Environment& environment() const { return m_environment; }

private:
    std::optional<AccelerateStop> stop(const char* stage, const char* exception, Trap trap, const std::string& where,
                                       const std::string& found) {
        if (!m_stop) m_stop = {stage, exception, trap, where, found};
        return m_stop;
    }

    void readFlag(const Fp8Flag& flag, const std::string& text) {
        const std::string shown = fmt::format("--{}", flag.name);
        std::optional<Json> value;
        switch (flag.kind) {
            case FlagKind::Switch:
                value = true;
                break;
            case FlagKind::Integer:
                if (const auto number = pythonInt(text)) value = *number;
                break;
            case FlagKind::Truth:
                if (const auto truth = truthOf(text)) value = *truth ? 1 : 0;
                break;
            case FlagKind::Choice:
                value = text;
                if (std::ranges::none_of(flag.choices, [&](const char* word) { return word && text == word; })) {
                    stop("command line", "SystemExit", Trap::FlagChoice, shown, text);
                    return;
                }
                break;
            case FlagKind::ThreeTruths:
                value = Json::array();
                for (const std::string& part : split(text, ',')) {
                    const auto truth = truthOf(part);
                    if (!truth) {
                        value = std::nullopt;
                        break;
                    }
                    value->push_back(*truth ? 1 : 0);
                }
                break;
        }
        if (!value) {
            stop("command line", "SystemExit", Trap::FlagUnreadable, shown, text);
        } else if (std::string_view(flag.name) == "mixed_precision") {
            m_precision = text;
        } else {
            m_arguments[flag.name] = *value;
            m_typed.emplace_back(flag.name);
        }
    }

    void checkTopLevel(const MarkedValue& file) {
        const MarkedValue* type = file.find("distributed_type");
        if (!type) {
            stop("launch", "ValueError", Trap::NoDistributedType, "distributed_type", "");
            return;
        }
        const MarkedValue* environment = file.find("compute_environment");
        const auto known = configFileKeys(environment && environment->text == "AMAZON_SAGEMAKER");
        for (const MarkedValue& key : file.keys) {
            const bool isKnown = std::ranges::any_of(known, [&](const char* word) { return key.text == word; });
            if (!isKnown) stop("launch", "ValueError", Trap::UnknownTopKey, key.text, "");
        }
        // The unquoted NO is false, which is not the "NO" that stands for one process.
        const bool isNo = type->kind == MarkedValue::Kind::Text && type->text == "NO";
        if (!file.find("num_processes") && !isNo)
            stop("launch", "ValueError", Trap::NoNumProcesses, "num_processes", "");
    }

    void fromFile(const std::string& key, const Json& value) {
        const std::string name = key.starts_with("fp8") ? key : "fp8_" + key;
        if (std::ranges::find(m_typed, name) == m_typed.end()) m_arguments[name] = value;
    }

    /// Items 0, 1 and 2, whatever they are: of a text these are its first three characters.
    void writeOverride(const Json& value) {
        std::vector<std::string> parts;
        if (value.is_array()) {
            for (const Json& item : value)
                parts.push_back(pythonText(item));
        } else if (value.is_string()) {
            for (const char c : value.get<std::string>())
                parts.emplace_back(1, c);
        } else {
            stop("launch", "TypeError", Trap::SingleOverride, "override_linear_precision", pythonText(value));
            return;
        }
        if (parts.size() < 3) {
            stop("launch", "IndexError", Trap::ShortOverride, "override_linear_precision",
                 fmt::format("{} of them", parts.size()));
            return;
        }
        constexpr std::array names{"override_fprop", "override_dgrad", "override_wgrad"};
        for (size_t i = 0; i < names.size(); ++i)
            m_environment[variableName(names[i])] = parts[i];
    }

    Environment m_environment;
    Json m_arguments;
    std::string m_precision;
    std::vector<std::string> m_typed;
    std::optional<AccelerateStop> m_stop;
};

constexpr const char* kBaseKeys[] = {"compute_environment",
                                     "distributed_type",
                                     "mixed_precision",
                                     "use_cpu",
                                     "debug",
                                     "fp16",
                                     "dynamo_backend",
                                     "num_processes",
                                     "machine_rank",
                                     "num_machines",
                                     "gpu_ids",
                                     "main_process_ip",
                                     "main_process_port",
                                     "rdzv_backend",
                                     "same_network",
                                     "main_training_function",
                                     "enable_cpu_affinity",
                                     "fp8_config",
                                     "deepspeed_config",
                                     "fsdp_config",
                                     "parallelism_config",
                                     "megatron_lm_config",
                                     "mpirun_config",
                                     "downcast_bf16",
                                     "tpu_name",
                                     "tpu_zone",
                                     "tpu_use_cluster",
                                     "tpu_use_sudo",
                                     "command_file",
                                     "commands",
                                     "tpu_vm",
                                     "tpu_env",
                                     "dynamo_config"};
constexpr const char* kSagemakerKeys[] = {"compute_environment",
                                          "distributed_type",
                                          "mixed_precision",
                                          "use_cpu",
                                          "debug",
                                          "fp16",
                                          "dynamo_backend",
                                          "ec2_instance_type",
                                          "iam_role_name",
                                          "image_uri",
                                          "profile",
                                          "region",
                                          "num_machines",
                                          "gpu_ids",
                                          "base_job_name",
                                          "pytorch_version",
                                          "transformers_version",
                                          "py_version",
                                          "sagemaker_inputs_file",
                                          "sagemaker_metrics_file",
                                          "additional_args",
                                          "dynamo_config",
                                          "enable_cpu_affinity"};

}  // namespace

std::span<const char* const> configFileKeys(bool sagemaker) {
    if (sagemaker) return kSagemakerKeys;
    return kBaseKeys;
}

std::string parallelOf(const MarkedValue& file) {
    const MarkedValue* type = file.find("distributed_type");
    const std::string name = type ? type->text : "";
    if (name.starts_with("MULTI_")) return "ddp";
    if (name == "DEEPSPEED") return "deepspeed";
    if (name == "MEGATRON_LM") return "megatron";
    if (name != "FSDP") return "none";
    const MarkedValue* section = file.find("fsdp_config");
    const MarkedValue* version = section ? section->find("fsdp_version") : nullptr;
    return version && version->text == "2" ? "fsdp2" : "fsdp1";
}

AccelerateRun runLaunch(const MarkedValue* file, const std::vector<std::string>& flags, const Environment& exported,
                        const Target& target) {
    Launch launch(exported);
    AccelerateRun run;
    run.stop = launch.readFlags(flags);
    if (!run.stop && file) run.stop = launch.readFile(*file);
    if (!run.stop) run.stop = launch.finish();
    if (run.stop) return run;
    return runAccelerator({}, "", launch.environment(), target);
}

}  // namespace octet::recipe
