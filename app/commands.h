// SPDX-License-Identifier: Apache-2.0
// The sub-commands of octet-engine; each lives in its own cmd_NAME.cpp and registers itself.
#pragma once

namespace CLI {
class App;
}

namespace octet::app {

struct Context;

void addTrainCommand(CLI::App& app, Context& context);
void addRunsCommand(CLI::App& app, Context& context);
void addShowCommand(CLI::App& app, Context& context);
void addCompareCommand(CLI::App& app, Context& context);
void addControlCommand(CLI::App& app, Context& context);
void addRecipeCommand(CLI::App& app, Context& context);
void addLayersCommand(CLI::App& app, Context& context);
void addCastCommand(CLI::App& app, Context& context);
void addBenchCommand(CLI::App& app, Context& context);
void addDevicesCommand(CLI::App& app, Context& context);
void addSelfcheckCommand(CLI::App& app, Context& context);

}  // namespace octet::app
