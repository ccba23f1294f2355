// SPDX-License-Identifier: Apache-2.0
#include "app/context.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "engine/core/text.h"
#include "engine/store/project.h"

namespace octet::app {
namespace {

/// Indents each line by two, so that examples stand apart.
std::string indented(std::string_view lines) {
    std::string text;
    for (const std::string& line : split(lines, '\n'))
        text += "  " + line + "\n";
    return text;
}

void describe(CLI::App& command, const CommandText& text) {
    std::string footer;
    if (*text.about) footer += std::string(text.about) + "\n\n";
    command.footer(footer + "Examples:\n" + indented(text.examples));
}

}  // namespace

CLI::App& addCommand(CLI::App& parent, Context& context, const CommandText& text, std::function<Result<void>()> work) {
    CLI::App& command = *parent.add_subcommand(text.name, text.summary);
    describe(command, text);
    command.add_flag("--json", context.json, "Machine-readable output, one JSON object a line");
    command.callback([&context, work = std::move(work)] { context.work = work; });
    return command;
}

CLI::App& addCommandGroup(CLI::App& parent, const CommandText& text) {
    CLI::App& command = *parent.add_subcommand(text.name, text.summary);
    describe(command, text);
    return command;
}

void addStoreOption(CLI::App& command, Context& context) {
    command.add_option("--store", context.store, "The store (*.octet); default: the newest in ~/Octet")
        ->type_name("PATH");
}

Result<std::filesystem::path> storePath(const Context& context) {
    if (!context.store.empty()) return std::filesystem::path(context.store);
    return store::newestProject();
}

void printJson(const Json& json) {
    // Names may come from foreign files: bytes that are not UTF-8 must not end a listing.
    fmt::print("{}\n", json.dump(-1, ' ', false, Json::error_handler_t::replace));
    std::fflush(stdout);  // whoever reads the lines of a long run wants them now
}

void printNote(std::string_view sentence) {
    fmt::print(stderr, "note: {}\n", sentence);
}

int reportError(const Error& error, bool json) {
    fmt::print(stderr, "octet-engine: {}\n", error.message);
    if (!error.hint.empty()) fmt::print(stderr, "  {}\n", error.hint);
    if (json) {
        printJson({{"error", {{"code", errorCodeName(error.code)}, {"message", error.message}, {"hint", error.hint}}}});
    }
    return exitCodeFor(error.code);
}

}  // namespace octet::app
