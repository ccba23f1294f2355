// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/run_spec_fields.h"

#include <fmt/format.h>

#include <algorithm>

namespace octet::recipe {
namespace {

constexpr double kMostSteps = 10'000'000;
constexpr double kMostSequences = 65'536;
constexpr double kMostSeed = 9'007'199'254'740'992;  // 2^53: exact in every JSON reader

std::vector<RunField> whatFields() {
    return {
        makeField<RunSpec, &RunSpec::recipes>({.key = "recipes",
                                               .help = "preset:NAME or a recipe file; may be given several times.",
                                               .flag = "--recipe"}),
        makeField<RunSpec, &RunSpec::seeds>(
            {.key = "seeds",
             .low = 0,
             .high = kMostSeed,
             .help = "Seeds of start weights and data order; each recipe runs with each.",
             .flag = "--seeds"}),
        makeField<RunSpec, &RunSpec::model>(
            {.key = "model",
             .help = "llama:d=,layers=,heads=,ctx=,vocab= or mlp:window=,d=,hidden=,layers=,vocab=.",
             .flag = "--model"}),
        makeField<RunSpec, &RunSpec::data>(
            {.key = "data",
             .help = "sample, text:PATH (file or folder, bytes as tokens) or synthetic:SEED.",
             .flag = "--data"}),
        makeField<RunSpec, &RunSpec::name>(
            {.key = "name", .help = "Name of the experiment; made from the recipes if empty.", .flag = "--name"}),
        makeField<RunSpec, &RunSpec::steps>({.key = "steps",
                                             .low = 1,
                                             .high = kMostSteps,
                                             .unit = "updates",
                                             .help = "Optimiser updates of each run.",
                                             .flag = "--steps"}),
        makeField<RunSpec, &RunSpec::batch>({.key = "batch",
                                             .low = 1,
                                             .high = kMostSequences,
                                             .unit = "sequences",
                                             .help = "Sequences of one micro-batch.",
                                             .flag = "--batch"}),
        makeField<RunSpec, &RunSpec::microBatches>({.key = "micro_batches",
                                                    .low = 1,
                                                    .high = kMostSequences,
                                                    .help = "Micro-batches of one update.",
                                                    .flag = "--micro-batches"}),
    };
}

RunField betasField() {
    RunField field;
    static_cast<FieldInfo&>(field) = {.key = "optimizer.betas",
                                      .type = FieldType::NumberPair,
                                      .low = 0,
                                      .high = 1,
                                      .highIsOpen = true,
                                      .help = "AdamW's decay of the two moments.",
                                      .flag = "--betas"};
    field.get = [](const RunSpec& spec) -> FieldValue {
        return std::array<double, 2>{spec.optimizer.beta1, spec.optimizer.beta2};
    };
    field.set = [](RunSpec& spec, const FieldValue& value) {
        const auto& betas = std::get<std::array<double, 2>>(value);
        spec.optimizer.beta1 = betas[0];
        spec.optimizer.beta2 = betas[1];
    };
    return field;
}

std::vector<RunField> optimizerFields() {
    return {
        makeField<RunSpec, &RunSpec::optimizer, &OptimizerSpec::lr>({.key = "optimizer.lr",
                                                                     .low = 0,
                                                                     .high = 100,
                                                                     .help = "Learning rate at the end of the warm-up.",
                                                                     .flag = "--lr"}),
        makeField<RunSpec, &RunSpec::optimizer, &OptimizerSpec::warmupSteps>({.key = "optimizer.warmup_steps",
                                                                              .low = 0,
                                                                              .high = kMostSteps,
                                                                              .unit = "updates",
                                                                              .help = "Updates of linear warm-up.",
                                                                              .flag = "--warmup-steps"}),
        makeField<RunSpec, &RunSpec::optimizer, &OptimizerSpec::schedule>(
            {.key = "optimizer.schedule", .help = "Learning rate after the warm-up.", .flag = "--schedule"}),
        makeField<RunSpec, &RunSpec::optimizer, &OptimizerSpec::minLr>(
            {.key = "optimizer.min_lr",
             .low = 0,
             .high = 100,
             .help = "Learning rate at the end of the cosine.",
             .flag = "--min-lr"}),
        makeField<RunSpec, &RunSpec::optimizer, &OptimizerSpec::weightDecay>({.key = "optimizer.weight_decay",
                                                                              .low = 0,
                                                                              .high = 10,
                                                                              .help = "AdamW's decoupled weight decay.",
                                                                              .flag = "--weight-decay"}),
        betasField(),
        makeField<RunSpec, &RunSpec::optimizer, &OptimizerSpec::clipNorm>(
            {.key = "optimizer.clip_norm",
             .low = 0,
             .high = 1e6,
             .help = "Largest gradient norm; 0 does not clip.",
             .flag = "--clip-norm"}),
    };
}

std::vector<RunField> wayFields() {
    return {
        makeField<RunSpec, &RunSpec::activationDtype>({.key = "activation_dtype",
                                                       .help = "Type of activations, also in the baseline.",
                                                       .flag = "--activation-dtype"}),
        makeField<RunSpec, &RunSpec::reuseWeightCodes>(
            {.key = "reuse_weight_codes",
             .help = "Casts each weight once per update, not once per micro-batch.",
             .flag = "--reuse-weight-codes"}),
        makeField<RunSpec, &RunSpec::evalEvery>({.key = "eval_every",
                                                 .low = 0,
                                                 .high = kMostSteps,
                                                 .unit = "updates",
                                                 .help = "Updates between evaluations; 0 never evaluates.",
                                                 .flag = "--eval-every"}),
        makeField<RunSpec, &RunSpec::evalBatches>({.key = "eval_batches",
                                                   .low = 1,
                                                   .high = kMostSequences,
                                                   .help = "Held-out micro-batches of one evaluation.",
                                                   .flag = "--eval-batches"}),
        makeField<RunSpec, &RunSpec::onNan>(
            {.key = "on_nan", .help = "What a run does after a loss that is not finite.", .flag = "--on-nan"}),
        makeField<RunSpec, &RunSpec::order>(
            {.key = "order", .help = "Step by step in turn, or one run after the other.", .flag = "--order"}),
        makeField<RunSpec, &RunSpec::statisticsEvery>({.key = "record.statistics_every",
                                                       .low = 1,
                                                       .high = kMostSteps,
                                                       .unit = "updates",
                                                       .help = "Updates between two samples of the tensor statistics.",
                                                       .flag = "--statistics-every"}),
        makeField<RunSpec, &RunSpec::exponentsEvery>({.key = "record.exponents_every",
                                                      .low = 0,
                                                      .high = kMostSteps,
                                                      .unit = "updates",
                                                      .help = "Updates between two exponent counts; 0 records none.",
                                                      .flag = "--exponents-every"}),
        makeField<RunSpec, &RunSpec::device>(
            {.key = "device", .help = "auto, cpu, cuda or cuda:N.", .flag = "--device"}),
        makeField<RunSpec, &RunSpec::threads>({.key = "threads",
                                               .low = 0,
                                               .high = 1'024,
                                               .help = "Threads of the CPU; 0 uses all cores.",
                                               .flag = "--threads"}),
        makeField<RunSpec, &RunSpec::barPercent>({.key = "bar_percent",
                                                  .low = 0,
                                                  .high = 1'000,
                                                  .unit = "%",
                                                  .help = "Gap to the baseline that the verdict calls a pass.",
                                                  .flag = "--bar-percent"}),
    };
}

/// Safe for a POSIX shell: quoted unless it is made of harmless characters.
std::string shellWord(const std::string& text) {
    constexpr std::string_view harmless = "_-.,:=/+@%";
    const bool plain = !text.empty() && std::ranges::all_of(text, [&](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || harmless.find(c) != std::string_view::npos;
    });
    if (plain) return text;
    std::string quoted = "'";
    for (char c : text)
        quoted += c == '\'' ? "'\\''" : std::string(1, c);
    return quoted + "'";
}

}  // namespace

std::span<const RunField> runFields() {
    static const std::vector<RunField> fields = [] {
        std::vector<RunField> all;
        for (auto part : {whatFields(), optimizerFields(), wayFields()})
            all.insert(all.end(), part.begin(), part.end());
        return all;
    }();
    return fields;
}

std::string defaultText(const RunField& field) {
    return fieldText(field.get(RunSpec{}));
}

Result<void> setFromTexts(RunSpec& spec, const RunField& field, std::span<const std::string> texts) {
    const auto value = fieldFromText(field, texts);
    if (!value) return value.error();
    field.set(spec, *value);
    return {};
}

std::string runSpecFlags(const RunSpec& spec) {
    std::string flags;
    for (const RunField& field : runFields()) {
        const FieldValue value = field.get(spec);
        if (value == field.get(RunSpec{})) continue;
        std::vector<std::string> words{fieldText(value)};
        if (const auto* list = std::get_if<std::vector<std::string>>(&value)) words = *list;
        for (const std::string& word : words) {
            flags += fmt::format("{}{} {}", flags.empty() ? "" : " ", field.flag, shellWord(word));
        }
    }
    return flags;
}

}  // namespace octet::recipe
