// SPDX-License-Identifier: Apache-2.0
// octet-engine train: one experiment from flags or a run spec.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ctime>
#include <filesystem>
#include <memory>

#include "app/commands.h"
#include "app/context.h"
#include "app/process_tuning.h"
#include "app/stop_signals.h"
#include "app/terminal.h"
#include "app/train_progress.h"
#include "engine/core/files.h"
#include "engine/recipe/run_spec_fields.h"
#include "engine/store/project.h"
#include "engine/store/writer.h"
#include "engine/train/experiment.h"

namespace octet::app {
namespace fs = std::filesystem;

namespace {

constexpr CommandText kText{
    "train", "Train one or several recipes on the same start weights and data order",
    "Every run of the experiment sees the same bytes in the same order, so that losses may be compared. With a "
    "baseline (backend none) among the recipes a hidden twin of it, started from weights moved by 1e-6, measures "
    "the noise. Ctrl+C stops the runs and keeps what they recorded.",
    "octet-engine train                                   HYBRID, E4M3 and a BF16 baseline on real text\n"
    "octet-engine train --store try.octet --recipe preset:hybrid-16 --recipe preset:baseline --steps 500\n"
    "octet-engine train --recipe mine.octet.json --recipe preset:baseline --seeds 1,2,3 --data text:books/\n"
    "octet-engine train --spec run.json --steps 50"};

struct TrainOptions {
    std::string specPath;
    bool create = false;
    std::vector<std::vector<std::string>> texts;  // one for each run field
    std::vector<CLI::Option*> flags;
};

Result<recipe::RunSpec> specFrom(const TrainOptions& options) {
    recipe::RunSpec spec;
    if (!options.specPath.empty()) {
        const std::string what = "run spec " + options.specPath;
        const auto text = readFile(options.specPath);
        if (!text) return text.error();
        const auto json = parseJson(*text, what);
        if (!json) return json.error();
        auto read = recipe::runSpecFromJson(*json, what);
        if (!read) return read.error();
        spec = std::move(*read);
    }
    const auto fields = recipe::runFields();
    for (size_t i = 0; i < fields.size(); ++i) {
        if (options.flags[i]->count() == 0) continue;
        if (auto set = recipe::setFromTexts(spec, fields[i], options.texts[i]); !set) return set.error();
    }
    if (auto checked = recipe::checkRunSpec(spec); !checked) return checked.error();
    return spec;
}

/// --store, else a new project of today in ~/Octet.
Result<fs::path> storeToWrite(const Context& context) {
    if (!context.store.empty()) return fs::path(context.store);
    const fs::path folder = store::defaultProjectFolder();
    std::error_code failure;
    fs::create_directories(folder, failure);
    if (failure) {
        return Error{ErrorCode::Unreadable,
                     fmt::format("Cannot make the folder {}: {}.", folder.string(), failure.message()),
                     "Name a store with --store."};
    }
    return folder / fmt::format("{:%Y-%m-%d}.octet", fmt::localtime(std::time(nullptr)));
}

ProgressStyle progressStyle(const Context& context) {
    if (context.json) return ProgressStyle::Json;
    return isatty(STDERR_FILENO) ? ProgressStyle::Terminal : ProgressStyle::Lines;
}

std::string runsText(const std::vector<train::PreparedRun>& runs) {
    const auto shown = std::count_if(runs.begin(), runs.end(), [](const auto& run) { return !run.hidden; });
    const bool hasTwin = static_cast<size_t>(shown) < runs.size();
    return fmt::format("{} {}{}", shown, shown == 1 ? "run" : "runs", hasTwin ? " and the baseline's hidden twin" : "");
}

void announce(const train::PreparedExperiment& experiment, const fs::path& path, const std::string& device) {
    putText(stderr, fmt::format("Experiment \"{}\" into {}\n"
                                "Model {}; {}\n"
                                "Device: {}\n"
                                "Text: {}; unigram entropy {:.4f} nats a byte\n",
                                experiment.name, path.string(), arch::modelSpecText(experiment.model),
                                runsText(experiment.runs), device, experiment.corpus->description,
                                experiment.corpus->unigramEntropy));
}

Result<void> train(Context& context, const TrainOptions& options) {
    tuneProcessForTraining();
    const auto spec = specFrom(options);
    if (!spec) return spec.error();
    StopSignals signals;  // before torch starts its threads
    const auto experiment = train::prepareExperiment(*spec);
    if (!experiment) return experiment.error();
    const auto path = storeToWrite(context);
    if (!path) return path.error();
    store::WriterOptions writing;
    writing.create = options.create || !fs::exists(*path);
    auto writer = store::Writer::open(*path, writing);
    if (!writer) return writer.error();
    const std::string device = train::prepareDevice(spec->threads);
    for (const std::string& warning : experiment->warnings)
        printNote(warning);
    if (!(*writer)->openingNote().empty()) printNote((*writer)->openingNote());
    if (!context.json) announce(*experiment, *path, device);
    TrainProgress progress(progressStyle(context), path->string(), [&signals] { signals.request(); });
    const auto outcome = train::runExperiment(*experiment, **writer, progress, signals.token());
    if (!outcome) return Error{ErrorCode::Failed, outcome.error().message, outcome.error().hint};
    progress.finished(*outcome);
    if (outcome->storeTrouble) return *outcome->storeTrouble;
    for (const train::RunProgress& run : outcome->runs) {
        if (run.state == store::RunState::Failed) context.exitCode = 1;
    }
    return {};
}

const char* placeholder(const recipe::RunField& field) {
    switch (field.type) {
        case recipe::FieldType::Boolean:
            return "";
        case recipe::FieldType::Integer:
            return "N";
        case recipe::FieldType::Number:
        case recipe::FieldType::OptionalNumber:
            return "X";
        case recipe::FieldType::IntegerList:
            return "N,N";
        case recipe::FieldType::NumberPair:
            return "X,X";
        case recipe::FieldType::TextList:
            return "R";
        default:
            return "TEXT";
    }
}

std::string flagHelp(const recipe::RunField& field) {
    std::string help = field.help;
    if (!field.choices.empty()) help += fmt::format(" One of {}.", fmt::join(field.choices, ", "));
    const std::string fallback = recipe::defaultText(field);
    return fallback.empty() ? help : fmt::format("{} Default: {}.", help, fallback);
}

void addFieldFlags(CLI::App& command, TrainOptions& options) {
    const auto fields = recipe::runFields();
    options.texts.resize(fields.size());
    for (size_t i = 0; i < fields.size(); ++i) {
        const recipe::RunField& field = fields[i];
        CLI::Option* flag = command.add_option(field.flag, options.texts[i], flagHelp(field));
        flag->type_name(placeholder(field))->expected(recipe::isSwitch(field) ? 0 : 1, 1);
        if (recipe::isRepeatable(field))
            flag->allow_extra_args(false)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
        options.flags.push_back(flag);
    }
}

}  // namespace

void addTrainCommand(CLI::App& app, Context& context) {
    const auto options = std::make_shared<TrainOptions>();
    CLI::App& command = addCommand(app, context, kText, [&context, options] { return train(context, *options); });
    command
        .add_option("--store", context.store,
                    "The store to write (*.octet), made if it is not there; default: today's in ~/Octet")
        ->type_name("PATH");
    command.add_flag("--create", options->create, "Use an empty file as a new store");
    command.add_option("--spec", options->specPath, "A run spec (octet_run); flags change single fields of it")
        ->type_name("FILE");
    addFieldFlags(command, *options);
}

}  // namespace octet::app
