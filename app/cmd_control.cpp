// SPDX-License-Identifier: Apache-2.0
// octet-engine control: a word to the worker that trains a run, and its answer.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <thread>

#include "app/commands.h"
#include "app/context.h"
#include "app/store_access.h"
#include "engine/core/text.h"
#include "engine/recipe/recipe_json.h"

namespace octet::app {
namespace {

using Clock = std::chrono::steady_clock;

constexpr CommandText kText{
    "control", "Pause, resume or stop a run, or change its recipe",
    "The command is taken at the run's next step, by the worker that trains it, wherever it was started. "
    "Waits for the answer; --no-wait only sends. A run that changed its recipe gets no verdict any more.",
    "octet-engine control hybrid-16 pause\n"
    "octet-engine control 2 resume\n"
    "octet-engine control 2 recipe my-recipe.octet.json"};

struct ControlOptions {
    std::string run;
    std::string verb;
    std::string recipe;
    bool noWait = false;
    double waitSeconds = 10;
};

Result<store::CommandVerb> verbFrom(const std::string& word) {
    if (const auto verb = store::commandVerbFromName(word)) return *verb;
    const std::vector<std::string> verbs{"pause", "resume", "stop", "checkpoint", "recipe"};
    const auto nearest = nearestWord(word, verbs);
    return Error{ErrorCode::Usage,
                 fmt::format("\"{}\" is not a command for a run; there are {}.", word, fmt::join(verbs, ", ")),
                 nearest ? fmt::format("Did you mean \"{}\"?", *nearest) : ""};
}

/// The recipe document of `control RUN recipe FILE`; null for the other verbs.
Result<Json> argumentFor(store::CommandVerb verb, const ControlOptions& options) {
    const bool wantsRecipe = verb == store::CommandVerb::SetRecipe;
    if (!wantsRecipe && options.recipe.empty()) return Json();
    if (!wantsRecipe) {
        return Error{ErrorCode::Usage,
                     fmt::format("\"{}\" takes nothing after it, found \"{}\".", options.verb, options.recipe),
                     "Only `control RUN recipe R` takes a recipe."};
    }
    if (options.recipe.empty()) {
        return Error{ErrorCode::Usage, "`control RUN recipe` needs the recipe to go on with.",
                     "Give a recipe file or preset:NAME."};
    }
    const auto loaded = recipe::loadRecipe(options.recipe);
    if (!loaded) return loaded.error();
    for (const std::string& warning : loaded->warnings)
        printNote(warning);
    return recipe::recipeToJson(loaded->recipe);
}

bool isSettled(const std::string& status) {
    return status == "done" || status.starts_with("refused");
}

/// The worker looks once a step; asking every 50 ms is as good as being told.
Result<std::string> waitForAnswer(const std::filesystem::path& path, store::CommandId command, double seconds) {
    const auto until = Clock::now() + std::chrono::duration<double>(seconds);
    while (true) {
        auto status = store::commandStatus(path, command);
        if (!status || isSettled(*status) || Clock::now() >= until) return status;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
}

Result<void> report(const Context& context, const store::RunInfo& run, const ControlOptions& options,
                    const std::string& status) {
    constexpr std::string_view refused = "refused: ";
    if (status.starts_with(refused)) {
        return Error{ErrorCode::Refused,
                     fmt::format("Run {} \"{}\" refused \"{}\": {}", run.id.value, run.name, options.verb,
                                 status.substr(refused.size())),
                     ""};
    }
    if (context.json) {
        printJson({{"run", run.id.value}, {"command", options.verb}, {"status", status}});
    } else if (status == "done") {
        fmt::print("Run {} \"{}\": {} done.\n", run.id.value, run.name, options.verb);
    } else {
        fmt::print("Run {} \"{}\": {} {}, no answer yet; it is taken at the next step.\n", run.id.value, run.name,
                   options.verb, status);
    }
    return {};
}

Result<void> control(const Context& context, const ControlOptions& options) {
    const auto verb = verbFrom(options.verb);
    if (!verb) return verb.error();
    const auto argument = argumentFor(*verb, options);
    if (!argument) return argument.error();
    const auto path = storePath(context);
    if (!path) return path.error();
    auto reader = store::Reader::open(*path);
    if (!reader) return reader.error();
    const auto run = findRun(**reader, options.run);
    if (!run) return run.error();
    const auto command = store::sendCommand(*path, run->id, *verb, *argument);
    if (!command) return command.error();
    if (options.noWait) return report(context, *run, options, "sent");
    const auto status = waitForAnswer(*path, *command, options.waitSeconds);
    if (!status) return status.error();
    return report(context, *run, options, *status);
}

}  // namespace

void addControlCommand(CLI::App& app, Context& context) {
    const auto options = std::make_shared<ControlOptions>();
    CLI::App& command = addCommand(app, context, kText, [&context, options] { return control(context, *options); });
    command.add_option("run", options->run, "Id or name of the run")->required()->type_name("RUN");
    command.add_option("command", options->verb, "pause, resume, stop, checkpoint or recipe")
        ->required()
        ->type_name("COMMAND");
    command.add_option("recipe", options->recipe, "For `recipe`: a recipe file or preset:NAME")->type_name("R");
    command.add_flag("--no-wait", options->noWait, "Send only, don't wait for the answer");
    command.add_option("--wait", options->waitSeconds, "Seconds to wait for the answer")
        ->type_name("S")
        ->check(CLI::Range(0.0, 3600.0))
        ->capture_default_str();
    addStoreOption(command, context);
}

}  // namespace octet::app
