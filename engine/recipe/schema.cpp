// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "engine/recipe/recipe_json.h"
#include "engine/recipe/schema_backends.h"

namespace octet::recipe {
namespace {

constexpr const char* kTe = "Accelerate, then Transformer Engine";
constexpr const char* kTarget = "Octet: decides what is refused and reported";

std::vector<RecipeField> headFields() {
    return {
        makeField<Recipe, &Recipe::name>({.key = "name", .help = "Name in lists and plots."}),
        makeField<Recipe, &Recipe::backend>(
            {.key = "backend",
             .help = "Who trains in FP8: none (the BF16 baseline), TE (Transformer Engine), AO (torchao), native "
                     "(recipes that Accelerate cannot reach).",
             .readBy = "Accelerate"}),
        makeField<Recipe, &Recipe::semantics>(
            {.key = "semantics",
             .help = "library: what the chosen versions really do; documented: every field does what its documentation "
                     "says."}),
    };
}

std::vector<RecipeField> targetFields() {
    return {
        makeField<Recipe, &Recipe::target, &Target::accelerate>({.key = "target.accelerate",
                                                                 .type = FieldType::Version,
                                                                 .help = "Accelerate version aimed at.",
                                                                 .readBy = kTarget,
                                                                 .effect = Effect::Report}),
        makeField<Recipe, &Recipe::target, &Target::transformerEngine>(
            {.key = "target.transformer_engine",
             .type = FieldType::Version,
             .help = "Transformer Engine version aimed at; below 2.0 Accelerate cannot use it.",
             .readBy = kTarget,
             .effect = Effect::Report}),
        makeField<Recipe, &Recipe::target, &Target::torchao>({.key = "target.torchao",
                                                              .type = FieldType::Version,
                                                              .help = "torchao version aimed at.",
                                                              .readBy = kTarget,
                                                              .effect = Effect::Report}),
        makeField<Recipe, &Recipe::target, &Target::computeCapability>(
            {.key = "target.compute_capability",
             .type = FieldType::Version,
             .help = "CUDA compute capability aimed at: 8.9 Ada, 9.0 Hopper, 10.0 Blackwell.",
             .readBy = kTarget,
             .effect = Effect::Report}),
        makeField<Recipe, &Recipe::target, &Target::parallel>(
            {.key = "target.parallel",
             .choices = {"none", "ddp", "fsdp1", "fsdp2", "deepspeed", "megatron"},
             .help = "How the real training is spread over GPUs.",
             .readBy = kTarget,
             .effect = Effect::Report}),
    };
}

std::vector<RecipeField> teScalingFields() {
    return {
        makeField<Recipe, &Recipe::te, &TeRecipe::fp8Format>(
            {.key = "te.fp8_format",
             .anyCase = true,
             .help = "HYBRID: E4M3 for inputs and weights, E5M2 for gradients; E4M3: everywhere; E5M2: everywhere.",
             .readBy = kTe,
             .library = "E5M2 is refused by every Transformer Engine",
             .documented = "E5M2 trains, in both directions"}),
        makeField<Recipe, &Recipe::te, &TeRecipe::margin>(
            {.key = "te.margin",
             .low = -64,
             .high = 64,
             .warnBelow = 0,
             .warning = "scales above 1x push the largest values over the format's maximum; they saturate.",
             .unit = "octaves",
             .help = "Each scale is divided by 2^margin: headroom below the format's maximum.",
             .readBy = kTe}),
        makeField<Recipe, &Recipe::te, &TeRecipe::interval>(
            {.key = "te.interval",
             .low = 1,
             .high = 1'000'000,
             .unit = "updates",
             .help = "Updates between two computations of the scale.",
             .readBy = "nobody since Transformer Engine 2.2",
             .effect = Effect::DocumentedOnly,
             .library = "ignored",
             .documented = "the history rolls at every update, the scale is made at every interval-th, first at 0"}),
        makeField<Recipe, &Recipe::te, &TeRecipe::amaxHistoryLen>({.key = "te.amax_history_len",
                                                                   .low = 1,
                                                                   .high = 65'536,
                                                                   .unit = "updates",
                                                                   .help = "Updates for which an amax is remembered.",
                                                                   .readBy = kTe}),
        makeField<Recipe, &Recipe::te, &TeRecipe::amaxComputeAlgo>(
            {.key = "te.amax_compute_algo",
             .anyCase = true,
             .help = "The amax that makes the scale: the largest of the history, or the newest.",
             .readBy = kTe,
             .effect = Effect::DocumentedOnly,
             .library = "most_recent is Accelerate's own default and never passed on, so max runs",
             .documented = "both take effect"}),
    };
}

std::vector<RecipeField> teOtherFields() {
    return {
        makeField<Recipe, &Recipe::te, &TeRecipe::overrideLinearPrecision>(
            {.key = "te.override_linear_precision",
             .help = "Keeps fprop, dgrad or wgrad of every linear layer out of FP8.",
             .readBy = "nobody since Transformer Engine 2.0",
             .effect = Effect::DocumentedOnly,
             .library = "ignored; a layer rule keeps a GEMM in high precision",
             .documented = "takes effect per GEMM"}),
        makeField<Recipe, &Recipe::te, &TeRecipe::useMxfp8BlockScaling>(
            {.key = "te.use_mxfp8_block_scaling",
             .help = "One power-of-two scale per 32 values in place of delayed scaling (Blackwell).",
             .readBy = kTe,
             .library = "refused together with amax_history_len or amax_compute_algo other than default"}),
        makeField<Recipe, &Recipe::te, &TeRecipe::useAutocastDuringEval>(
            {.key = "te.use_autocast_during_eval",
             .help = "Evaluates inside FP8; the amaxes of evaluation then enter the history.",
             .readBy = "Accelerate"}),
    };
}

std::vector<RecipeField> layerFields() {
    return {
        makeField<Recipe, &Recipe::layers, &Layers::base>(
            {.key = "layers.base",
             .help =
                 "Layers in FP8 before filters and rules: accelerate (what its conversion takes), all (every Linear "
                 "whose widths are multiples of 16), none (only layers that a rule without keep names), "
                 "torchao_auto (layers above torchao's size thresholds)."}),
        makeField<Recipe, &Recipe::layers, &Layers::filterFqns>(
            {.key = "layers.filter_fqns",
             .words = true,
             .help = "Layers whose name holds one of these texts stay in high precision (torchtitan's filter: a text "
                     "inside a longer name counts too)."}),
        makeField<Recipe, &Recipe::layers, &Layers::numLayersAtStartInBf16>(
            {.key = "layers.num_layers_at_start_in_bf16",
             .low = 0,
             .high = 1'024,
             .unit = "blocks",
             .help = "Whole blocks at the start that stay in high precision (Megatron's first and last layers)."}),
        makeField<Recipe, &Recipe::layers, &Layers::numLayersAtEndInBf16>(
            {.key = "layers.num_layers_at_end_in_bf16",
             .low = 0,
             .high = 1'024,
             .unit = "blocks",
             .help = "Whole blocks at the end that stay in high precision."}),
    };
}

std::vector<RecipeField> allFields() {
    std::vector<RecipeField> all;
    for (auto part : {headFields(), targetFields(), teScalingFields(), teOtherFields(), aoFields(), nativeFields()}) {
        all.insert(all.end(), std::make_move_iterator(part.begin()), std::make_move_iterator(part.end()));
    }
    for (RecipeField& field : layerFields())
        all.push_back(std::move(field));
    return all;
}

Json ruleJsonAt(const Layers& layers, size_t index) {
    return index < layers.rules.size() ? ruleToJson(layers.rules[index]) : Json();
}

}  // namespace

std::span<const RecipeField> recipeFields() {
    static const std::vector<RecipeField> fields = allFields();
    return fields;
}

std::span<const RuleField> ruleFields() {
    static const std::vector<RuleField> fields = {
        makeField<LayerRule, &LayerRule::match>(
            {.key = "match",
             .help =
                 "A pattern with * and ?, against the whole name, and without a dot against its last part; or re: and "
                 "a regular expression that is searched. The first rule that matches a layer decides."}),
        makeField<LayerRule, &LayerRule::keep>({.key = "keep", .help = "Keeps the whole layer in high precision."}),
        makeField<LayerRule, &LayerRule::high>(
            {.key = "gemms", .type = FieldType::HighGemms, .help = "Keeps single GEMMs in high precision."}),
        makeField<LayerRule, &LayerRule::format>(
            {.key = "fp8_format", .anyCase = true, .help = "Another format in these layers: HYBRID, E4M3 or E5M2."}),
        makeField<LayerRule, &LayerRule::scaling>(
            {.key = "scaling",
             .help = "Another scaling in these layers: delayed, current, block and mxfp8 by Transformer Engine's "
                     "arithmetic, tensorwise and rowwise by torchao's."}),
        makeField<LayerRule, &LayerRule::why>({.key = "why", .help = "A note; shown as the layer's reason."}),
    };
    return fields;
}

const RecipeField& recipeField(std::string_view key) {
    const auto fields = recipeFields();
    const auto found = std::ranges::find_if(fields, [&](const RecipeField& field) { return field.key == key; });
    assert(found != fields.end());
    return *found;
}

std::string recipeSchemaHelp() {
    std::string text;
    for (const RecipeField& field : recipeFields())
        text += fieldHelp(field, field.get(Recipe{}));
    text += "layers.rules: a list of rules, each an object of\n";
    for (const RuleField& field : ruleFields())
        text += fieldHelp(field, field.get(LayerRule{}));
    return text;
}

std::vector<FieldDifference> differingFields(const Recipe& a, const Recipe& b) {
    std::vector<FieldDifference> differences;
    for (const RecipeField& field : recipeFields()) {
        const FieldValue left = field.get(a), right = field.get(b);
        if (left != right) differences.push_back({field.key, fieldText(left), fieldText(right)});
    }
    const size_t rules = std::max(a.layers.rules.size(), b.layers.rules.size());
    for (size_t i = 0; i < rules; ++i) {
        const Json left = ruleJsonAt(a.layers, i), right = ruleJsonAt(b.layers, i);
        if (left == right) continue;
        differences.push_back({fmt::format("layers.rules[{}]", i), left.is_null() ? "" : left.dump(),
                               right.is_null() ? "" : right.dump()});
    }
    return differences;
}

}  // namespace octet::recipe
