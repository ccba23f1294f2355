// SPDX-License-Identifier: Apache-2.0
// octet-engine show: one run in full, or one of its series as rows.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "app/commands.h"
#include "app/context.h"
#include "app/run_summary.h"
#include "app/series_rows.h"
#include "app/store_access.h"

namespace octet::app {
namespace {

constexpr CommandText kText{
    "show", "Show one run, or the samples of one of its series",
    "RUN is an id or a name (of several runs with a name: the newest). A series is loss, eval_loss, "
    "grad_norm, lr, step_ms, or layer/operand/statistic with operand input, weight or grad_output and "
    "statistic amax, scale, underflows%, overflows%, saturated%, mse, sqnr or cosine. One row a sample.",
    "octet-engine show hybrid-16\n"
    "octet-engine show 2 --series loss\n"
    "octet-engine show 2 --series model.layers.3.mlp.down_proj/grad_output/amax --csv > amax.csv"};

struct ShowOptions {
    std::string run;
    std::string series;
    bool csv = false;
};

Result<void> showSeries(const Context& context, const ShowOptions& options, store::Reader& reader,
                        const store::RunInfo& run) {
    const auto all = reader.series(run.id);
    if (!all) return all.error();
    const auto found = findSeries(*all, options.series, run);
    if (!found) return found.error();
    const auto data = reader.samples(found->id);
    if (!data) return data.error();
    if (context.json)
        printJson(seriesJson(run, *found, *data));
    else
        fmt::print("{}", options.csv ? seriesCsv(*data) : seriesTable(*found, *data));
    return {};
}

Result<void> show(const Context& context, const ShowOptions& options) {
    if (options.csv && options.series.empty()) {
        return Error{ErrorCode::Usage, "--csv needs a series to write.", "Add --series loss, for example."};
    }
    const auto reader = openStore(context);
    if (!reader) return reader.error();
    const auto run = findRun(**reader, options.run);
    if (!run) return run.error();
    if (!options.series.empty()) return showSeries(context, options, **reader, *run);
    const auto summary = summarise(**reader, *run);
    if (!summary) return summary.error();
    if (context.json)
        printJson(summaryJson(*summary));
    else
        fmt::print("{}", summaryText(*summary));
    return {};
}

}  // namespace

void addShowCommand(CLI::App& app, Context& context) {
    const auto options = std::make_shared<ShowOptions>();
    CLI::App& command = addCommand(app, context, kText, [&context, options] { return show(context, *options); });
    command.add_option("run", options->run, "Id or name of the run")->required()->type_name("RUN");
    command.add_option("--series", options->series, "The series whose samples to print")->type_name("NAME");
    command.add_flag("--csv", options->csv, "Print the series as step,tokens,wall_time,value");
    addStoreOption(command, context);
}

}  // namespace octet::app
