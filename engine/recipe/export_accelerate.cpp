// SPDX-License-Identifier: Apache-2.0
// Files for Accelerate: a launch config as YAML or JSON, and keyword arguments.
// Source: facts of accelerate 1.15.0: backend in capitals, lists of three, whole numbers, "NO" in quotes, and for
// torchao the all-gather switch off outside FSDP2.
#include <fmt/format.h>

#include "engine/core/json.h"
#include "engine/recipe/accelerate_python.h"
#include "engine/recipe/export_parts.h"
#include "engine/recipe/schema.h"
#include "engine/recipe/te_library.h"

namespace octet::recipe {
namespace {

constexpr const char* kNoTeFilter = "Accelerate has no layer filter for Transformer Engine";
constexpr const char* kNoAoFilter = "a file cannot carry torchao's filter; the python form does";

/// Every field of the te block under its own name. An override that keeps nothing stays out: written as a list it would
/// differ from Accelerate's tuple default and travel on for nothing.
Json teKwargs(const Recipe& recipe) {
    constexpr std::string_view prefix = "te.";
    Json kwargs;
    for (const RecipeField& field : recipeFields()) {
        const std::string_view key = field.key;
        if (!key.starts_with(prefix)) continue;
        const bool idleOverride = field.type == FieldType::ThreeBooleans &&
                                  recipe.te.overrideLinearPrecision == TeRecipe{}.overrideLinearPrecision;
        if (!idleOverride) kwargs[std::string(key.substr(prefix.size()))] = fieldToJson(field, field.get(recipe));
    }
    return kwargs;
}

/// The two switches that a file can carry. torchao's tensorwise recipe by name is the same with both off.
Json aoKwargs(const Recipe& recipe) {
    const bool own = recipe.ao.config == AoConfig::None;
    return {{"pad_inner_dim", own && recipe.ao.padInnerDim},
            {"enable_fsdp_float8_all_gather", own && recipe.ao.enableFsdpFloat8AllGather}};
}

std::optional<Error> unreachable(const Recipe& recipe) {
    if (recipe.backend == Backend::Native)
        return cannotExport("Accelerate cannot reach this recipe: TERecipeKwargs has no field for it.", "te");
    const bool plain = recipe.ao.config == AoConfig::None || recipe.ao.config == AoConfig::Tensorwise;
    if (recipe.backend == Backend::Ao && !plain) {
        return cannotExport(fmt::format("A file cannot carry ao.config {}: Accelerate reads only pad_inner_dim and "
                                        "enable_fsdp_float8_all_gather for AO.",
                                        nameOf(recipe.ao.config)),
                            "python");
    }
    if (recipe.backend == Backend::Te) return libraryRefusal(recipe);
    return std::nullopt;
}

std::vector<std::string> leftOutOf(const Recipe& recipe) {
    std::vector<std::string> leftOut = targetSentences(recipe);
    for (std::string& sentence : leftOutOfForm(recipe, recipe.backend == Backend::Ao ? kNoAoFilter : kNoTeFilter))
        leftOut.push_back(std::move(sentence));
    return leftOut;
}

/// fp8_config of a file. MXFP8 takes no amax fields and no format but E4M3.
Json fp8Config(const Recipe& recipe) {
    Json config = {{"backend", nameOf(recipe.backend)}};
    const Json kwargs = recipe.backend == Backend::Ao ? aoKwargs(recipe) : teKwargs(recipe);
    const bool mxfp8 = recipe.backend == Backend::Te && recipe.te.useMxfp8BlockScaling;
    for (const auto& [key, value] : kwargs.items()) {
        const bool amax = key.starts_with("amax_");
        const bool idle = (key == "interval" && value == 1) || (key == "use_mxfp8_block_scaling" && value == false);
        if (idle || (mxfp8 && amax)) continue;
        config[key] = mxfp8 && key == "fp8_format" ? Json("E4M3") : value;
    }
    return config;
}

Json configFile(const Recipe& recipe) {
    const std::string& parallel = recipe.target.parallel;
    const bool fsdp = parallel.starts_with("fsdp");
    Json file = {{"compute_environment", "LOCAL_MACHINE"}};
    file["distributed_type"] = parallel == "ddp"         ? "MULTI_GPU"
                               : fsdp                    ? "FSDP"
                               : parallel == "deepspeed" ? "DEEPSPEED"
                               : parallel == "megatron"  ? "MEGATRON_LM"
                                                         : "NO";
    file["num_processes"] = parallel == "none" ? 1 : 2;
    file["mixed_precision"] = recipe.backend == Backend::None ? "bf16" : "fp8";
    if (recipe.backend != Backend::None) file["fp8_config"] = fp8Config(recipe);
    if (fsdp) {
        file["fsdp_config"] = {{"fsdp_version", parallel == "fsdp2" ? 2 : 1},
                               {"fsdp_auto_wrap_policy", "TRANSFORMER_BASED_WRAP"},
                               {"fsdp_cpu_ram_efficient_loading", false}};
    }
    // Without compilation, torchao's dynamic casts cost more than the GEMMs gain.
    if (recipe.backend == Backend::Ao)
        file["dynamo_config"] = {{"dynamo_backend", "INDUCTOR"}, {"dynamo_use_regional_compilation", true}};
    return file;
}

std::string yamlScalar(const std::string& key, const Json& value) {
    if (value.is_string() && key == "distributed_type" && value == "NO") return "\"NO\"";
    return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string yamlText(const Json& object, const std::string& indent) {
    std::string text;
    for (const auto& [key, value] : object.items()) {
        if (value.is_object()) {
            text += fmt::format("{}{}:\n{}", indent, key, yamlText(value, indent + "  "));
        } else if (value.is_array()) {
            std::string items;
            for (const Json& item : value)
                items += (items.empty() ? "" : ", ") + item.dump();
            text += fmt::format("{}{}: [{}]\n", indent, key, items);
        } else {
            text += fmt::format("{}{}: {}\n", indent, key, yamlScalar(key, value));
        }
    }
    return text;
}

Result<Exported> fileOf(const Recipe& recipe, bool yaml) {
    if (auto error = unreachable(recipe)) return *error;
    std::vector<std::string> leftOut = leftOutOf(recipe);
    if (recipe.target.parallel != "none")
        leftOut.emplace_back("num_processes 2 stands for the number of your GPUs: set it.");
    const Json file = configFile(recipe);
    if (!yaml) return Exported{prettyJson(file), leftOut};
    const std::string library = recipe.backend == Backend::Ao ? " with torchao " + recipe.target.torchao
                                : recipe.backend == Backend::Te
                                    ? " with Transformer Engine " + recipe.target.transformerEngine
                                    : "";
    std::string name = recipe.name;
    std::erase_if(name, [](char c) { return c == '\n' || c == '\r'; });
    const std::string head = fmt::format("# Recipe \"{}\" for Accelerate {}{}, written by Octet.\n", name,
                                         recipe.target.accelerate, library);
    return Exported{head + yamlText(file, ""), leftOut};
}

}  // namespace

Result<Exported> accelerateKwargs(const Recipe& recipe) {
    if (recipe.backend == Backend::None) {
        return cannotExport(
            "A baseline has no kwargs: without a recipe handler and with mixed_precision \"bf16\" Accelerate trains "
            "it.",
            "octet-json");
    }
    if (auto error = unreachable(recipe)) return *error;
    return Exported{prettyJson(recipe.backend == Backend::Ao ? aoKwargs(recipe) : teKwargs(recipe)), leftOutOf(recipe)};
}

Result<Exported> accelerateYaml(const Recipe& recipe) {
    return fileOf(recipe, true);
}

Result<Exported> accelerateJson(const Recipe& recipe) {
    return fileOf(recipe, false);
}

}  // namespace octet::recipe
