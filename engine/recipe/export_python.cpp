// SPDX-License-Identifier: Apache-2.0
// Python sources: a whole file for Accelerate, and the parts for torchao and Transformer Engine alone. Each runs
// without edits and prints what it builds.
#include <fmt/format.h>

#include <array>

#include "engine/recipe/accelerate_python.h"
#include "engine/recipe/ao_config.h"
#include "engine/recipe/effective.h"
#include "engine/recipe/export_parts.h"
#include "engine/recipe/schema.h"
#include "engine/recipe/te_library.h"

namespace octet::recipe {
namespace {

std::string head(const Recipe& recipe, const char* purpose) {
    std::string name = recipe.name;
    std::erase_if(name, [](char c) { return c == '\n' || c == '\r' || c == '"' || c == '\\'; });
    const Target& target = recipe.target;
    return fmt::format(
        "\"\"\"{}: recipe {}, written by Octet.\n\n"
        "For Accelerate {}, Transformer Engine {}, torchao {}. Run it to see what it builds.\n\"\"\"\n",
        purpose, name, target.accelerate, target.transformerEngine, target.torchao);
}

std::string teKwargsCode(const Recipe& recipe) {
    std::string code;
    for (const EffectiveField& field : effectiveRecipe(recipe).fields) {
        const RecipeField& schema = recipeField(field.key);
        const FieldValue value = schema.get(recipe);
        if (value == schema.get(Recipe{})) continue;
        std::string literal = pythonLiteral(fieldToJson(schema, value));
        // A tuple, as Accelerate's own default is.
        if (literal.front() == '[') literal = "(" + literal.substr(1, literal.size() - 2) + ")";
        code += fmt::format("{}{}={}", code.empty() ? "" : ", ", field.key.substr(3), literal);
    }
    return code;
}

std::string aoKwargsCode(const Recipe& recipe, bool filtered) {
    const bool own = recipe.ao.config == AoConfig::None;
    std::string code =
        own ? fmt::format("pad_inner_dim={}, enable_fsdp_float8_all_gather={}", pythonLiteral(recipe.ao.padInnerDim),
                          pythonLiteral(recipe.ao.enableFsdpFloat8AllGather))
            : "config=float8_config()";
    if (filtered) code += ", module_filter_func=make_filter(model)";
    return code;
}

std::string indented(const std::string& code) {
    return code + (code.empty() ? "" : "\n\n");
}

std::string acceleratorCode(const Recipe& recipe, const std::string& filter) {
    if (recipe.backend == Backend::None)
        return "def make_accelerator(model=None, **more):\n    return Accelerator(mixed_precision=\"bf16\", **more)\n";
    const std::string handler = recipe.backend == Backend::Ao
                                    ? fmt::format("AORecipeKwargs({})", aoKwargsCode(recipe, !filter.empty()))
                                    : fmt::format("TERecipeKwargs({})", teKwargsCode(recipe));
    const char* model = filter.empty() ? "model=None" : "model";
    return fmt::format(
        "def recipe_handlers({}):\n    return [{}]\n\n\n"
        "def make_accelerator({}, **more):\n"
        "    return Accelerator(mixed_precision=\"fp8\", kwargs_handlers=recipe_handlers(model), **more)\n",
        model, handler, model);
}

/// is_fp8_on tells what was swapped; under FSDP2 with TE that alone proves nothing.
std::string checkCode(const Recipe& recipe) {
    if (recipe.backend == Backend::None) return {};
    const char* test = recipe.backend == Backend::Ao ? "has_ao_layers" : "has_transformer_engine_layers";
    return fmt::format(
        "\n\ndef is_fp8_on(accelerator, prepared_model):\n"
        "    \"\"\"True when prepare() swapped layers; prepare(model, optimizer) must be one call.\"\"\"\n"
        "    return {}(accelerator.unwrap_model(prepared_model))\n",
        test);
}

std::string toyModel(const std::string& filter) {
    if (filter.empty()) return {};
    return "    model = torch.nn.Sequential(*[torch.nn.Linear(32, 32, device=\"meta\") for _ in range(3)])\n";
}

struct CastName {
    AoCast cast;
    const char* code;
};
constexpr CastName kCasts[] = {
    {AoCast::DynTenE4M3, "CastConfig(target_dtype=e4m3_dtype)"},
    {AoCast::DynTenE5M2, "CastConfig(target_dtype=e5m2_dtype)"},
    {AoCast::DynAxsE4M3, "CastConfig(scaling_granularity=ScalingGranularity.AXISWISE, target_dtype=e4m3_dtype)"},
    {AoCast::DynAxsE5M2, "CastConfig(scaling_granularity=ScalingGranularity.AXISWISE, target_dtype=e5m2_dtype)"},
};

/// A disabled cast still takes part in torchao's check that both uses of an operand have one type.
std::string castCode(AoCast cast, AoCast sibling) {
    for (const CastName& known : kCasts) {
        if (known.cast == cast) return known.code;
    }
    if (cast != AoCast::Disabled) return "CastConfig()";
    const bool e5m2 = sibling == AoCast::DynTenE5M2 || sibling == AoCast::DynAxsE5M2;
    return fmt::format("CastConfig(scaling_type=ScalingType.DISABLED, target_dtype={})",
                       e5m2 ? "e5m2_dtype" : "e4m3_dtype");
}

std::string customConfig(const AoFloat8& config) {
    struct Line {
        const char* name;
        AoCast AoFloat8::*cast;
        AoCast AoFloat8::*sibling;
    };
    constexpr Line casts[] = {
        {"cast_config_input", &AoFloat8::input, &AoFloat8::inputForGradWeight},
        {"cast_config_input_for_grad_weight", &AoFloat8::inputForGradWeight, &AoFloat8::input},
        {"cast_config_weight", &AoFloat8::weight, &AoFloat8::weightForGradInput},
        {"cast_config_weight_for_grad_input", &AoFloat8::weightForGradInput, &AoFloat8::weight},
        {"cast_config_grad_output", &AoFloat8::gradOutput, &AoFloat8::gradOutputForGradWeight},
        {"cast_config_grad_output_for_grad_weight", &AoFloat8::gradOutputForGradWeight, &AoFloat8::gradOutput}};
    std::string code = "    return Float8LinearConfig(\n";
    for (const Line& line : casts)
        code += fmt::format("        {}={},\n", line.name, castCode(config.*line.cast, config.*line.sibling));
    constexpr std::array gemms{"output", "grad_input", "grad_weight"};
    for (size_t i = 0; i < gemms.size(); ++i) {
        code += fmt::format("        gemm_config_{}=Float8GemmConfig(use_fast_accum={}),\n", gemms[i],
                            pythonLiteral(config.useFastAccum[i]));
    }
    const std::pair<const char*, bool> switches[] = {
        {"enable_fsdp_float8_all_gather", config.enableFsdpFloat8AllGather},
        {"pad_inner_dim", config.padInnerDim},
        {"emulate", config.emulate},
        {"round_scales_to_power_of_2", config.roundScalesToPowerOf2}};
    for (const auto& [name, on] : switches)
        code += fmt::format("        {}={},\n", name, pythonLiteral(on));
    return code + "    )\n";
}

std::string fastAccumCode(const NativeRecipe& native) {
    if (native.useFastAccum == NativeRecipe{}.useFastAccum || native.recipe != NativeKind::Float8CurrentScaling)
        return {};
    std::string code;
    for (const Gemm gemm : kGemms) {
        const auto i = static_cast<size_t>(gemm);
        code += fmt::format("    recipe.fp8_gemm_{} = MMParams(use_split_accumulator={})\n", kGemmNames[i],
                            pythonLiteral(!native.useFastAccum[i]));
    }
    return code;
}

/// te.Linear reads rounding and epsilon of scales from these attributes, not from the constructor's arguments.
std::string quantisationCode(const NativeRecipe& native) {
    const bool current = native.recipe == NativeKind::Float8CurrentScaling;
    const bool block = native.recipe == NativeKind::Float8BlockScaling;
    const bool powerOfTwo = current ? native.usePower2Scales : !native.useF32Scales;
    const bool isDefault = native.amaxEpsilon == 0 && powerOfTwo == block;
    if (isDefault || (!current && !block)) return {};
    std::string code;
    for (const char* name : {"fp8_quant_fwd_inp", "fp8_quant_fwd_weight", "fp8_quant_bwd_grad"}) {
        code += fmt::format("    recipe.{} = QParams(power_2_scale={}, amax_epsilon={})\n", name,
                            pythonLiteral(powerOfTwo), pythonLiteral(native.amaxEpsilon));
    }
    return code;
}

std::string nativeArguments(const Recipe& recipe) {
    const NativeRecipe& native = recipe.native;
    std::string code;
    const auto add = [&](const std::string& text) { code += (code.empty() ? "" : ", ") + text; };
    if (native.fp8Format != NativeFormat::Default) add(fmt::format("fp8_format=Format.{}", nameOf(native.fp8Format)));
    if (native.usePower2Scales && native.recipe == NativeKind::Float8CurrentScaling) add("use_power_2_scales=True");
    if (native.useF32Scales && native.recipe == NativeKind::Float8BlockScaling) add("use_f32_scales=True");
    if (native.enable2dQuantization && native.recipe == NativeKind::Mxfp8BlockScaling)
        add("enable_2d_quantization=True");
    if (native.backwardOverride != BackwardOverride::None)
        add(fmt::format("backward_override=\"{}\"", nameOf(native.backwardOverride)));
    return code;
}

std::string nativeCode(const Recipe& recipe) {
    const NativeRecipe& native = recipe.native;
    const std::string body = quantisationCode(native) + fastAccumCode(native);
    std::string imports = fmt::format("from transformer_engine.common.recipe import {}, Format", nameOf(native.recipe));
    if (body.find("QParams") != std::string::npos) imports += ", QParams";
    if (body.find("MMParams") != std::string::npos) imports += ", MMParams";
    return fmt::format("{}\n\n\ndef te_recipe():\n    recipe = {}({})\n{}    return recipe\n", imports,
                       nameOf(native.recipe), nativeArguments(recipe), body);
}

/// The recipe that Accelerate's way would end in, written for TE itself.
std::string acceleratedCode(const Recipe& recipe) {
    const TeRecipe& te = recipe.te;
    if (te.useMxfp8BlockScaling) {
        return fmt::format(
            "from transformer_engine.common.recipe import Format, MXFP8BlockScaling\n\n\ndef te_recipe():\n"
            "    return MXFP8BlockScaling(margin={}, fp8_format=Format.E4M3)\n",
            te.margin);
    }
    const AmaxAlgo algo = recipe.semantics == Semantics::Documented ? te.amaxComputeAlgo : AmaxAlgo::Max;
    return fmt::format(
        "from transformer_engine.common.recipe import DelayedScaling, Format\n\n\ndef te_recipe():\n"
        "    return DelayedScaling(margin={}, fp8_format=Format.{}, amax_history_len={}, amax_compute_algo=\"{}\")\n",
        te.margin, nameOf(te.fp8Format), te.amaxHistoryLen, nameOf(algo));
}

std::vector<std::string> joined(std::vector<std::string> a, const std::vector<std::string>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

constexpr const char* kPrintRecipe = "\n\nif __name__ == \"__main__\":\n    print(te_recipe())\n";

}  // namespace

std::string torchaoConfigCode(const Recipe& recipe) {
    const AoRecipe& ao = recipe.ao;
    std::string body;
    if (ao.config == AoConfig::None) {
        body = fmt::format("    return Float8LinearConfig(pad_inner_dim={}, enable_fsdp_float8_all_gather={})\n",
                           pythonLiteral(ao.padInnerDim), pythonLiteral(ao.enableFsdpFloat8AllGather));
    } else if (ao.config == AoConfig::Custom) {
        body = customConfig(float8ConfigOf(ao));
    } else {
        body = fmt::format("    return Float8LinearConfig.from_recipe_name(\"{}\")\n", nameOf(ao.config));
    }
    return "def float8_config():\n" + body;
}

std::string torchaoImports(const Recipe& recipe) {
    if (recipe.ao.config != AoConfig::Custom) return "from torchao.float8 import Float8LinearConfig\n";
    return "from torchao.float8.config import (\n    CastConfig,\n    Float8GemmConfig,\n    Float8LinearConfig,\n"
           "    ScalingGranularity,\n    ScalingType,\n    e4m3_dtype,\n    e5m2_dtype,\n)\n";
}

std::string teRecipeCode(const Recipe& recipe) {
    return recipe.backend == Backend::Native ? nativeCode(recipe) : acceleratedCode(recipe);
}

Result<Exported> pythonFile(const Recipe& recipe) {
    if (recipe.backend == Backend::Native) return teSnippet(recipe);
    if (const auto refusal = effectiveRecipe(recipe).refusal) return *refusal;
    const bool ao = recipe.backend == Backend::Ao;
    const std::string filter = ao ? filterCode(recipe, false) : "";
    const bool hasConfig = ao && recipe.ao.config != AoConfig::None;
    std::string text = head(recipe, "Accelerate") + embeddedRecipe(recipe);
    if (!filter.empty()) text += "import re\n\nimport torch\n";
    text += "from accelerate import Accelerator\n";
    if (recipe.backend == Backend::Te)
        text += "from accelerate.utils import TERecipeKwargs, has_transformer_engine_layers\n";
    if (ao) text += "from accelerate.utils import AORecipeKwargs, has_ao_layers\n";
    if (hasConfig) text += torchaoImports(recipe);
    text += "\n\n" + indented(hasConfig ? torchaoConfigCode(recipe) : "") + indented(filter) +
            acceleratorCode(recipe, filter) + checkCode(recipe);
    text += "\n\nif __name__ == \"__main__\":\n" + toyModel(filter);
    text += recipe.backend == Backend::None ? "    print(make_accelerator().mixed_precision)\n"
            : filter.empty()                ? "    print(recipe_handlers()[0])\n"
                                            : "    print(recipe_handlers(model)[0])\n";
    std::vector<std::string> leftOut = targetSentences(recipe);
    leftOut = joined(leftOut, ao ? leftOutOfFilter(recipe)
                                 : leftOutOfForm(recipe, "Accelerate has no layer filter for Transformer Engine"));
    return Exported{text, leftOut};
}

Result<Exported> torchaoSnippet(const Recipe& recipe) {
    if (recipe.backend != Backend::Ao)
        return cannotExport(
            fmt::format("torchao's config is for backend AO; this recipe's backend is {}.", nameOf(recipe.backend)),
            recipe.backend == Backend::None ? "accelerate-yaml" : "te");
    if (const auto refusal = effectiveRecipe(recipe).refusal) return *refusal;
    const std::string filter = filterCode(recipe, true);
    std::string text =
        head(recipe, "torchao") + embeddedRecipe(recipe) + "import re\n\nimport torch\n" + torchaoImports(recipe);
    text += "\n\n" + torchaoConfigCode(recipe) + "\n\n" + filter;
    text +=
        "\n\ndef convert(model):\n"
        "    \"\"\"In place; build the optimizer after it.\"\"\"\n"
        "    from torchao.float8 import convert_to_float8_training\n\n"
        "    return convert_to_float8_training(model, config=float8_config(), module_filter_fn=make_filter(model))\n"
        "\n\nif __name__ == \"__main__\":\n    print(float8_config())\n";
    std::vector<std::string> leftOut = leftOutOfFilter(recipe);
    return Exported{text, leftOut};
}

Result<Exported> teSnippet(const Recipe& recipe) {
    if (recipe.backend != Backend::Te && recipe.backend != Backend::Native)
        return cannotExport(fmt::format("Transformer Engine's recipes are for backends TE and native; this recipe's "
                                        "backend is {}.",
                                        nameOf(recipe.backend)),
                            recipe.backend == Backend::None ? "accelerate-yaml" : "torchao");
    if (const auto refusal = effectiveRecipe(recipe).refusal) {
        const bool onlyAccelerate = refusal->message.starts_with("Accelerate");
        if (!onlyAccelerate) return *refusal;
    }
    std::vector<std::string> leftOut;
    const NativeRecipe& native = recipe.native;
    if (recipe.backend == Backend::Te && recipe.te.interval != 1)
        leftOut.push_back(
            fmt::format("interval {} is left out: Transformer Engine has no such field.", recipe.te.interval));
    if (recipe.backend == Backend::Te && recipe.te.overrideLinearPrecision != TeRecipe{}.overrideLinearPrecision)
        leftOut.emplace_back(
            "override_linear_precision is left out: Transformer Engine has had no such field since 2.0.");
    if (recipe.backend == Backend::Native && native.recipe == NativeKind::Mxfp8BlockScaling &&
        native.mxScaleMode != MxScaleMode::Te)
        leftOut.push_back(fmt::format("mx_scale_mode {} is left out: Transformer Engine always rounds up exactly.",
                                      nameOf(native.mxScaleMode)));
    if (recipe.backend == Backend::Native && native.recipe == NativeKind::Mxfp8BlockScaling &&
        native.useFastAccum != NativeRecipe{}.useFastAccum)
        leftOut.emplace_back("use_fast_accum is left out: MXFP8BlockScaling has no such attribute.");
    if (!recipe.layers.rules.empty())
        leftOut.push_back(fmt::format("Layer rules ({}) are left out: the nvdlfw form keeps layers in high precision.",
                                      recipe.layers.rules.size()));
    return Exported{head(recipe, "Transformer Engine") + embeddedRecipe(recipe) + teRecipeCode(recipe) + kPrintRecipe,
                    leftOut};
}

}  // namespace octet::recipe
