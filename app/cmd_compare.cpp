// SPDX-License-Identifier: Apache-2.0
// octet-engine compare: how far recipes are from the baseline, and what may be said about it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "app/commands.h"
#include "app/comparison_text.h"
#include "app/context.h"
#include "app/store_access.h"

namespace octet::app {
namespace {

constexpr CommandText kText{
    "compare", "Compare runs with their baseline, with a verdict in honest words",
    "Without runs: the newest experiment. The gap is that of the smoothed training loss at the last step all "
    "runs have. Noise is how far the baseline is from itself when its start weights move by 1e-6. Underflow "
    "of dy and saturation are over the last tenth of the steps, weighted by elements. PASS and FAIL appear "
    "only with a bar (train --bar-percent) and enough seeds; runs that are not like for like get no verdict.",
    "octet-engine compare\n"
    "octet-engine compare hybrid-16 e4m3-16\n"
    "octet-engine compare 4 9 --baseline 4 --json\n"
    "octet-engine compare --table"};

Result<void> compare(const Context& context, const analysis::CompareRequest& request, bool markdown) {
    const auto reader = openStore(context);
    if (!reader) return reader.error();
    analysis::StoreSource source(**reader);
    const auto compared = analysis::compareExperiment(source, request);
    if (!compared) return compared.error();
    if (context.json)
        printJson(comparisonJson(*compared));
    else
        fmt::print("{}", markdown ? comparisonMarkdown(*compared) : comparisonText(*compared));
    return {};
}

}  // namespace

void addCompareCommand(CLI::App& app, Context& context) {
    const auto request = std::make_shared<analysis::CompareRequest>();
    const auto markdown = std::make_shared<bool>(false);
    CLI::App& command =
        addCommand(app, context, kText, [=, &context] { return compare(context, *request, *markdown); });
    command.add_option("runs", request->runs, "Ids or names of runs; their baseline joins by itself")->type_name("RUN");
    command.add_option("--baseline", request->baseline, "Measure gaps against this run instead")->type_name("RUN");
    command.add_flag("--table", *markdown, "One Markdown table, the seeds of a recipe in one line");
    addStoreOption(command, context);
}

}  // namespace octet::app
