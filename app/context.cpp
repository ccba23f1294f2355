// SPDX-License-Identifier: Apache-2.0
#include "app/context.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "app/table.h"
#include "app/terminal.h"
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
    if (*text.about) footer += wrappedText(text.about, textColumns(), 0) + "\n\n";
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
    auto newest = store::newestProject();
    if (newest) return newest;
    return Error{newest.error().code, newest.error().message,
                 "Make one with `octet-engine train`, or name a store with --store FILE.octet."};
}

void printJson(const Json& json) {
    // Names may come from foreign files: bytes that are not UTF-8 must not end a listing.
    putText(stdout, json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

void printNote(std::string_view sentence) {
    putText(stderr, fmt::format("note: {}\n", sentence));
}

int reportError(const Error& error, bool json) {
    putText(stderr, fmt::format("octet-engine: {}\n", error.message));
    if (!error.hint.empty()) putText(stderr, fmt::format("  {}\n", error.hint));
    if (json) {
        printJson({{"error", {{"code", errorCodeName(error.code)}, {"message", error.message}, {"hint", error.hint}}}});
    }
    return exitCodeFor(error.code);
}

}  // namespace octet::app
