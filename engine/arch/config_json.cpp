// SPDX-License-Identifier: Apache-2.0
#include "engine/arch/config_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "engine/arch/config_families.h"
#include "engine/core/files.h"
#include "engine/core/text.h"

namespace octet::arch {
namespace {

struct Family {
    const char* name;  // model_type
    void (*build)(ConfigFields&, ConfigModel&);
    bool tiesByDefault;
};

constexpr Family kFamilies[] = {
    {"llama", llamaModules, false}, {"mistral", mistralModules, false}, {"qwen2", qwen2Modules, false},
    {"qwen3", qwen3Modules, false}, {"mixtral", mixtralModules, false}, {"gpt2", gpt2Modules, true},
    {"bert", bertModules, true},    {"vit", vitModules, false},
};

Result<const Family*> familyOf(ConfigFields& config, const std::string& what) {
    std::vector<std::string> known;
    for (const Family& family : kFamilies)
        known.emplace_back(family.name);
    const std::string type = config.text("model_type", "");
    if (config.error()) return *config.error();
    if (type.empty()) {
        return Error{ErrorCode::Usage, fmt::format("{}: the key \"model_type\" is missing.", what),
                     "Give the config.json of a Hugging Face model."};
    }
    const auto* found = std::ranges::find_if(kFamilies, [&](const Family& family) { return type == family.name; });
    if (found != std::end(kFamilies)) return found;
    const auto nearest = nearestWord(type, known);
    return Error{ErrorCode::Refused,
                 fmt::format("{}: model_type \"{}\" is not known; known are {}.", what, type, fmt::join(known, ", ")),
                 nearest ? fmt::format("Is it built like \"{}\"? Then change model_type in a copy.", *nearest) : ""};
}

/// The output layer shares the embedding's weight: Accelerate re-maps the optimizer by name and loses the copy.
void noteTiedHead(ConfigFields& config, const Family& family, ConfigModel& model) {
    if (!config.flag("tie_word_embeddings", family.tiesByDefault)) return;
    const auto tied = std::ranges::find_if(model.modules, [](const Module& module) {
        return module.name == "lm_head" || module.name == "cls.predictions.decoder";
    });
    if (tied == model.modules.end()) return;
    model.notes.push_back(
        fmt::format("{} shares its weight with the input embedding; where Transformer Engine replaces it, it gets a "
                    "copy of its own "
                    "that the optimizer does not hold.",
                    tied->name));
}

}  // namespace

Result<ConfigModel> modulesFromConfig(const Json& json, const std::string& what) {
    if (!json.is_object()) {
        return Error{ErrorCode::Usage, fmt::format("{}: expected an object, found {}.", what, jsonKind(json)),
                     "Give the config.json of a Hugging Face model."};
    }
    ConfigFields config(json, what);
    const auto family = familyOf(config, what);
    if (!family) return family.error();
    ConfigModel model;
    model.family = (*family)->name;
    (*family)->build(config, model);
    noteTiedHead(config, **family, model);
    if (config.error()) return *config.error();
    if (model.modules.empty()) {
        return Error{ErrorCode::Usage, fmt::format("{}: layers times experts is more than a million.", what),
                     "Check num_hidden_layers and num_local_experts."};
    }
    model.summary = model.family + ": " + model.summary;
    return model;
}

Result<ConfigModel> modulesFromConfigFile(const std::string& path) {
    std::filesystem::path file = path;
    if (std::filesystem::is_directory(file)) file /= "config.json";
    const auto text = readFile(file.string());
    if (!text) return text.error();
    const std::string what = fmt::format("model file {}", file.string());
    const auto json = parseJson(*text, what);
    if (!json) return json.error();
    return modulesFromConfig(*json, what);
}

Result<ConfigModel> modulesFromSpecOrConfig(const std::string& text) {
    const bool isPath = text.find('/') != std::string::npos || text.ends_with(".json") ||
                        (text.find(':') == std::string::npos && std::filesystem::is_directory(text));
    if (isPath) return modulesFromConfigFile(text);
    const auto spec = parseModelSpec(text);
    if (!spec) return spec.error();
    const std::string whole = modelSpecText(*spec);
    return ConfigModel{whole.substr(0, whole.find(':')), whole, listModules(*spec), {}};
}

}  // namespace octet::arch
