// SPDX-License-Identifier: Apache-2.0
#include "app/usage_error.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "engine/core/text.h"

namespace octet::app {
namespace {

const CLI::App& deepestCommand(const CLI::App& app) {
    const CLI::App* command = &app;
    while (!command->get_subcommands().empty())
        command = command->get_subcommands().back();
    return *command;
}

std::string commandLine(const CLI::App& command) {
    const CLI::App* parent = command.get_parent();
    return parent ? commandLine(*parent) + " " + command.get_name() : command.get_name();
}

std::vector<std::string> flagsOf(const CLI::App& command) {
    std::vector<std::string> flags;
    for (const CLI::Option* option : command.get_options())
        for (const std::string& name : option->get_lnames())
            flags.push_back("--" + name);
    return flags;
}

std::vector<std::string> commandsOf(const CLI::App& command) {
    std::vector<std::string> names;
    for (const CLI::App* sub : command.get_subcommands([](const CLI::App*) { return true; }))
        names.push_back(sub->get_name());
    return names;
}

std::string hintFor(const std::optional<std::string>& nearest, const CLI::App& command) {
    const std::string help = fmt::format("`{} --help` shows what it takes.", commandLine(command));
    return nearest ? fmt::format("Did you mean {}? {}", *nearest, help) : help;
}

Error unknownWord(const std::string& word, const CLI::App& command) {
    const std::string name = word.substr(0, word.find('='));
    if (name.starts_with("-")) {
        return {ErrorCode::Usage, fmt::format("`{}` does not know the option {}.", commandLine(command), name),
                hintFor(nearestWord(name, flagsOf(command)), command)};
    }
    const std::vector<std::string> commands = commandsOf(command);
    if (!commands.empty()) {
        return {ErrorCode::Usage,
                fmt::format("`{}` has no command \"{}\"; there are {}.", commandLine(command), name,
                            fmt::join(commands, ", ")),
                hintFor(nearestWord(name, commands), command)};
    }
    return {ErrorCode::Usage, fmt::format("`{}` was given one word too many: \"{}\".", commandLine(command), word),
            hintFor({}, command)};
}

/// CLI11 writes "--steps: 1 required INT missing" and the like: already a statement, only without a full stop.
std::string asSentence(std::string text) {
    text = trimmed(text);
    if (!text.empty() && text.back() != '.') text += '.';
    return text;
}

}  // namespace

Error usageError(const CLI::App& app, const CLI::ParseError& failure) {
    const CLI::App& command = deepestCommand(app);
    // A mistyped flag often also looks like a missing one: the unknown word is the better explanation.
    const std::vector<std::string> unknown = app.remaining(true);
    if (!unknown.empty()) return unknownWord(unknown.front(), command);
    return {ErrorCode::Usage, fmt::format("`{}`: {}", commandLine(command), asSentence(failure.what())),
            hintFor({}, command)};
}

Error missingCommand(const CLI::App& app) {
    return {ErrorCode::Usage,
            fmt::format("`{}` needs one of its commands: {}.", commandLine(app), fmt::join(commandsOf(app), ", ")),
            hintFor({}, app)};
}

}  // namespace octet::app
