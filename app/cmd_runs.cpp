// SPDX-License-Identifier: Apache-2.0
// octet-engine runs: what is in a store, grouped by experiment.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>

#include "app/commands.h"
#include "app/context.h"
#include "app/store_access.h"
#include "app/table.h"
#include "engine/analysis/compared_run.h"

namespace octet::app {
namespace {

constexpr CommandText kText{
    "runs", "List the runs of a store, with state and loss",
    "The final loss is the training loss, smoothed (0.9), at the last step that all runs of the experiment "
    "have. A run whose worker is gone without a word is listed as interrupted.",
    "octet-engine runs\n"
    "octet-engine runs --store try.octet --json"};

struct ListedRun {
    store::RunInfo info;
    std::optional<double> finalLoss;
};

struct ListedExperiment {
    store::ExperimentInfo info;
    std::vector<ListedRun> runs;
};

Result<ListedExperiment> listExperiment(store::Reader& reader, const store::ExperimentInfo& info,
                                        const std::vector<store::RunInfo>& all) {
    analysis::StoreSource source(reader);
    ListedExperiment listed{info, {}};
    std::vector<series::ComparedRun> compared;
    for (const store::RunInfo& run : all) {
        if (run.experiment != info.id) continue;
        auto one = analysis::comparedRun(source, run, info.spec);
        if (!one) return one.error();
        compared.push_back(std::move(*one));
        listed.runs.push_back({run, {}});
    }
    const series::Comparison comparison = series::compareRuns(compared, {});
    for (size_t i = 0; i < listed.runs.size(); ++i)
        listed.runs[i].finalLoss = comparison.runs[i].finalLoss;
    return listed;
}

Result<std::vector<ListedExperiment>> listStore(store::Reader& reader) {
    const auto experiments = reader.experiments();
    if (!experiments) return experiments.error();
    const auto runs = reader.runs();
    if (!runs) return runs.error();
    std::vector<ListedExperiment> listed;
    for (const store::ExperimentInfo& experiment : *experiments) {
        auto one = listExperiment(reader, experiment, *runs);
        if (!one) return one.error();
        listed.push_back(std::move(*one));
    }
    return listed;
}

Json asJson(const std::vector<ListedExperiment>& experiments) {
    Json runs = Json::array();
    for (const ListedExperiment& experiment : experiments) {
        for (const auto& [run, finalLoss] : experiment.runs) {
            runs.push_back({{"id", run.id.value},
                            {"name", run.name},
                            {"state", store::runStateName(run.state)},
                            {"recipe", run.recipeName},
                            {"seed", run.seed},
                            {"steps", run.steps},
                            {"final_loss", finalLoss ? jsonNumber(*finalLoss) : Json()},
                            {"planned_steps", run.plannedSteps},
                            {"experiment", experiment.info.id.value},
                            {"baseline", run.baseline},
                            {"note", run.stateNote}});
        }
    }
    return {{"runs", runs}};
}

void printTable(const ListedExperiment& experiment) {
    const auto at = fmt::localtime(static_cast<std::time_t>(experiment.info.createdAt));
    fmt::print("Experiment {} \"{}\", {:%Y-%m-%d %H:%M}\n", experiment.info.id.value, experiment.info.name, at);
    using enum Table::Align;
    Table table(
        {{"id", Right}, {"name"}, {"recipe"}, {"seed", Right}, {"steps", Right}, {"final loss", Right}, {"state"}});
    for (const auto& [run, finalLoss] : experiment.runs) {
        const std::string note = run.stateNote.empty() ? "" : fmt::format(" ({})", run.stateNote);
        table.addRow({std::to_string(run.id.value), run.name, run.recipeName, std::to_string(run.seed),
                      fmt::format("{}/{}", run.steps, run.plannedSteps),
                      finalLoss ? fmt::format("{:.4f}", *finalLoss) : "-", store::runStateName(run.state) + note});
    }
    fmt::print("{}\n", table.text());
}

Result<void> listRuns(const Context& context) {
    const auto reader = openStore(context);
    if (!reader) return reader.error();
    const auto experiments = listStore(**reader);
    if (!experiments) return experiments.error();
    if (context.json) {
        printJson(asJson(*experiments));
        return {};
    }
    if (experiments->empty())
        fmt::print("The store holds no runs yet. `octet-engine train --help` shows how to make some.\n");
    for (const ListedExperiment& experiment : *experiments)
        printTable(experiment);
    return {};
}

}  // namespace

void addRunsCommand(CLI::App& app, Context& context) {
    CLI::App& command = addCommand(app, context, kText, [&context] { return listRuns(context); });
    addStoreOption(command, context);
}

}  // namespace octet::app
