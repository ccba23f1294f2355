// SPDX-License-Identifier: Apache-2.0
// What every sub-command shares: the common options, the way to report errors, and the work that runs once the
// command line has been read. One Context lives in main.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "engine/core/json.h"
#include "engine/core/result.h"

namespace CLI {
class App;
}

namespace octet::app {

struct Context {
    bool json = false;  // --json: machines read standard output
    std::string store;  // --store; empty: the newest project
    int exitCode = 0;   // what a command may set without an error; an error sets its own

    /// The work of the sub-command that was called; main runs it after parsing.
    std::function<Result<void>()> work;
};

/// What --help says about a command.
struct CommandText {
    const char* name;      // "compare"
    const char* summary;   // one line, without full stop
    const char* about;     // a few sentences, one line: what it is for; may be empty
    const char* examples;  // one command a line
};

/// Adds a sub-command with --json, its help and its examples. `work` runs after parsing.
CLI::App& addCommand(CLI::App& parent, Context& context, const CommandText& text, std::function<Result<void>()> work);

/// A sub-command that only groups others ("recipe"): no --json, no work.
CLI::App& addCommandGroup(CLI::App& parent, const CommandText& text);

/// --store P for commands that read or write a store.
void addStoreOption(CLI::App& command, Context& context);

/// --store, else the newest project in ~/Octet.
[[nodiscard]] Result<std::filesystem::path> storePath(const Context& context);

/// One line of JSON on standard output, flushed; a failure stays in ferror(stdout), which main looks at.
void printJson(const Json& json);

/// "note: ..." on standard error: for people, so that standard output stays clean.
void printNote(std::string_view sentence);

/// The sentence and the hint on standard error; with `json` also {"error": {"code", "message", "hint"}} on standard
/// output. Returns the exit code.
int reportError(const Error& error, bool json);

}  // namespace octet::app
