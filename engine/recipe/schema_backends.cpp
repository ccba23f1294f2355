// SPDX-License-Identifier: Apache-2.0
// Fields of the blocks "ao" and "native". Sources: facts/torchao.md 2, facts/accelerate.md 2.4,
// facts/transformer_engine.md 1.3-1.8.
#include "engine/recipe/schema_backends.h"

#include <iterator>

namespace octet::recipe {
namespace {

constexpr const char* kAccelerate = "Accelerate, then torchao";
constexpr const char* kTorchao = "torchao, when ao.config is custom";
constexpr const char* kTe = "Transformer Engine";

std::vector<RecipeField> aoCasts() {
    return {
        makeField<Recipe, &Recipe::ao, &AoRecipe::float8, &AoFloat8::input>(
            {.key = "ao.float8.cast_config_input",
             .anyCase = true,
             .help = "Cast of the input x in the output GEMM; default is tensorwise E4M3.",
             .readBy = kTorchao}),
        makeField<Recipe, &Recipe::ao, &AoRecipe::float8, &AoFloat8::inputForGradWeight>(
            {.key = "ao.float8.cast_config_input_for_grad_weight",
             .anyCase = true,
             .help = "Cast of x in the grad_weight GEMM; default is as in the output GEMM.",
             .readBy = kTorchao}),
        makeField<Recipe, &Recipe::ao, &AoRecipe::float8, &AoFloat8::weight>(
            {.key = "ao.float8.cast_config_weight",
             .anyCase = true,
             .help = "Cast of the weight in the output GEMM; default is tensorwise E4M3.",
             .readBy = kTorchao}),
        makeField<Recipe, &Recipe::ao, &AoRecipe::float8, &AoFloat8::weightForGradInput>(
            {.key = "ao.float8.cast_config_weight_for_grad_input",
             .anyCase = true,
             .help = "Cast of the weight in the grad_input GEMM; default is as in the output GEMM.",
             .readBy = kTorchao}),
        makeField<Recipe, &Recipe::ao, &AoRecipe::float8, &AoFloat8::gradOutput>(
            {.key = "ao.float8.cast_config_grad_output",
             .anyCase = true,
             .help = "Cast of dy in the grad_input GEMM; default is tensorwise E5M2.",
             .readBy = kTorchao}),
        makeField<Recipe, &Recipe::ao, &AoRecipe::float8, &AoFloat8::gradOutputForGradWeight>(
            {.key = "ao.float8.cast_config_grad_output_for_grad_weight",
             .anyCase = true,
             .help = "Cast of dy in the grad_weight GEMM; default is as in the grad_input GEMM.",
             .readBy = kTorchao}),
    };
}

std::vector<RecipeField> aoSwitches() {
    return {
        makeField<Recipe, &Recipe::ao, &AoRecipe::float8, &AoFloat8::useFastAccum>(
            {.key = "ao.float8.use_fast_accum",
             .help = "Fast accumulation of the GPU's GEMM for output, grad_input and grad_weight; the CPU accumulates "
                     "in float32.",
             .readBy = kTorchao}),
        makeField<Recipe, &Recipe::ao, &AoRecipe::float8, &AoFloat8::enableFsdpFloat8AllGather>(
            {.key = "ao.float8.enable_fsdp_float8_all_gather",
             .help = "FSDP2 gathers weights as FP8; needs tensorwise weights.",
             .readBy = kTorchao,
             .effect = Effect::Report}),
        makeField<Recipe, &Recipe::ao, &AoRecipe::float8, &AoFloat8::padInnerDim>(
            {.key = "ao.float8.pad_inner_dim",
             .help = "Pads the contracted dimension to a multiple of 16 with zeros, which change no value.",
             .readBy = kTorchao,
             .effect = Effect::Report}),
        makeField<Recipe, &Recipe::ao, &AoRecipe::float8, &AoFloat8::emulate>(
            {.key = "ao.float8.emulate",
             .help = "Multiplies dequantised operands in float32, as Octet's CPU does in any case.",
             .readBy = kTorchao,
             .effect = Effect::Report}),
        makeField<Recipe, &Recipe::ao, &AoRecipe::float8, &AoFloat8::roundScalesToPowerOf2>(
            {.key = "ao.float8.round_scales_to_power_of_2",
             .help = "Scales become powers of two, rounded down.",
             .readBy = kTorchao}),
    };
}

}  // namespace

std::vector<RecipeField> aoFields() {
    std::vector<RecipeField> fields{
        makeField<Recipe, &Recipe::ao, &AoRecipe::config>(
            {.key = "ao.config",
             .help =
                 "torchao's Float8LinearConfig: none (tensorwise with the two switches below), a recipe by name, or "
                 "custom (the block float8).",
             .readBy = kAccelerate}),
        makeField<Recipe, &Recipe::ao, &AoRecipe::padInnerDim>(
            {.key = "ao.pad_inner_dim",
             .help = "Pads the contracted dimension to a multiple of 16 with zeros, which change no value.",
             .readBy = "Accelerate, when ao.config is none",
             .effect = Effect::Report}),
        makeField<Recipe, &Recipe::ao, &AoRecipe::enableFsdpFloat8AllGather>(
            {.key = "ao.enable_fsdp_float8_all_gather",
             .help = "FSDP2 gathers weights as FP8. Without FSDP2 the optimizer loses the converted weights.",
             .readBy = "Accelerate, when ao.config is none",
             .effect = Effect::Report}),
    };
    for (auto part : {aoCasts(), aoSwitches()}) {
        fields.insert(fields.end(), std::make_move_iterator(part.begin()), std::make_move_iterator(part.end()));
    }
    return fields;
}

std::vector<RecipeField> nativeFields() {
    return {
        makeField<Recipe, &Recipe::native, &NativeRecipe::recipe>(
            {.key = "native.recipe",
             .help = "A recipe that Accelerate cannot reach: scales from the tensor's own amax, one per block of 128, "
                     "or one power of two per 32 values.",
             .readBy = kTe}),
        makeField<Recipe, &Recipe::native, &NativeRecipe::fp8Format>(
            {.key = "native.fp8_format",
             .anyCase = true,
             .help = "That is HYBRID with Float8CurrentScaling, E4M3 with the two block recipes.",
             .readBy = kTe,
             .library = "E5M2 is refused by every Transformer Engine",
             .documented = "E5M2 trains, in both directions"}),
        makeField<Recipe, &Recipe::native, &NativeRecipe::usePower2Scales>(
            {.key = "native.use_power_2_scales",
             .help = "Float8CurrentScaling: scales are cut to a power of two.",
             .readBy = "Transformer Engine, through NVTE_FP8_CURRENT_SCALING_POWER_2_SCALES=1"}),
        makeField<Recipe, &Recipe::native, &NativeRecipe::amaxEpsilon>(
            {.key = "native.amax_epsilon",
             .low = 0,
             .high = 1,
             .help = "Float8CurrentScaling and Float8BlockScaling: a smaller amax is raised to it.",
             .readBy = kTe}),
        makeField<Recipe, &Recipe::native, &NativeRecipe::useF32Scales>(
            {.key = "native.use_f32_scales", .help = "Float8BlockScaling: scales keep their mantissa.", .readBy = kTe}),
        makeField<Recipe, &Recipe::native, &NativeRecipe::enable2dQuantization>(
            {.key = "native.enable_2d_quantization",
             .help = "MXFP8BlockScaling: one scale per 32 x 32 weights in place of 1 x 32.",
             .readBy = kTe}),
        makeField<Recipe, &Recipe::native, &NativeRecipe::mxScaleMode>(
            {.key = "native.mx_scale_mode",
             .help = "MXFP8BlockScaling: how an amax becomes a power of two: te rounds up exactly; floor, ceil, even "
                     "and rceil are torchao's.",
             .readBy = "Octet; Transformer Engine always rounds up exactly"}),
        makeField<Recipe, &Recipe::native, &NativeRecipe::backwardOverride>(
            {.key = "native.backward_override",
             .help = "dgrad and wgrad in high precision: from the original operands, or from the dequantised ones.",
             .readBy = kTe}),
        makeField<Recipe, &Recipe::native, &NativeRecipe::useFastAccum>(
            {.key = "native.use_fast_accum",
             .help = "Fast accumulation of the GPU's GEMM for fprop, dgrad and wgrad; Float8BlockScaling never uses "
                     "it, the CPU accumulates in float32.",
             .readBy = kTe}),
    };
}

}  // namespace octet::recipe
