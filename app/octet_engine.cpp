// SPDX-License-Identifier: Apache-2.0
// octet-engine: trains, compares and inspects from a shell. Arguments and wiring only; each sub-command is a file.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>

#include "app/commands.h"
#include "app/context.h"
#include "app/help_format.h"
#include "app/table.h"
#include "app/terminal.h"
#include "app/usage_error.h"
#include "engine/core/version.h"

namespace octet::app {
namespace {

constexpr const char* kDescription =
    "Octet tries FP8 training recipes in seconds and compares them honestly: every amax, scale, "
    "underflow and loss is kept in one store file, which octet (the window) and this program read.";

constexpr const char* kFooter =
    "Examples:\n"
    "  octet-engine train --store try.octet --recipe preset:hybrid-16 --recipe preset:baseline\n"
    "  octet-engine compare --store try.octet\n"
    "  octet-engine recipe presets\n"
    "  octet-engine COMMAND --help            what a command is for, with examples\n\n"
    "Exit codes: 0 done; 2 refused before work started (arguments, recipe, files); 1 failed later.\n";

void addCommands(CLI::App& app, Context& context) {
    addTrainCommand(app, context);
    addRunsCommand(app, context);
    addShowCommand(app, context);
    addCompareCommand(app, context);
    addControlCommand(app, context);
    addRecipeCommand(app, context);
    addLayersCommand(app, context);
    addCastCommand(app, context);
    addBenchCommand(app, context);
    addDevicesCommand(app, context);
    addSelfcheckCommand(app, context);
}

/// The group whose command is missing, e.g. `octet-engine recipe` alone.
const CLI::App& lastParsed(const CLI::App& app) {
    const auto parsed = app.get_subcommands();
    return parsed.empty() ? app : lastParsed(*parsed.back());
}

/// Output that never reached the disk or the pipe must not look like success.
bool isOutputLost() {
    return std::fflush(stdout) != 0 || std::ferror(stdout) != 0;
}

int reportLostOutput() {
    return reportError({ErrorCode::Failed, "Standard output could not be written.",
                        "The disk is full, or the program that read it has ended."},
                       false);
}

int runWork(const Context& context) {
    const Result<void> done = context.work();
    if (!done) return reportError(done.error(), context.json);
    return isOutputLost() ? reportLostOutput() : context.exitCode;
}

int runProgram(int argc, char** argv) {
    Context context;
    CLI::App app(wrappedText(kDescription, textColumns(), 0), "octet-engine");
    app.formatter(helpFormatter());
    app.footer(kFooter);
    app.set_version_flag("--version", std::string("octet-engine ") + version());
    addCommands(app, context);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& wanted) {  // --help, --version
        return app.exit(wanted);
    } catch (const CLI::ParseError& failure) {
        const bool json =
            std::any_of(argv, argv + argc, [](const char* word) { return std::string_view(word) == "--json"; });
        return reportError(usageError(app, failure), json);
    }
    if (!context.work) return reportError(missingCommand(lastParsed(app)), context.json);
    return runWork(context);
}

/// fmt throws when an output is gone; anything else is a fault of the machine or ours.
int reportException(const std::exception& failure) {
    if (isOutputLost()) return reportLostOutput();
    return reportError({ErrorCode::Failed, fmt::format("Went wrong: {}", failure.what()), ""}, false);
}

}  // namespace
}  // namespace octet::app

int main(int argc, char** argv) {
    try {
        return octet::app::runProgram(argc, argv);
    } catch (const std::exception& failure) {
        return octet::app::reportException(failure);
    }
}
